// ProgramBuilder.cpp: gives @main the types asked for, behind casts, and lets stage graph work them out.
#include "jit/ProgramBuilder.h"

#include "jit/Diagnostics.h"
#include "jit/ProgramWriter.h"
#include "jit/TypeLegality.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
std::string shapeText(llvm::ArrayRef<int64_t> dims) {
  if (dims.empty())
    return "scalar";
  return llvm::join(llvm::map_range(dims, [](int64_t dim) { return dim < 0 ? "?" : std::to_string(dim); }),
                    "x");
}

Status checkShapes(const Model &model, const InputShapes &shapes) {
  if (shapes.size() != model.inputs.size())
    return invalidArgument(model.name + ": shapes of " + Twine(shapes.size()) + " inputs; the model has " +
                           Twine(model.inputs.size()));
  llvm::StringMap<std::pair<int64_t, std::string>>
      named; // extent by the model's name for it, and who said so
  for (auto [port, dims] : llvm::zip(model.inputs, shapes)) {
    std::string what = "input '" + port.name + "': shape " + shapeText(dims) + "; expected ";
    if (dims.size() != port.dims.size())
      return invalidArgument(what + shapeText(port.dims));
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (dim < -1 || (port.dims[i] >= 0 && dim >= 0 && dim != port.dims[i]))
        return invalidArgument(what + shapeText(port.dims));
      if (port.dimNames[i].empty() || dim < 0 || port.dims[i] >= 0)
        continue;
      auto [it, isNew] = named.try_emplace(port.dimNames[i], dim, port.name);
      if (!isNew && it->second.first != dim)
        return invalidArgument(what + port.dimNames[i] + " = " + Twine(it->second.first) + " as in input '" +
                               it->second.second + "'");
    }
  }
  return {};
}
} // namespace

Result<OwningOpRef<ModuleOp>> kiln::jit::specialise(Model &model, const InputShapes &shapes) {
  if (!model.needsShapes.empty())
    return failedPrecondition(model.name + ": not imported for these shapes yet; " + model.needsShapes);
  OwningOpRef<ModuleOp> module = model.module->clone();
  if (shapes.empty() && !model.inputs.empty())
    return module;
  KILN_RETURN_IF_ERROR(checkShapes(model, shapes));
  auto main = module->lookupSymbol<func::FuncOp>("main");
  OpBuilder builder = OpBuilder::atBlockBegin(&main.getBody().front());
  SmallVector<Type> types;
  for (auto [argument, dims] : llvm::zip(main.getArguments(), shapes)) {
    auto declared = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape(declared.getShape());
    for (auto [extent, dim] : llvm::zip(shape, dims))
      if (dim >= 0)
        extent = dim;
    auto type = RankedTensorType::get(shape, declared.getElementType());
    types.push_back(type);
    if (type == declared)
      continue;
    argument.setType(type);
    auto cast = builder.create<tensor::CastOp>(argument.getLoc(), declared, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
  main.setFunctionType(builder.getFunctionType(types, main.getResultTypes()));
  return module;
}

Result<OwningOpRef<ModuleOp>> kiln::jit::buildModule(Model &model, const InputShapes &shapes,
                                                     const TargetPipeline &pipeline, const Target &target,
                                                     Stage last, const StageTrace &trace) {
  KILN_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module, specialise(model, shapes));
  for (Stage stage : {Stage::Graph, Stage::Form}) {
    Status status = runStage(*module, pipeline, target, stage, trace);
    if (!status.ok())
      return Status(stage == Stage::Graph ? Code::InvalidArgument : status.code(),
                    withName(model.name, status.message()));
    if (stage == last)
      break;
  }
  return module;
}

Result<std::string> kiln::jit::buildProgram(Model &model, const InputShapes &shapes,
                                            const TargetPipeline &pipeline, const Target &target,
                                            const TargetKey &key, const StageTrace &trace) {
  KILN_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module,
                        buildModule(model, shapes, pipeline, target, Stage::Form, trace));
  if (Status legal = checkElementTypes(*module, target); !legal.ok())
    return Status(legal.code(), withName(model.name, legal.message()));
  ProgramRequest request{model.name,    model.function, model.digest, model.inputs,
                         model.outputs, &target,        &key};
  uint64_t startNs = steadyNowNs();
  auto program = writeProgram(*module, request);
  if (trace.log)
    trace.log->add({"program", trace.unit, startNs, steadyNowNs()});
  if (!program.ok())
    return Status(program.status().code(), withName(model.name, program.status().message()));
  return program;
}
