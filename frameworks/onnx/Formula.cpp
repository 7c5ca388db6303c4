// Formula.cpp: the parts of a formula that are more than one call.
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {

Value Formula::fail(Status status) {
  if (error.ok())
    error = std::move(status);
  return {};
}

Value Formula::keep(Result<Value> value) { return value.ok() ? *value : fail(value.status()); }

Status Formula::output(unsigned i, Value value) {
  KILN_RETURN_IF_ERROR(error);
  node.setOutput(i, value);
  return {};
}

Value Formula::matmul(Value a, Value b, bool transA, bool transB) {
  SmallVector<NamedAttribute> flags;
  if (transA)
    flags.push_back(build.flag("transA"));
  if (transB)
    flags.push_back(build.flag("transB"));
  return make<MatmulOp>({a, b}, flags);
}

Value Formula::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<NamedAttribute> attributes{build.named("kind", ReduceKindAttr::get(build.context(), kind)),
                                         build.integers("axes", axes)};
  if (keepdims)
    attributes.push_back(build.flag("keepdims"));
  return make<ReduceOp>(x, attributes);
}

Value Formula::integers(Extent extent, bool isScalar) {
  GraphValue value;
  value.shape = ShapeValue{i64(), isScalar, {extent}};
  return materialize(build, value, "");
}

Type Formula::elementType(Value x) {
  return x ? cast<RankedTensorType>(x.getType()).getElementType() : Type(f32());
}

int64_t Formula::rank(Value x) { return x ? cast<RankedTensorType>(x.getType()).getRank() : 0; }

Extent Formula::dim(Value x, int64_t axis) { return x ? build.dim(x, axis) : constant(0); }

Value Formula::unsqueeze(Value x, int64_t axis) {
  Extents extents = shape(x);
  if (!x)
    return {};
  extents.insert(extents.begin() + axis, constant(1));
  return reshape(x, extents);
}

Value Formula::squeeze(Value x, int64_t axis) {
  Extents extents = shape(x);
  if (!x)
    return {};
  extents.erase(extents.begin() + axis);
  return reshape(x, extents);
}

} // namespace kiln::onnx
