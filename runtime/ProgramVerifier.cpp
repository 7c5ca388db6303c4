// ProgramVerifier.cpp: FlatBuffers' verifier, then the tables, then the blocks (BlockVerifier.cpp).
#include "runtime/ProgramVerifier.h"

#include "runtime/BlockVerifier.h"
#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/SchemaText.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Program_generated.h"

#include <cmath>

namespace kiln {

namespace {

constexpr uint32_t kProgramVersion = 1;
constexpr uint32_t kMaxRank = 16;            // KILN_MAX_RANK
constexpr uint32_t kMaxRegisters = 1u << 20; // 8 MB of them
constexpr uint64_t kConstantAlignment = 64;

/// One program's tables, in the order in which they depend on each other. Used once.
class TableVerifier {
public:
  TableVerifier(const schema::Program &program, const OwnedBytes &bytes,
                const ProgramVerifierOptions &options)
      : program(program), bytes(bytes), options(options) {}

  Status verify() {
    if (program.register_count() > kMaxRegisters)
      return invalidArgument("program: {} registers; at most {}", program.register_count(), kMaxRegisters);
    tables.program = &program;
    tables.registerCount = program.register_count();
    KILN_RETURN_IF_ERROR(
        verifyOperandOf(program.arena_bytes(), tables.registerCount, 0, "bytes", "program: arena"));
    KILN_RETURN_IF_ERROR(verifyPorts(program.inputs(), schema::BufferKind::Input));
    KILN_RETURN_IF_ERROR(verifyPorts(program.outputs(), schema::BufferKind::Output));
    KILN_RETURN_IF_ERROR(verifyConstants());
    KILN_RETURN_IF_ERROR(verifyBuffers());
    KILN_RETURN_IF_ERROR(verifyKernels());
    KILN_RETURN_IF_ERROR(BlockVerifier(tables, BlockRole::Setup).verify(program.setup(), "setup"));
    KILN_RETURN_IF_ERROR(BlockVerifier(tables, BlockRole::Prologue).verify(program.prologue(), "prologue"));
    KILN_RETURN_IF_ERROR(BlockVerifier(tables, BlockRole::Body).verify(program.body(), "body"));
    return verifyChecks();
  }

  std::vector<CompiledKernelRef> takeKernels() { return std::move(tables.kernels); }

private:
  using Ports = flatbuffers::Vector<flatbuffers::Offset<schema::Port>>;

  Status verifyPorts(const Ports *ports, schema::BufferKind kind) {
    for (uint32_t i = 0; i < sizeOf(ports); ++i) {
      const schema::Port &port = *ports->Get(i);
      std::string place = fmt::format("{} {} ('{}')", kind == schema::BufferKind::Input ? "input" : "output",
                                      i, view(port.name()));
      if (!isKnownDType(static_cast<KilnDType>(port.dtype())))
        return invalidArgument("{}: element type {}; expected a known one", place,
                               static_cast<uint32_t>(port.dtype()));
      if (sizeOf(port.dims()) > kMaxRank)
        return invalidArgument("{}: rank {}; at most {}", place, port.dims()->size(), kMaxRank);
      for (uint32_t d = 0; d < sizeOf(port.dims()); ++d)
        KILN_RETURN_IF_ERROR(verifyOperandOf(port.dims()->Get(d), tables.registerCount, 0,
                                             fmt::format("extent {}", d), place));
      if (port.dim_names() && port.dim_names()->size() != sizeOf(port.dims()))
        return invalidArgument("{}: {} names for {} extents", place, port.dim_names()->size(),
                               sizeOf(port.dims()));
      if (port.buffer() >= sizeOf(program.buffers()))
        return invalidArgument("{}: buffer {}; the program has {}", place, port.buffer(),
                               sizeOf(program.buffers()));
      const schema::Buffer &buffer = *program.buffers()->Get(port.buffer());
      if (buffer.kind() != kind || buffer.index() != i)
        return invalidArgument("{}: buffer {} is {} {}; expected {} {}", place, port.buffer(),
                               schema::EnumNameBufferKind(buffer.kind()), buffer.index(),
                               schema::EnumNameBufferKind(kind), i);
    }
    return {};
  }

  Status verifyConstants() {
    for (uint32_t i = 0; i < sizeOf(program.constants()); ++i) {
      const schema::Constant &constant = *program.constants()->Get(i);
      std::string place = fmt::format("constant {} ('{}')", i, view(constant.name()));
      if (!Sha256::isHexDigest(view(constant.digest())))
        return invalidArgument("{}: digest '{}'; expected 64 lower-case hex digits", place,
                               view(constant.digest()));
      if (constant.bytes() == 0)
        continue; // a tensor without elements
      if (constant.inline_data()) {
        const auto &data = *constant.inline_data();
        if (constant.file_offset() != 0)
          return invalidArgument("{}: both inline and at file offset {}", place, constant.file_offset());
        if (data.size() != constant.bytes())
          return invalidArgument("{}: {} inline bytes; expected {}", place, data.size(), constant.bytes());
        if (reinterpret_cast<uintptr_t>(data.data()) % kConstantAlignment != 0)
          return invalidArgument("{}: inline bytes at an odd place; expected a multiple of {}", place,
                                 kConstantAlignment);
        if (std::string digest = Sha256::of(ByteSpan(data.data(), data.size()));
            digest != view(constant.digest()))
          return dataLoss("{}: bytes have digest {}; expected {}", place, digest, view(constant.digest()));
      } else if (constant.file_offset() != 0) {
        if (constant.file_offset() > options.file.size() ||
            constant.bytes() > options.file.size() - constant.file_offset())
          return invalidArgument("{}: bytes [{}, +{}) of the file; it has {}", place, constant.file_offset(),
                                 constant.bytes(), options.file.size());
        if (constant.file_offset() % kConstantAlignment != 0)
          return invalidArgument("{}: file offset {}; expected a multiple of {}", place,
                                 constant.file_offset(), kConstantAlignment);
      }
    }
    return {};
  }

  Status verifyBuffers() {
    for (uint32_t i = 0; i < sizeOf(program.buffers()); ++i) {
      KILN_ASSIGN_OR_RETURN(std::optional<uint64_t> known,
                            knownBytes(*program.buffers()->Get(i), i, fmt::format("buffer {}", i)));
      tables.bufferBytes.push_back(known);
    }
    return {};
  }

  // A buffer's length, nothing if only the run knows it.
  Result<std::optional<uint64_t>> knownBytes(const schema::Buffer &buffer, uint32_t index,
                                             const std::string &place) {
    if (buffer.kind() > schema::BufferKind::MAX)
      return invalidArgument("{}: kind {}; the last known is {}", place, static_cast<int>(buffer.kind()),
                             static_cast<int>(schema::BufferKind::MAX));
    switch (buffer.kind()) {
    case schema::BufferKind::Input:
      return portBytes(program.inputs(), buffer.index(), index, place);
    case schema::BufferKind::Output:
      return portBytes(program.outputs(), buffer.index(), index, place);
    case schema::BufferKind::Constant:
      if (buffer.index() >= sizeOf(program.constants()))
        return invalidArgument("{}: constant {}; the program has {}", place, buffer.index(),
                               sizeOf(program.constants()));
      return std::optional<uint64_t>(program.constants()->Get(buffer.index())->bytes());
    case schema::BufferKind::Arena:
      return arenaBytes(buffer, place);
    case schema::BufferKind::Dynamic:
      break;
    case schema::BufferKind::Persistent:
      KILN_RETURN_IF_ERROR(verifyOperandOf(buffer.bytes(), tables.registerCount, 0, "bytes", place));
      if (buffer.bytes()->is_register())
        return invalidArgument(
            "{}: bytes in register {}; a persistent buffer is filled before there are inputs", place,
            buffer.bytes()->value());
      return std::optional<uint64_t>(buffer.bytes()->value());
    }
    return std::optional<uint64_t>();
  }

  Result<std::optional<uint64_t>> portBytes(const Ports *ports, uint32_t index, uint32_t buffer,
                                            const std::string &place) {
    if (index >= sizeOf(ports) || ports->Get(index)->buffer() != buffer)
      return invalidArgument("{}: {} {} does not refer back to it", place,
                             ports == program.inputs() ? "input" : "output", index);
    std::vector<int64_t> dims;
    const schema::Port &port = *ports->Get(index);
    for (uint32_t d = 0; d < sizeOf(port.dims()); ++d) {
      if (port.dims()->Get(d)->is_register())
        return std::optional<uint64_t>();
      dims.push_back(port.dims()->Get(d)->value());
    }
    std::optional<uint64_t> result = denseBytes(static_cast<KilnDType>(port.dtype()), dims);
    if (!result)
      return invalidArgument("{}: extents of '{}' overflow", place, view(port.name()));
    return result;
  }

  Result<std::optional<uint64_t>> arenaBytes(const schema::Buffer &buffer, const std::string &place) {
    KILN_RETURN_IF_ERROR(verifyOperandOf(buffer.offset(), tables.registerCount, 0, "offset", place));
    KILN_RETURN_IF_ERROR(verifyOperandOf(buffer.bytes(), tables.registerCount, 0, "bytes", place));
    std::optional<uint64_t> result;
    if (buffer.bytes()->is_register())
      return result;
    result = static_cast<uint64_t>(buffer.bytes()->value());
    if (buffer.offset()->is_register() || program.arena_bytes()->is_register())
      return result;
    uint64_t end = static_cast<uint64_t>(buffer.offset()->value()) + *result; // both below 2^63
    if (end > static_cast<uint64_t>(program.arena_bytes()->value()))
      return invalidArgument("{}: bytes [{}, {}) of the arena; it has {}", place, buffer.offset()->value(),
                             end, program.arena_bytes()->value());
    return result;
  }

  Status verifyKernels() {
    for (uint32_t i = 0; i < sizeOf(program.kernels()); ++i) {
      const schema::KernelRef &ref = *program.kernels()->Get(i);
      std::string place = fmt::format("kernel {} ('{}')", i, view(ref.name()));
      if (!Sha256::isHexDigest(view(ref.key())))
        return invalidArgument("{}: key '{}'; expected 64 lower-case hex digits", place, view(ref.key()));
      CompiledKernelRef kernel;
      if (ref.object()) {
        OwnedBytes object = {ByteSpan(ref.object()->data(), ref.object()->size()), bytes.owner};
        KILN_ASSIGN_OR_RETURN(kernel, CompiledKernel::parse(std::move(object), place));
        KILN_RETURN_IF_ERROR(verifyEmbedded(*kernel, ref, place));
      }
      tables.kernels.push_back(std::move(kernel));
    }
    return {};
  }

  Status verifyEmbedded(const CompiledKernel &kernel, const schema::KernelRef &ref,
                        const std::string &place) {
    const KernelMetadata &metadata = kernel.metadata();
    if (!metadata.key.empty() && metadata.key != view(ref.key()))
      return invalidArgument("{}: embedded object has key {}; expected {}", place, metadata.key,
                             view(ref.key()));
    if (metadata.target.deviceType != view(program.target()->device_type()))
      return invalidArgument("{}: embedded object is for device type '{}'; the program is for '{}'", place,
                             metadata.target.deviceType, view(program.target()->device_type()));
    return {};
  }

  Status verifyChecks() {
    for (uint32_t i = 0; i < sizeOf(program.checks()); ++i) {
      const schema::Check &check = *program.checks()->Get(i);
      if (check.kind() > schema::CheckKind::MAX)
        return invalidArgument("check {}: kind {}; the last known is {}", i, static_cast<int>(check.kind()),
                               static_cast<int>(schema::CheckKind::MAX));
      if (check.got() >= sizeOf(program.outputs()) || check.want() >= sizeOf(program.outputs()))
        return invalidArgument("check {}: outputs {} and {}; the program has {}", i, check.got(),
                               check.want(), sizeOf(program.outputs()));
      if (!(check.atol() >= 0 && check.rtol() >= 0) || std::isinf(check.atol()) || std::isinf(check.rtol()))
        return invalidArgument("check {}: atol {}, rtol {}; expected finite numbers >= 0", i, check.atol(),
                               check.rtol());
    }
    return {};
  }

  const schema::Program &program;
  const OwnedBytes &bytes;
  const ProgramVerifierOptions &options;
  ProgramTables tables;
};

} // namespace

bool looksLikeProgram(ByteSpan bytes) {
  return bytes.size() >= kMinFlatbufferBytes && schema::ProgramBufferHasIdentifier(bytes.data());
}

Result<VerifiedProgram> verifyProgram(const OwnedBytes &bytes, const ProgramVerifierOptions &options) {
  if (bytes.bytes.size() < kMinFlatbufferBytes || bytes.bytes.size() > kMaxFlatbufferBytes)
    return dataLoss("program: {} bytes; expected a program flatbuffer of {} to {}", bytes.bytes.size(),
                    kMinFlatbufferBytes, kMaxFlatbufferBytes);
  flatbuffers::Verifier::Options limits;
  limits.max_depth = 8 * BlockVerifier::kMaxNesting; // a nested block is four tables deep
  limits.max_tables = 16'000'000;
  flatbuffers::Verifier verifier(bytes.bytes.data(), bytes.bytes.size(), limits);
  if (!schema::VerifyProgramBuffer(verifier))
    return dataLoss("program: {} bytes that are no well-formed program flatbuffer", bytes.bytes.size());
  const schema::Program &program = *schema::GetProgram(bytes.bytes.data());
  if (program.version() != kProgramVersion)
    return unimplemented("program: version {}; this runtime knows {}", program.version(), kProgramVersion);
  TableVerifier tables(program, bytes, options);
  KILN_RETURN_IF_ERROR(tables.verify());
  return VerifiedProgram{&program, tables.takeKernels()};
}

} // namespace kiln
