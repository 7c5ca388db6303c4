// HostTensorTest.cpp: element access in every type, against the formats' definitions.
#include "tools/lib/HostTensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::tools;

namespace {

HostTensor scalar(KilnDType dtype, double value) {
  HostTensor tensor = makeTensor("x", dtype, {2}).value();
  tensor.setElement(1, value);
  return tensor;
}

TEST(HostTensorTest, EveryTypeHoldsOneAndHasAName) {
  for (KilnDType dtype = KILN_F16; dtype <= KILN_U4; ++dtype) {
    EXPECT_EQ(scalar(dtype, 1).element(1), 1) << dtypeName(dtype);
    EXPECT_EQ(scalar(dtype, 1).element(0), 0) << dtypeName(dtype) << ": the neighbour stays";
    EXPECT_EQ(dtypeFromName(dtypeName(dtype)), dtype);
  }
}

TEST(HostTensorTest, IntegersSaturateAndNanIsZero) {
  EXPECT_EQ(scalar(KILN_I8, 300).element(1), 127);
  EXPECT_EQ(scalar(KILN_I8, -300).element(1), -128);
  EXPECT_EQ(scalar(KILN_U8, -1).element(1), 0);
  EXPECT_EQ(scalar(KILN_I4, 9).element(1), 7);
  EXPECT_EQ(scalar(KILN_I4, -9).element(1), -8);
  EXPECT_EQ(scalar(KILN_U4, 99).element(1), 15);
  EXPECT_EQ(scalar(KILN_I32, std::nan("")).element(1), 0);
}

TEST(HostTensorTest, HalfPrecisionRoundsToNearestEven) {
  EXPECT_EQ(scalar(KILN_F16, 1 + 0x1p-11).element(1), 1) << "a tie goes to the even neighbour";
  EXPECT_EQ(scalar(KILN_F16, 1 + 3 * 0x1p-11).element(1), 1 + 0x1p-9);
  EXPECT_EQ(scalar(KILN_F16, 65504).element(1), 65504);
  EXPECT_EQ(scalar(KILN_F16, 65520).element(1), INFINITY);
  EXPECT_EQ(scalar(KILN_F16, 0x1p-24).element(1), 0x1p-24) << "the smallest denormal";
  EXPECT_EQ(scalar(KILN_F16, 0x1p-26).element(1), 0);
  EXPECT_EQ(scalar(KILN_BF16, 1 + 0x1p-8).element(1), 1);
  EXPECT_EQ(scalar(KILN_BF16, -3.0e38).element(1), -0x1.c4p+127);
  EXPECT_TRUE(std::isnan(scalar(KILN_BF16, NAN).element(1)));
}

TEST(HostTensorTest, EightBitFloatsFollowTheirFormats) {
  EXPECT_EQ(scalar(KILN_F8E4M3FN, 448).element(1), 448) << "the largest finite value";
  EXPECT_TRUE(std::isnan(scalar(KILN_F8E4M3FN, 1e9).element(1))) << "E4M3FN has no infinity";
  EXPECT_EQ(scalar(KILN_F8E5M2, 57344).element(1), 57344);
  EXPECT_EQ(scalar(KILN_F8E5M2, 1e9).element(1), INFINITY);
  EXPECT_EQ(scalar(KILN_F8E5M2, 0x1p-16).element(1), 0x1p-16);
}

TEST(HostTensorTest, ImpossibleShapesAreRefused) {
  EXPECT_EQ(makeTensor("x", KILN_F32, {-1}).status().code(), Code::InvalidArgument);
  EXPECT_EQ(makeTensor("x", KILN_F32, {int64_t{1} << 40, int64_t{1} << 40}).status().code(),
            Code::ResourceExhausted);
}

} // namespace
