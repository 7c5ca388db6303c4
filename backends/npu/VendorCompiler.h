// VendorCompiler.h: bishengir-opt of AscendNPU-IR 1.2.0, an optional tool that judges our HIVM; always a
// child process, since it crashes on some input.
#ifndef KILN_BACKENDS_NPU_VENDORCOMPILER_H
#define KILN_BACKENDS_NPU_VENDORCOMPILER_H

#include "kiln/Status.h"

#include <chrono>
#include <string>
#include <vector>

namespace kiln::npu {

/// How one run of the tool ended, and all that it wrote. Plain data.
struct VendorRun {
  int exitCode = -1;   // -1: it did not exit
  int signal = 0;      // that ended it; SIGKILL after the time limit
  bool isLate = false; // the time limit was over
  std::string output, errors;
};

/// A tool that was found and whose version is the one that HIVM text is written for.
class VendorCompiler {
public:
  static constexpr std::string_view kVersion = "1.2.0";

  /// Looks in `configured` (option `ascendnpu-ir`: the tool or a folder with it, itself or in its bin), then
  /// on PATH, then in the virtual environment beside the build's libraries. NotFound, or FailedPrecondition
  /// for another version, with the reason; a `configured` place that does not hold is not made up for
  /// elsewhere.
  static Result<VendorCompiler> find(const std::string &configured);

  const std::string &path() const { return thePath; }

  /// Runs the tool with `input` as its standard input. Unavailable if it cannot be started; every other end
  /// is a VendorRun. Thread-safe.
  Result<VendorRun> run(const std::vector<std::string> &arguments, std::string_view input,
                        std::chrono::milliseconds limit) const;

private:
  explicit VendorCompiler(std::string path) : thePath(std::move(path)) {}
  std::string thePath;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_VENDORCOMPILER_H
