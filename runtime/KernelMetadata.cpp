// KernelMetadata.cpp: FlatBuffers' verifier first, then what it cannot know.
#include "runtime/KernelMetadata.h"

#include "runtime/DType.h"
#include "runtime/Error.h"

#include "kiln/schema/Kernel_generated.h"
#include "runtime/SchemaText.h"

#include <algorithm>
#include <bit>

namespace kiln {

namespace {

constexpr uint32_t kMetadataVersion = 1;
constexpr size_t kMaxBindings = 4096;
constexpr size_t kMaxConstants = 4096;
constexpr size_t kMaxGrid = 3;
constexpr size_t kReadAlignment = 8; // of the widest field in Kernel.fbs

TargetDescription decodeTarget(const schema::Target *target) {
  if (!target)
    return {};
  return {text(target->device_type()), text(target->triple()), text(target->arch()), text(target->features()),
          text(target->options())};
}

Result<BindingMetadata> decodeBinding(const schema::BindingInfo &info, uint32_t constantCount,
                                      std::string_view where) {
  if (info.kind() > schema::BindingKind::MAX)
    return invalidArgument("{}: kind {}; the last known is {}", where, static_cast<int>(info.kind()),
                           static_cast<int>(schema::BindingKind::MAX));
  BindingMetadata binding;
  binding.kind = static_cast<BindingKind>(info.kind());
  binding.dtype = static_cast<KilnDType>(info.dtype());
  if (!isKnownDType(binding.dtype))
    return invalidArgument("{}: element type {}; expected a known one", where, binding.dtype);
  binding.alignmentBytes = info.alignment_bytes();
  if (!std::has_single_bit(binding.alignmentBytes))
    return invalidArgument("{}: alignment {}; expected a power of two", where, binding.alignmentBytes);
  KILN_ASSIGN_OR_RETURN(binding.bytes,
                        Expression::decode(info.bytes(), constantCount, fmt::format("{} bytes", where)));
  return binding;
}

Result<KernelMetadata> decodeMetadata(const schema::KernelObject &object, std::string_view what) {
  if (object.version() != kMetadataVersion)
    return invalidArgument("{}: version {}; expected {}", what, object.version(), kMetadataVersion);
  KernelMetadata metadata;
  metadata.key = text(object.key());
  metadata.name = text(object.name());
  metadata.format = text(object.format());
  metadata.symbol = text(object.symbol());
  metadata.requiredFeatures = text(object.required_features());
  metadata.codeTemplate = text(object.template_());
  metadata.target = decodeTarget(object.target());
  metadata.compileUs = object.compile_us();
  metadata.constantCount = object.constant_count();
  if (metadata.constantCount > kMaxConstants)
    return invalidArgument("{}: {} constants; at most {}", what, metadata.constantCount, kMaxConstants);
  if (object.bindings()) {
    if (object.bindings()->size() > kMaxBindings)
      return invalidArgument("{}: {} bindings; at most {}", what, object.bindings()->size(), kMaxBindings);
    for (uint32_t i = 0; i < object.bindings()->size(); ++i) {
      KILN_ASSIGN_OR_RETURN(BindingMetadata binding,
                            decodeBinding(*object.bindings()->Get(i), metadata.constantCount,
                                          fmt::format("{}: binding {}", what, i)));
      metadata.bindings.push_back(std::move(binding));
    }
  }
  auto decode = [&](const schema::Expr *expr, std::string_view part) {
    return Expression::decode(expr, metadata.constantCount, fmt::format("{}: {}", what, part));
  };
  KILN_ASSIGN_OR_RETURN(metadata.workspaceBytes, decode(object.workspace_bytes(), "workspace"));
  KILN_ASSIGN_OR_RETURN(metadata.flops, decode(object.flops(), "flops"));
  KILN_ASSIGN_OR_RETURN(metadata.trafficBytes, decode(object.traffic_bytes(), "traffic"));
  if (object.grid()) {
    if (object.grid()->size() > kMaxGrid)
      return invalidArgument("{}: {} grid dimensions; at most {}", what, object.grid()->size(), kMaxGrid);
    for (uint32_t i = 0; i < object.grid()->size(); ++i) {
      KILN_ASSIGN_OR_RETURN(Expression extent, decode(object.grid()->Get(i), fmt::format("grid {}", i)));
      metadata.grid.push_back(extent.present() ? std::move(extent) : Expression::literal(1));
    }
  }
  return metadata;
}

} // namespace

Result<CompiledKernelRef> CompiledKernel::parse(OwnedBytes bytes, std::string_view what) {
  if (bytes.bytes.size() < kMinFlatbufferBytes || bytes.bytes.size() > kMaxFlatbufferBytes)
    return dataLoss("{}: {} bytes; expected a kernel object", what, bytes.bytes.size());
  if (reinterpret_cast<uintptr_t>(bytes.bytes.data()) % kReadAlignment != 0)
    bytes = copyBytes(bytes.bytes);
  flatbuffers::Verifier verifier(bytes.bytes.data(), bytes.bytes.size());
  if (!schema::VerifyKernelObjectBuffer(verifier))
    return dataLoss("{}: {} bytes that are no well-formed kernel object", what, bytes.bytes.size());
  const schema::KernelObject &root = *schema::GetKernelObject(bytes.bytes.data());
  auto kernel = std::shared_ptr<CompiledKernel>(new CompiledKernel());
  KILN_ASSIGN_OR_RETURN(kernel->theMetadata, decodeMetadata(root, what));
  if (root.object())
    kernel->theObject = ByteSpan(root.object()->data(), root.object()->size());
  if (root.pc_table())
    for (const schema::PcEntry *entry : *root.pc_table())
      kernel->thePcTable.push_back({entry->pc(), entry->op()});
  if (!std::ranges::is_sorted(kernel->thePcTable, {}, &KilnPcEntry::pc))
    return invalidArgument("{}: the table of program counters is not sorted", what);
  kernel->theBytes = std::move(bytes);
  return CompiledKernelRef(std::move(kernel));
}

} // namespace kiln
