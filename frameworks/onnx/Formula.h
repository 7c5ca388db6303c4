// Formula.h: several kiln ops in a row, written as a formula: the first error ends it.
#ifndef KILN_ONNX_FORMULA_H
#define KILN_ONNX_FORMULA_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// Builds ops for one node. When one fails, its error is kept and everything after it gives null, so that a
/// formula needs one check, at its end: status() or output(). For one thread; borrows the node.
class Formula {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;

  explicit Formula(Node &node) : node(node), build(node.build) {}

  /// The first error.
  const Status &status() const { return error; }
  bool ok() const { return error.ok(); }
  Value fail(Status status);
  /// Sets an output of the node, or gives the error.
  Status output(unsigned i, Value value);

  /// An op with one result; operands must not be null unless the formula has failed.
  template <typename Op> Value make(mlir::ValueRange operands, Attributes attributes = {}) {
    return ok() ? keep(build.make<Op>(operands, attributes)) : Value();
  }
  Value keep(Result<Value> value);

  // Arithmetic, broadcast as in numpy; a number becomes a scalar of the tensor's element type.
  Value add(Value a, Value b) { return make<AddOp>({a, b}); }
  Value sub(Value a, Value b) { return make<SubOp>({a, b}); }
  Value mul(Value a, Value b) { return make<MulOp>({a, b}); }
  Value div(Value a, Value b) { return make<DivOp>({a, b}); }
  Value add(Value a, double b) { return add(a, like(a, b)); }
  Value sub(Value a, double b) { return sub(a, like(a, b)); }
  Value mul(Value a, double b) { return mul(a, like(a, b)); }
  Value div(Value a, double b) { return div(a, like(a, b)); }
  Value square(Value x) { return mul(x, x); }
  Value sqrt(Value x) { return make<SqrtOp>(x); }
  Value rsqrt(Value x) { return make<RsqrtOp>(x); }
  Value exp(Value x) { return make<ExpOp>(x); }
  Value log(Value x) { return make<LogOp>(x); }
  Value cos(Value x) { return make<CosOp>(x); }
  Value sin(Value x) { return make<SinOp>(x); }
  Value neg(Value x) { return make<NegOp>(x); }
  Value tanh(Value x) { return make<TanhOp>(x); }
  Value sigmoid(Value x) { return make<SigmoidOp>(x); }
  Value floor(Value x) { return make<FloorOp>(x); }
  Value max(Value a, Value b) { return make<MaxOp>({a, b}); }
  Value min(Value a, Value b) { return make<MinOp>({a, b}); }
  Value select(Value condition, Value a, Value b) { return make<SelectOp>({condition, a, b}); }
  /// `direction` as kiln.compare spells it.
  Value compare(llvm::StringRef direction, Value a, Value b) {
    return ok() ? keep(build.compare(direction, a, b)) : Value();
  }
  Value matmul(Value a, Value b, bool transA = false, bool transB = false);
  Value reduce(ReduceKind kind, Value x, llvm::ArrayRef<int64_t> axes, bool keepdims = true);
  Value softmax(Value x, int64_t axis) { return make<SoftmaxOp>(x, build.integer("axis", axis)); }

  // Constants.
  Value scalar(Type element, double value) { return build.scalar(element, value); }
  Value like(Value x, double value) { return x ? build.scalar(elementType(x), value) : Value(); }

  /// An extent as a tensor of i64 of rank 0, or of shape [1].
  Value scalarOf(Extent extent) { return integers(extent, /*isScalar=*/true); }
  Value vectorOf(Extent extent) { return integers(extent, /*isScalar=*/false); }

  // Shapes. Those of null are empty, extents of it 0.
  Type elementType(Value x);
  int64_t rank(Value x);
  Extent dim(Value x, int64_t axis);
  Extents shape(Value x) { return x ? build.shape(x) : Extents(); }
  Extent constant(int64_t value) { return build.math().constant(value); }
  Value reshape(Value x, llvm::ArrayRef<Extent> shape) {
    return ok() ? keep(build.reshape(x, shape)) : Value();
  }
  Value transpose(Value x, llvm::ArrayRef<int64_t> permutation) {
    return ok() ? keep(build.transpose(x, permutation)) : Value();
  }
  Value broadcast(Value x, llvm::ArrayRef<Extent> shape) {
    return ok() ? keep(build.broadcast(x, shape)) : Value();
  }
  Value concat(mlir::ValueRange values, int64_t axis) {
    return ok() ? keep(build.concat(values, axis)) : Value();
  }
  Value reverse(Value x, llvm::ArrayRef<int64_t> axes) {
    return ok() ? keep(build.reverse(x, axes)) : Value();
  }
  /// `size` elements of one axis from `offset` on.
  Value slice(Value x, int64_t axis, Extent offset, Extent size) {
    return ok() ? keep(build.sliceAxis(x, axis, offset, size)) : Value();
  }
  /// With an axis of extent 1 before axis `axis`; without the axis, whose extent is 1.
  Value unsqueeze(Value x, int64_t axis);
  Value squeeze(Value x, int64_t axis);
  Value convert(Value x, Type element) { return ok() ? keep(build.convert(x, element)) : Value(); }
  Value iota(Type element, llvm::ArrayRef<Extent> shape, int64_t axis) {
    return ok() ? keep(build.iota(element, shape, axis)) : Value();
  }

  Type f32() { return build.builder().getF32Type(); }
  Type i64() { return build.builder().getI64Type(); }

  Node &node;
  KilnBuilder &build;

private:
  Value integers(Extent extent, bool isScalar);

  Status error;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_FORMULA_H
