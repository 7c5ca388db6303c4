// ProgramTables.cpp: constants by digest, kernels by symbol.
#include "jit/ProgramTables.h"

#include "jit/Elements.h"
#include "kiln/jit/Outline.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
// A splat of more bytes is filled on the device instead of being stored.
constexpr int64_t kMaxStoredSplatBytes = 4096;
} // namespace

OwningOpRef<ModuleOp> kiln::jit::kernelModule(KernelOp kernel) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(opNumberLocation(kernel.getContext(), 0));
  auto copy = cast<KernelOp>(kernel->clone());
  copy.setName(kernelBaseName(copy));
  module->push_back(copy);
  return module;
}

uint32_t ProgramTables::addBuffer(schema::BufferKind kind, uint32_t index, Number offset, Number bytes) {
  auto buffer = std::make_unique<schema::BufferT>();
  buffer->kind = kind;
  buffer->index = index;
  buffer->offset = std::make_unique<schema::Operand>(offset.operand());
  buffer->bytes = std::make_unique<schema::Operand>(bytes.operand());
  program.buffers.push_back(std::move(buffer));
  return program.buffers.size() - 1;
}

uint32_t ProgramTables::constantBuffer(StringRef digest, uint64_t bytes, StringRef name,
                                       StringRef inlineData) {
  auto [it, isNew] = constants.try_emplace(digest, 0);
  if (!isNew)
    return it->second;
  auto constant = std::make_unique<schema::ConstantT>();
  constant->digest = digest.str();
  constant->bytes = bytes;
  constant->name = name.str();
  constant->inline_data.assign(inlineData.bytes_begin(), inlineData.bytes_end());
  program.constants.push_back(std::move(constant));
  return it->second = addBuffer(schema::BufferKind::Constant, program.constants.size() - 1);
}

Result<uint32_t> ProgramTables::addConstant(Operation *op, schema::BlockT &prologue) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t bytes = byteSize(type);
  if (bytes == 0)
    return addBuffer(schema::BufferKind::Persistent, 0);
  if (auto weight = dyn_cast<WeightOp>(op))
    return constantBuffer(weight.getDigest(), bytes, weight.getLabel().value_or(""), "");
  ElementsAttr value = cast<ConstantOp>(op).getValue();
  std::optional<uint64_t> pattern = splatPattern(value);
  if (pattern && bytes > kMaxStoredSplatBytes) {
    uint32_t buffer = addBuffer(schema::BufferKind::Persistent, 0, {}, Number{bytes});
    schema::FillT fill;
    fill.to = std::make_unique<schema::Range>(buffer, schema::Operand(0, false), schema::Operand(-1, false));
    fill.pattern = *pattern;
    fill.pattern_bytes = dtypeBits(elementDType(type.getElementType())) / 8;
    fill.bytes = std::make_unique<schema::Operand>(bytes, false);
    append(prologue, std::move(fill));
    return buffer;
  }
  KILN_ASSIGN_OR_RETURN(std::string data, constantBytes(value));
  return constantBuffer(sha256Hex(data), data.size(), "", data);
}

uint32_t ProgramTables::addKernel(KernelOp kernel) {
  auto [it, isNew] = kernels.try_emplace(kernel, 0);
  if (!isNew)
    return it->second;
  OwningOpRef<ModuleOp> module = kernelModule(kernel);
  std::string ir;
  {
    llvm::raw_string_ostream stream(ir);
    BytecodeWriterConfig config("kiln");
    (void)writeBytecodeToFile(*module, stream, config); // fails for unknown dialect versions only
  }
  auto ref = std::make_unique<schema::KernelRefT>();
  KernelKey key = kernelKey(canonicalKernelText(*module), *request.targetKey);
  ref->key = std::move(key.hex);
  ref->key_fields = std::move(key.fields);
  ref->name = kernel.getName().str();
  ref->ir.assign(ir.begin(), ir.end());
  ref->ir_digest = sha256Hex(ir);
  program.kernels.push_back(std::move(ref));
  return it->second = program.kernels.size() - 1;
}

uint32_t ProgramTables::addPort(bool isOutput, const ModelPort &port, llvm::ArrayRef<Number> dims) {
  auto &ports = isOutput ? program.outputs : program.inputs;
  auto entry = std::make_unique<schema::PortT>();
  entry->name = port.name;
  entry->dtype = static_cast<schema::DType>(port.dtype);
  for (Number dim : dims)
    entry->dims.push_back(dim.operand());
  entry->dim_names = port.dimNames;
  entry->dim_names.resize(dims.size());
  entry->buffer = addBuffer(isOutput ? schema::BufferKind::Output : schema::BufferKind::Input, ports.size());
  ports.push_back(std::move(entry));
  return ports.back()->buffer;
}
