// LinalgBuilder.h: short forms for the linalg ops that the reference lowerings build.
#ifndef KILN_DIALECTS_TRANSFORMS_LINALGBUILDER_H
#define KILN_DIALECTS_TRANSFORMS_LINALGBUILDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The signless type of the same width; floats stay.
mlir::Type signless(mlir::Type type);

/// What sums of `element` are kept in, signless: f32 for f16 and bf16, else the type itself.
mlir::Type accumulatorType(mlir::Type element);

/// Builds at one place. A small value type that refers to its builder; for one thread. Sizes are mixed
/// extents; element types of values are signless.
class LinalgBuilder {
public:
  using Sizes = llvm::ArrayRef<mlir::OpFoldResult>;
  using Iterators = llvm::ArrayRef<mlir::utils::IteratorType>;
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() const { return builder; }

  mlir::Value empty(Sizes sizes, mlir::Type element);
  mlir::Value filled(Sizes sizes, mlir::TypedAttr value);
  mlir::TypedAttr zero(mlir::Type element);
  mlir::TypedAttr one(mlir::Type element);
  /// The value below (or above) all others: -inf, or the integer type's minimum.
  mlir::TypedAttr lowest(mlir::Type element, bool isUnsigned);
  mlir::TypedAttr highest(mlir::Type element, bool isUnsigned);

  /// linalg.generic with one init, whose map is the last; `body` sees the inputs' elements, then the init's.
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value init, llvm::ArrayRef<mlir::AffineMap> maps,
                      Iterators iterators, Body body);
  /// A parallel linalg.generic over `sizes`; an input's map may broadcast. `body` sees the inputs' elements
  /// only.
  mlir::Value elementwise(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps, Sizes sizes,
                          mlir::Type element, Body body);
  /// What an input that is broadcast to `shape` looks like to `elementwise`: the tensor without the axes of
  /// extent 1 along which it is repeated, and its map, a projected permutation.
  std::pair<mlir::Value, mlir::AffineMap> broadcastInput(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  /// `tensor` with every element as `element`, rounded or truncated; itself if that is its type.
  mlir::Value converted(mlir::Value tensor, mlir::Type element);
  /// `tensor` as `type`, which differs in static extents only.
  mlir::Value cast(mlir::Value tensor, mlir::Type type);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// A scalar of `source` (its signedness counts) as the wider or equal signless type `to`.
mlir::Value widenScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar, mlir::Type source,
                        mlir::Type to);

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_LINALGBUILDER_H
