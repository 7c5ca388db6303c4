// EmitObject.cpp: object and metadata of one kernel; checks that the object refers to nothing outside the
// symbol table.
#include "backends/host/EmitObject.h"

#include "backends/host/LlvmModule.h"
#include "kiln/jit/KernelSignature.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

#include <map>

using namespace mlir;

namespace kiln::host {
namespace {

/// What kernels may call: the runtime's symbol table (KilnHost::runtime_symbols) holds at least these.
constexpr StringRef kRuntimeSymbols[] = {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_"};

LLVM::LLVMFuncOp findEntry(ModuleOp module) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func->hasAttr("kiln.kernel"))
      return func;
  return {};
}

jit::LaunchExpr exprAttr(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return attr ? jit::exprFromAttr(attr) : jit::LaunchExpr();
}

/// The line table as (offset in .text, op number counted from 0), without repetitions.
std::vector<std::pair<uint32_t, uint32_t>> pcTable(const llvm::object::ObjectFile &file) {
  std::map<uint32_t, uint32_t> ops; // of several lines at one address the last counts
  std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(file);
  for (const auto &unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable *lines = dwarf->getLineTableForUnit(unit.get());
    if (!lines)
      continue;
    for (const llvm::DWARFDebugLine::Row &row : lines->Rows)
      if (row.Line > 0 && !row.EndSequence)
        ops[row.Address.Address] = row.Line - 1;
  }
  std::vector<std::pair<uint32_t, uint32_t>> table;
  for (const auto &entry : ops)
    if (table.empty() || table.back().second != entry.second) // an op that goes on needs no new entry
      table.push_back(entry);
  return table;
}

LogicalResult checkSymbols(LLVM::LLVMFuncOp entry, const llvm::object::ObjectFile &file) {
  for (const llvm::object::ELFSymbolRef &symbol : llvm::object::ELFObjectFileBase::elf_symbol_iterator_range(
           cast<llvm::object::ELFObjectFileBase>(file).symbols())) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return entry.emitError("object has a malformed symbol");
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        !llvm::is_contained(kRuntimeSymbols, *name))
      return entry.emitError("object calls '")
             << *name << "'; kernels call only memcpy, memmove, memset and memcmp";
  }
  return success();
}

} // namespace

LogicalResult emitObject(ModuleOp module, const jit::Target &target, jit::KernelObjectBuilder &builder) {
  LLVM::LLVMFuncOp entry = findEntry(module);
  if (!entry)
    return module.emitError("module has no kernel entry (an llvm.func with attribute 'kiln.kernel')");
  FailureOr<std::unique_ptr<LlvmModule>> llvmModule = LlvmModule::create(module, target);
  SmallVector<char> object;
  if (failed(llvmModule) || failed((*llvmModule)->generate(llvm::CodeGenFileType::ObjectFile, object)))
    return failure();
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), entry.getName()));
  if (!file)
    return entry.emitError("object cannot be read back: ") << llvm::toString(file.takeError());
  if (failed(checkSymbols(entry, **file)))
    return failure();
  builder.pcTable = pcTable(**file);

  builder.format = "host-elf";
  builder.symbol = entry.getName().str();
  builder.requiredFeatures = target.featureString();
  if (auto name = entry->getAttrOfType<StringAttr>("kiln.template"))
    builder.codeTemplate = name.str();
  auto types = entry->getAttrOfType<ArrayAttr>("kiln.element_types");
  auto bytes = entry->getAttrOfType<ArrayAttr>("kiln.bytes");
  auto inputs = entry->getAttrOfType<IntegerAttr>("kiln.inputs");
  if (!types || !bytes || !inputs || types.size() != bytes.size())
    return entry.emitError("entry lacks the attributes of its bindings");
  for (auto [i, type, size] : llvm::enumerate(types.getAsValueRange<TypeAttr>(), bytes)) {
    jit::KernelObjectBuilder::Binding binding;
    binding.kind = int64_t(i) < inputs.getInt() ? jit::KernelObjectBuilder::BindingKind::In
                                                : jit::KernelObjectBuilder::BindingKind::Out;
    binding.dtype = jit::elementDType(type);
    binding.alignmentBytes = std::max(1u, type.getIntOrFloatBitWidth() / 8);
    binding.bytes = jit::exprFromAttr(cast<DenseI64ArrayAttr>(size));
    builder.bindings.push_back(std::move(binding));
  }
  if (auto constants = entry->getAttrOfType<IntegerAttr>("kiln.constants"))
    builder.constantCount = constants.getInt();
  builder.grid = {exprAttr(entry, "kiln.grid")};
  builder.workspaceBytes = exprAttr(entry, "kiln.workspace");
  builder.flops = exprAttr(entry, "kiln.flops");
  builder.trafficBytes = exprAttr(entry, "kiln.traffic");
  builder.object.assign(object.begin(), object.end());
  return success();
}

LogicalResult printAssembly(ModuleOp module, const jit::Target &target, llvm::raw_ostream &os) {
  FailureOr<std::unique_ptr<LlvmModule>> llvmModule = LlvmModule::create(module, target);
  SmallVector<char> bytes;
  if (failed(llvmModule) || failed((*llvmModule)->generate(llvm::CodeGenFileType::AssemblyFile, bytes)))
    return failure();
  os.write(bytes.data(), bytes.size());
  return success();
}

LogicalResult printLlvm(ModuleOp module, const jit::Target &target, llvm::raw_ostream &os) {
  FailureOr<std::unique_ptr<LlvmModule>> llvmModule = LlvmModule::create(module, target);
  if (failed(llvmModule))
    return failure();
  (*llvmModule)->ir().print(os, nullptr);
  return success();
}

} // namespace kiln::host
