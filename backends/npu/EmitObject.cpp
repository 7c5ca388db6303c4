// EmitObject.cpp: code, metadata and their file; the object is checked as a loader would before anybody gets
// it.
#include "backends/npu/EmitObject.h"

#include "backends/npu/CodeWriter.h"
#include "backends/npu/NpuObject.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/jit/KernelSignature.h"
#include "kiln/jit/LaunchConstants.h"

using namespace mlir;

namespace kiln::npu {
namespace {

Expr exprOf(const jit::LaunchExpr &expr) {
  Expr nodes; // the enumerators are equal, as both are the schema's
  for (const jit::LaunchExpr::Node &node : expr.nodes())
    nodes.push_back({static_cast<ExprOp>(node.op), node.value});
  return nodes;
}

LogicalResult writeSection(func::FuncOp function, CodeSection &section) {
  CodeWriter writer(function);
  if (failed(writer.run()))
    return failure();
  section.code = writer.takeCode();
  for (auto [first, op] : writer.opRanges())
    section.ops.push_back({first, op});
  return success();
}

FailureOr<NpuObject> makeObject(ModuleOp module, jit::KernelObjectBuilder &builder) {
  func::FuncOp kernel;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("kiln.kernel"))
      kernel = function;
  auto signature = kernel ? kernel->getAttrOfType<TypeAttr>(kSignatureAttr) : TypeAttr();
  auto core = kernel ? kernel->getAttrOfType<StringAttr>(kCoreAttr) : StringAttr();
  auto blocks = kernel ? kernel->getAttrOfType<IntegerAttr>(kBlocksAttr) : IntegerAttr();
  if (!signature || !core || !blocks)
    return module.emitError("npu: expected a func.func with the attributes kiln.kernel, ")
           << kSignatureAttr << ", " << kCoreAttr << " and " << kBlocksAttr;
  const Target &chip = ir::targetOf(kernel);
  builder.format = "npu-elf";
  builder.symbol = kernel.getName().str();
  builder.requiredFeatures = std::string(chip.features());
  if (auto name = kernel->getAttrOfType<StringAttr>(kTemplateAttr))
    builder.codeTemplate = name.str();
  builder.grid = {jit::LaunchExpr::literal(blocks.getInt())};
  if (auto workspace = kernel->getAttrOfType<DenseI64ArrayAttr>(kWorkspaceAttr))
    builder.workspaceBytes = jit::exprFromAttr(workspace);
  if (failed(jit::describeSignature(kernel.getLoc(), cast<FunctionType>(signature.getValue()), builder)))
    return failure();

  NpuObject object;
  object.chip = chip.chip;
  bool isCube = core.getValue() == "aic";
  object.kind = isCube ? KernelKind::Aic : KernelKind::Aiv;
  if (failed(writeSection(kernel, isCube ? object.aic : object.aiv)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kVectorPartAttr)) {
      object.kind = KernelKind::Mix;
      if (failed(writeSection(function, object.aiv)))
        return failure();
    }
  object.symbol = builder.symbol;
  for (const auto &binding : builder.bindings)
    object.bindings.push_back({static_cast<ObjectBinding::Kind>(binding.kind), uint32_t(binding.dtype),
                               binding.alignmentBytes, exprOf(binding.bytes)});
  object.constantCount = builder.constantCount;
  object.grid = exprOf(builder.grid[0]);
  object.workspaceBytes = exprOf(builder.workspaceBytes);
  for (const auto &range : (isCube ? object.aic : object.aiv).ops)
    builder.pcTable.push_back({range.first, range.op});
  if (Status status = checkObject(object); !status.ok())
    return kernel.emitError("npu: the code is not valid: ") << std::string(status.message());
  return object;
}

} // namespace

LogicalResult emitObject(ModuleOp module, const jit::Target &, jit::KernelObjectBuilder &builder) {
  FailureOr<NpuObject> object = makeObject(module, builder);
  if (failed(object))
    return failure();
  builder.object = writeObject(*object);
  return success();
}

LogicalResult printAssembly(ModuleOp module, const jit::Target &, llvm::raw_ostream &os) {
  jit::KernelObjectBuilder builder;
  FailureOr<NpuObject> object = makeObject(module, builder);
  if (failed(object))
    return failure();
  os << disassemble(*object);
  return success();
}

LogicalResult printDialect(ModuleOp module, const jit::Target &, llvm::raw_ostream &os) {
  module.print(os);
  os << '\n';
  return success();
}

} // namespace kiln::npu
