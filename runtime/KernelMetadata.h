// KernelMetadata.h: a compiled kernel as bytes: its metadata, readable without a compiler, and the device's
// object.
#ifndef KILN_RUNTIME_KERNELMETADATA_H
#define KILN_RUNTIME_KERNELMETADATA_H

#include "runtime/Bytes.h"
#include "runtime/Expression.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// A target as programs and kernels record it.
struct TargetDescription {
  std::string deviceType, triple, arch, features, options;
  uint64_t storageTypes = 0, arithmeticTypes = 0; // as the backend says now; not recorded
};

/// What a program carries of a kernel before it is compiled: MLIR bytecode and its SHA-256; may be empty.
struct KernelIr {
  std::string_view bytecode, digest;
};

enum class BindingKind : uint8_t { In, Out, InOut };

/// One buffer argument of a kernel.
struct BindingMetadata {
  BindingKind kind = BindingKind::In;
  KilnDType dtype = KILN_DTYPE_INVALID;
  uint32_t alignmentBytes = 1;
  Expression bytes; // the least length; absent: not checked
};

/// What a KernelObject says of itself. Plain data.
struct KernelMetadata {
  std::string key, name, format, symbol, requiredFeatures, codeTemplate;
  TargetDescription target;
  std::vector<BindingMetadata> bindings;
  uint32_t constantCount = 0;
  Expression workspaceBytes, flops, trafficBytes;
  std::vector<Expression> grid; // up to three
  uint64_t compileUs = 0;
};

/// A compiled kernel in memory: a verified KernelObject flatbuffer.
/// Ownership: shares its bytes. Threads: immutable.
class CompiledKernel {
public:
  /// Verifies and decodes; `what` names the kernel in errors. Bytes that are not aligned for reading are
  /// copied. DataLoss: no well-formed flatbuffer; InvalidArgument: contents that contradict themselves.
  static Result<std::shared_ptr<const CompiledKernel>> parse(OwnedBytes bytes, std::string_view what);

  const KernelMetadata &metadata() const { return theMetadata; }
  /// The whole flatbuffer, as caches and program files keep it.
  const OwnedBytes &bytes() const { return theBytes; }
  /// The device's own object file.
  ByteSpan object() const { return theObject; }
  /// Which op of the kernel the code from an offset on belongs to; sorted by offset.
  std::span<const KilnPcEntry> pcTable() const { return thePcTable; }

private:
  CompiledKernel() = default;
  OwnedBytes theBytes;
  ByteSpan theObject;
  KernelMetadata theMetadata;
  std::vector<KilnPcEntry> thePcTable;
};

using CompiledKernelRef = std::shared_ptr<const CompiledKernel>;

} // namespace kiln
#endif // KILN_RUNTIME_KERNELMETADATA_H
