// ElementTypes.cpp: one table of TensorProto.DataType.
#include "frameworks/onnx/ElementTypes.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/schema/onnx.pb.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;

namespace kiln::onnx {
namespace {

template <typename T> Type simple(MLIRContext *context) { return T::get(context); }
template <unsigned width, IntegerType::SignednessSemantics signedness> Type integer(MLIRContext *context) {
  return IntegerType::get(context, width, signedness);
}

struct DataType {
  int number;
  const char *name;
  Type (*type)(MLIRContext *); // null: kiln has no such type
};

constexpr auto kSignless = IntegerType::Signless, kUnsigned = IntegerType::Unsigned;
constexpr DataType kDataTypes[] = {
    {TensorProto::FLOAT, "float", simple<Float32Type>},
    {TensorProto::UINT8, "uint8", integer<8, kUnsigned>},
    {TensorProto::INT8, "int8", integer<8, kSignless>},
    {TensorProto::UINT16, "uint16", integer<16, kUnsigned>},
    {TensorProto::INT16, "int16", integer<16, kSignless>},
    {TensorProto::INT32, "int32", integer<32, kSignless>},
    {TensorProto::INT64, "int64", integer<64, kSignless>},
    {TensorProto::STRING, "string", nullptr},
    {TensorProto::BOOL, "bool", integer<1, kSignless>},
    {TensorProto::FLOAT16, "float16", simple<Float16Type>},
    {TensorProto::DOUBLE, "double", simple<Float64Type>},
    {TensorProto::UINT32, "uint32", integer<32, kUnsigned>},
    {TensorProto::UINT64, "uint64", integer<64, kUnsigned>},
    {TensorProto::COMPLEX64, "complex64", nullptr},
    {TensorProto::COMPLEX128, "complex128", nullptr},
    {TensorProto::BFLOAT16, "bfloat16", simple<BFloat16Type>},
    {TensorProto::FLOAT8E4M3FN, "float8e4m3fn", simple<Float8E4M3FNType>},
    {TensorProto::FLOAT8E4M3FNUZ, "float8e4m3fnuz", nullptr},
    {TensorProto::FLOAT8E5M2, "float8e5m2", simple<Float8E5M2Type>},
    {TensorProto::FLOAT8E5M2FNUZ, "float8e5m2fnuz", nullptr},
    {TensorProto::UINT4, "uint4", integer<4, kUnsigned>},
    {TensorProto::INT4, "int4", integer<4, kSignless>},
    {TensorProto::FLOAT4E2M1, "float4e2m1", nullptr},
    {TensorProto::FLOAT8E8M0, "float8e8m0", nullptr},
    {TensorProto::UINT2, "uint2", nullptr},
    {TensorProto::INT2, "int2", nullptr},
    {TensorProto::FLOAT6E2M3, "float6e2m3", nullptr},
    {TensorProto::FLOAT6E3M2, "float6e3m2", nullptr},
};

const DataType *find(int dataType) {
  const auto *it = llvm::find_if(kDataTypes, [&](const DataType &type) { return type.number == dataType; });
  return it == std::end(kDataTypes) ? nullptr : it;
}

} // namespace

std::string dataTypeName(int dataType) {
  const DataType *type = find(dataType);
  return type ? type->name : "type " + std::to_string(dataType);
}

Result<Type> toElementType(MLIRContext *context, int dataType) {
  const DataType *type = find(dataType);
  if (!type)
    return invalid("element type {0} is unknown; expected a TensorProto.DataType", dataType);
  if (!type->type)
    return unsupported("element type '{0}' is not supported", type->name);
  return type->type(context);
}

int toDataType(Type type) {
  const auto *it = llvm::find_if(kDataTypes, [&](const DataType &candidate) {
    return candidate.type && candidate.type(type.getContext()) == type;
  });
  return it == std::end(kDataTypes) ? static_cast<int>(TensorProto::UNDEFINED) : it->number;
}

unsigned elementBytes(Type type) { return std::max(8u, type.getIntOrFloatBitWidth()) / 8; }

} // namespace kiln::onnx
