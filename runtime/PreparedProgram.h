// PreparedProgram.h: a program on a device: decoded, with its constants there and its kernels as they are
// needed.
#ifndef KILN_RUNTIME_PREPAREDPROGRAM_H
#define KILN_RUNTIME_PREPAREDPROGRAM_H

#include "runtime/ProgramCode.h"
#include "runtime/ProgramFile.h"

#include <functional>
#include <unordered_map>

namespace kiln {

/// Where a program's kernels and constants come from.
struct ProgramSources {
  /// The kernel of an index, loaded on the program's device; compiles if it must. Required.
  std::function<Result<LoadedKernelRef>(uint32_t kernel)> kernel;
  /// A constant on the device, for one that the program file does not hold itself, or that others share.
  /// Required.
  std::function<Result<Buffer>(uint32_t constant)> constant;
  /// Persistent buffers as an earlier run of the prologue left them, by program buffer: all of them, or none,
  /// and then the prologue runs.
  std::unordered_map<uint32_t, Buffer> packed;
};

/// Ownership: owns code, constants' references and kernels; keeps device and file alive.
/// Threads:   one thread at a time, together with the Interpreter that runs it.
class PreparedProgram {
public:
  /// Resolves every constant that is used; kernels stay unresolved. Packed buffers that do not fit the
  /// program are left out: its prologue runs.
  static Result<std::unique_ptr<PreparedProgram>> create(ProgramFileRef file, std::shared_ptr<Device> device,
                                                         ProgramSources sources);

  ProgramCode &code() { return theCode; }
  const ProgramCode &code() const { return theCode; }
  const ProgramFileRef &file() const { return theFile; }
  Device &device() const { return *theDevice; }
  /// Empty if only the prologue uses it and does not run.
  const Buffer &constant(uint32_t index) const { return constants[index]; }
  bool isPacked() const { return !sources.packed.empty(); }
  const Buffer &packed(uint32_t buffer) const { return sources.packed.at(buffer); }

  /// Fills the launch's inline handle and checks that the kernel fits the launch: counts of bindings and
  /// constants, no write to a buffer that is read-only. `inPrologue`: persistent buffers may be written.
  Status resolve(LaunchInstruction &launch, bool inPrologue);
  /// The same for all launches.
  Status resolveAll();

private:
  PreparedProgram(ProgramFileRef file, std::shared_ptr<Device> device, ProgramSources sources);
  const ProgramFileRef theFile;
  const std::shared_ptr<Device> theDevice;
  bool packedFits() const;
  ProgramSources sources;
  ProgramCode theCode;
  std::vector<Buffer> constants;
  std::vector<LoadedKernelRef> kernels; // by kernel index; null until resolved
};

/// `'conv_1' (model.onnx: node 'conv_1')`, for messages.
std::string describeLaunch(const LaunchInstruction &launch);

} // namespace kiln
#endif // KILN_RUNTIME_PREPAREDPROGRAM_H
