// kiln/Transforms/ToLinalg.h: the reference lowering of kiln ops to linalg, tensor, arith and math, by
// family.
#ifndef KILN_TRANSFORMS_TOLINALG_H
#define KILN_TRANSFORMS_TOLINALG_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kiln {

/// The types of lowered code: integers are signless (tensor<4xui8> becomes tensor<4xi8>), all else stays.
/// Threads: as any TypeConverter, one for a conversion.
class SignlessTypeConverter : public mlir::TypeConverter {
public:
  SignlessTypeConverter();
};

// Patterns of one conversion whose type converter is a SignlessTypeConverter; signedness is read off the kiln
// op.
void populateElementwiseToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateShapeToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateContractionToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateReductionToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateCumulativeToLoops(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateIndexingToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateScatterToLoops(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSortingToLoops(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSelectionToLoops(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Rewrites composites (softmax, the normalisations, log_sum_exp) into simpler kiln ops. Greedy; they have no
/// pattern of their own in the conversion, so kiln-to-linalg applies these first.
void populateDecompose(mlir::RewritePatternSet &patterns);

/// Unit attribute of a composite for which the target has one kernel: it stays as it is.
inline constexpr llvm::StringLiteral kWholeAttr = "kiln.whole";

/// Rewrites composites that are many kernels into simpler kiln ops and loops: attention, transposed
/// convolutions, recurrent layers.
void populateExpandComposites(mlir::RewritePatternSet &patterns);
void populateExpandAttention(mlir::RewritePatternSet &patterns);
void populateExpandConvTranspose(mlir::RewritePatternSet &patterns);
void populateExpandRecurrence(mlir::RewritePatternSet &patterns);
void populateExpandResize(mlir::RewritePatternSet &patterns);

} // namespace kiln

#endif // KILN_TRANSFORMS_TOLINALG_H
