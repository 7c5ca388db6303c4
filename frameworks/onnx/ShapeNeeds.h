// ShapeNeeds.h: whether a model is refused only because the shapes of its inputs are not known.
#ifndef KILN_ONNX_SHAPENEEDS_H
#define KILN_ONNX_SHAPENEEDS_H

#include "frameworks/onnx/GraphImporter.h"

namespace kiln::onnx {

/// For a model that `refused` would not import without input shapes, with status `refusal`: its declaration
/// (ImportedModule::needsShapes) if known shapes may help, else `refusal`. A trial import, for shapes of no
/// meaning, tells: what it refuses as well is not supported, whatever the shapes.
Result<jit::ImportedModule> importForShapesLater(mlir::MLIRContext &context,
                                                 const jit::ImportRequest &request,
                                                 std::shared_ptr<const Model> model,
                                                 const GraphImporter &refused, const Status &refusal);

} // namespace kiln::onnx
#endif // KILN_ONNX_SHAPENEEDS_H
