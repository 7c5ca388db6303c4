// TensorProtoTest.cpp: ONNX's .pb tensors: every way to store data, and what is refused.
#include "tools/lib/TensorProto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace kiln;
using namespace kiln::tools;
using testing::HasSubstr;

namespace {

/// Builds a message field by field.
struct Proto {
  std::string bytes;
  Proto &varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
  Proto &number(uint32_t field, uint64_t value) { return varint(field << 3), varint(value); }
  Proto &block(uint32_t field, std::string_view content) {
    varint(field << 3 | 2), varint(content.size());
    bytes += content;
    return *this;
  }
  Result<HostTensor> parse() const {
    return parseTensorProto(std::as_bytes(std::span(bytes.data(), bytes.size())), "'t.pb'");
  }
  std::string error() const {
    Result<HostTensor> tensor = parse();
    EXPECT_FALSE(tensor.ok());
    return tensor.ok() ? "" : tensor.status().message();
  }
};

template <typename T> std::string raw(std::vector<T> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

TEST(TensorProtoTest, ReadsRawDataWithNameAndShape) {
  auto tensor =
      Proto().number(1, 1).number(1, 2).number(2, 1).block(8, "x").block(9, raw<float>({1.5f, -2})).parse();
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->name, "x");
  EXPECT_EQ(tensor->shapeText(), "1x2xf32");
  EXPECT_EQ(tensor->element(1), -2);
}

TEST(TensorProtoTest, ReadsTypedFieldsPackedOrNot) {
  EXPECT_EQ(Proto().block(1, "\x02").number(2, 1).block(4, raw<float>({1, 3})).parse()->element(1), 3);
  EXPECT_EQ(Proto().number(1, 2).number(2, 11).block(10, raw<double>({1, 4})).parse()->element(1), 4);
  Proto negative;
  negative.number(1, 1).number(2, 3).number(5, static_cast<uint64_t>(int64_t{-7}));
  EXPECT_EQ(negative.parse()->element(0), -7) << "an i8 in int32_data";
  EXPECT_EQ(Proto().number(1, 1).number(2, 10).number(5, 0x3C00).parse()->element(0), 1)
      << "the bits of an f16";
  EXPECT_EQ(Proto().number(1, 2).number(2, 7).block(7, "\x05\x06").parse()->element(1), 6);
  EXPECT_EQ(Proto().number(1, 1).number(2, 13).number(11, 9).parse()->element(0), 9);
  EXPECT_EQ(Proto().number(1, 3).number(2, 22).block(9, "\xF1\x02").parse()->element(1), -1)
      << "two i4 a byte";
  EXPECT_EQ(Proto().number(2, 9).number(5, 1).parse()->shapeText(), "i1") << "a scalar has no dims";
}

TEST(TensorProtoTest, RefusesWhatItCannotHold) {
  EXPECT_THAT(Proto().number(2, 8).block(6, "text").error(), HasSubstr("'t.pb': holds strings"));
  EXPECT_THAT(Proto().number(2, 14).error(), HasSubstr("type complex64"));
  EXPECT_THAT(Proto().number(2, 1).number(14, 1).error(), HasSubstr("external data"));
  EXPECT_THAT(Proto().number(2, 1).block(3, "x").error(), HasSubstr("a segment, or a sequence"));
  EXPECT_THAT(Proto().number(2, 99).error(), HasSubstr("data type 99"));
  EXPECT_THAT(Proto().number(1, 3).number(2, 1).block(9, raw<float>({1})).error(),
              HasSubstr("4 data bytes; its shape needs 12"));
  EXPECT_THAT(Proto().number(1, uint64_t{1} << 60).number(1, 16).number(2, 1).error(),
              HasSubstr("its shape needs"));
}

TEST(TensorProtoTest, RefusesBytesThatAreNoMessage) {
  for (std::string_view bytes : {"\x93NUMPY", "\xFF\xFF\xFF",
                                 "\x4A\x7F"
                                 "abc",
                                 "\x0B"}) {
    auto tensor = parseTensorProto(std::as_bytes(std::span(bytes.data(), bytes.size())), "'t.pb'");
    ASSERT_FALSE(tensor.ok());
    EXPECT_THAT(tensor.status().message(), HasSubstr("'t.pb': not a TensorProto"));
  }
}

} // namespace
