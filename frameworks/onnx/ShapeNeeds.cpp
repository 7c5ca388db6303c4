// ShapeNeeds.cpp: a second import, with every unknown extent given one value, against the first.
#include "frameworks/onnx/ShapeNeeds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int64_t kTrialExtent = 64; // larger than the windows that models slide over their inputs

/// Shapes for the trial; none if the model declares all its extents.
std::vector<jit::InputShape> trialShapes(ModuleOp declaration) {
  std::vector<jit::InputShape> shapes;
  bool isDynamic = false;
  for (Type type : declaration.lookupSymbol<func::FuncOp>("main").getArgumentTypes()) {
    jit::InputShape &shape = shapes.emplace_back();
    for (int64_t dim : cast<RankedTensorType>(type).getShape()) {
      isDynamic |= ShapedType::isDynamic(dim);
      shape.dims.push_back(ShapedType::isDynamic(dim) ? kTrialExtent : dim);
    }
  }
  return isDynamic ? shapes : std::vector<jit::InputShape>();
}

} // namespace

Result<jit::ImportedModule> importForShapesLater(MLIRContext &context, const jit::ImportRequest &request,
                                                 std::shared_ptr<const Model> model,
                                                 const GraphImporter &refused, const Status &refusal) {
  if (refused.refusals().empty() || !request.shapes.empty())
    return refusal;
  Result<OwningOpRef<ModuleOp>> declaration = refused.declaration();
  if (!declaration.ok())
    return refusal;
  jit::ImportRequest trial = request;
  trial.shapes = trialShapes(**declaration);
  if (trial.shapes.empty())
    return refusal;
  GraphImporter importer(context, trial, std::move(model));
  (void)importer.import(); // a failure may be these shapes' fault, unless the first import failed alike
  for (const std::string &line : importer.refusals())
    if (llvm::is_contained(refused.refusals(), line))
      return refusal;
  jit::ImportedModule module;
  module.module = std::move(*declaration);
  module.needsShapes = refusal.message();
  return module;
}

} // namespace kiln::onnx
