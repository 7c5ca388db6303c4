// TensorDataTest.cpp: every place and type in which a TensorProto may keep elements.
#include "frameworks/onnx/TensorData.h"

#include "frameworks/onnx/ElementTypes.h"
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::makeContext;
using kiln::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorDataTest : public ::testing::Test {
protected:
  TensorProto &make(int type, std::initializer_list<int64_t> dims) {
    tensor.Clear();
    tensor.set_data_type(type);
    tensor.mutable_dims()->Add(dims.begin(), dims.end());
    return tensor;
  }
  Result<TensorData> read() {
    ExternalFiles files("");
    return readTensor(context.get(), tensor, std::nullopt, nullptr, files);
  }
  std::vector<int64_t> integers() {
    Result<TensorData> data = read();
    EXPECT_TRUE(data.ok()) << data.status().message();
    return data.ok() && data->integers() ? *data->integers() : std::vector<int64_t>();
  }
  std::vector<double> doubles() {
    Result<TensorData> data = read();
    EXPECT_TRUE(data.ok()) << data.status().message();
    return data.ok() ? data->doubles() : std::vector<double>();
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  TensorProto tensor;
};

TEST_F(TensorDataTest, IntegersInTypedFields) {
  for (int type : {TensorProto::INT8, TensorProto::INT16, TensorProto::INT32}) {
    make(type, {3}).mutable_int32_data()->Add(-128);
    tensor.add_int32_data(0);
    tensor.add_int32_data(127);
    EXPECT_THAT(integers(), ElementsAre(-128, 0, 127)) << dataTypeName(type);
  }
  for (int type : {TensorProto::UINT8, TensorProto::UINT16}) {
    make(type, {2}).add_int32_data(0);
    tensor.add_int32_data(255);
    EXPECT_THAT(integers(), ElementsAre(0, 255)) << dataTypeName(type);
  }
  make(TensorProto::INT64, {2}).add_int64_data(INT64_MIN);
  tensor.add_int64_data(7);
  EXPECT_THAT(integers(), ElementsAre(INT64_MIN, 7));
  make(TensorProto::UINT32, {1}).add_uint64_data(UINT32_MAX);
  EXPECT_THAT(integers(), ElementsAre(int64_t(UINT32_MAX)));
  make(TensorProto::UINT64, {1}).add_uint64_data(12);
  EXPECT_THAT(integers(), ElementsAre(12));
}

TEST_F(TensorDataTest, FloatsInTypedFields) {
  make(TensorProto::FLOAT, {2}).add_float_data(1.5f);
  tensor.add_float_data(-2.0f);
  EXPECT_THAT(doubles(), ElementsAre(1.5, -2.0));
  make(TensorProto::DOUBLE, {}).add_double_data(0.1);
  EXPECT_THAT(doubles(), ElementsAre(0.1));
  make(TensorProto::FLOAT16, {2}).add_int32_data(0x3c00); // bits
  tensor.add_int32_data(0xc000);
  EXPECT_THAT(doubles(), ElementsAre(1.0, -2.0));
  make(TensorProto::BFLOAT16, {1}).add_int32_data(0x3fc0);
  EXPECT_THAT(doubles(), ElementsAre(1.5));
  make(TensorProto::FLOAT8E4M3FN, {1}).add_int32_data(0x38);
  EXPECT_THAT(doubles(), ElementsAre(1.0));
  make(TensorProto::FLOAT8E5M2, {1}).add_int32_data(0x3c);
  EXPECT_THAT(doubles(), ElementsAre(1.0));
}

TEST_F(TensorDataTest, RawBytesAreUsedInPlace) {
  make(TensorProto::INT16, {2}).set_raw_data(std::string("\x01\x00\xff\xff", 4));
  Result<TensorData> data = read();
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->bytes.data(), tensor.raw_data().data());
  EXPECT_THAT(*data->integers(), ElementsAre(1, -1));
}

TEST_F(TensorDataTest, BooleansBecomeZeroAndOne) {
  make(TensorProto::BOOL, {3}).set_raw_data(std::string("\x00\x01\x02", 3));
  EXPECT_THAT(integers(), ElementsAre(0, 1, 1));
  EXPECT_THAT(llvm::to_vector(read()->attribute().getValues<bool>()), ElementsAre(false, true, true));
}

TEST_F(TensorDataTest, FourBitElementsAreUnpackedLowFirst) {
  make(TensorProto::INT4, {3}).set_raw_data("\x7f\x08"); // -1, 7, -8
  EXPECT_THAT(integers(), ElementsAre(-1, 7, -8));
  make(TensorProto::UINT4, {3}).add_int32_data(0x7f);
  tensor.add_int32_data(0x08);
  EXPECT_THAT(integers(), ElementsAre(15, 7, 8));
}

TEST_F(TensorDataTest, FourBitWeightsArePackedAgain) {
  make(TensorProto::INT4, {3}).set_raw_data("\x7f\x08");
  ASSERT_OK_AND_ASSIGN(TensorData data, read());
  EXPECT_EQ(data.bytes.size(), 3u);
  TensorData packed = data.packed();
  EXPECT_EQ(llvm::StringRef(packed.bytes.data(), packed.bytes.size()), "\x7f\x08");
}

TEST_F(TensorDataTest, SplatsAreFound) {
  make(TensorProto::FLOAT, {2}).set_raw_data("abcdabcd");
  EXPECT_TRUE(read()->isSplat());
  make(TensorProto::FLOAT, {2}).set_raw_data("abcdabce");
  EXPECT_FALSE(read()->isSplat());
  make(TensorProto::FLOAT, {0}).set_raw_data("");
  EXPECT_FALSE(read()->isSplat()) << "nothing to repeat";
}

TEST_F(TensorDataTest, WrongByteCount) {
  make(TensorProto::FLOAT, {2, 2}).set_raw_data("12345");
  EXPECT_THAT(read().status(),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("5 bytes of data; expected 16 for 4 elements of type 'float'")));
}

TEST_F(TensorDataTest, WrongElementCount) {
  make(TensorProto::FLOAT, {3}).add_float_data(1);
  EXPECT_THAT(read().status(),
              StatusIs(Code::InvalidArgument, HasSubstr("float_data has 1 elements; expected 3")));
}

TEST_F(TensorDataTest, ElementsInTheWrongField) {
  make(TensorProto::INT64, {1}).add_int32_data(1);
  EXPECT_THAT(read().status(),
              StatusIs(Code::InvalidArgument, HasSubstr("int64_data has 0 elements; expected 1")));
}

TEST_F(TensorDataTest, ValueOutOfRange) {
  make(TensorProto::INT8, {1}).add_int32_data(200);
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("int32_data holds 200")));
  make(TensorProto::UINT32, {1}).add_uint64_data(uint64_t(1) << 40);
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("out of range")));
}

TEST_F(TensorDataTest, NegativeDimension) {
  make(TensorProto::FLOAT, {2, -1});
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("dimension -1; expected >= 0")));
}

TEST_F(TensorDataTest, HugeShapes) {
  make(TensorProto::FLOAT, {INT64_MAX, INT64_MAX});
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("has too many elements")));
  make(TensorProto::FLOAT, {1 << 30, 1 << 30});
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("has too many elements")));
  make(TensorProto::FLOAT, {1 << 30}); // possible, but not there
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("float_data has 0 elements")));
}

TEST_F(TensorDataTest, UnknownTypes) {
  make(0, {});
  EXPECT_THAT(read().status(), StatusIs(Code::InvalidArgument, HasSubstr("element type 0 is unknown")));
  make(TensorProto::STRING, {}).add_string_data("text");
  EXPECT_THAT(read().status(), StatusIs(Code::Unimplemented, HasSubstr("'string'")));
}

TEST_F(TensorDataTest, Segments) {
  make(TensorProto::FLOAT, {1}).mutable_segment();
  EXPECT_THAT(read().status(), StatusIs(Code::Unimplemented, HasSubstr("segmented tensors")));
}

} // namespace
} // namespace kiln::onnx
