// KernelHarness.h: compiles kernel text through the host's stages, loads the object, runs it on arrays.
#ifndef KILN_BACKENDS_HOST_TEST_CODEGEN_KERNELHARNESS_H
#define KILN_BACKENDS_HOST_TEST_CODEGEN_KERNELHARNESS_H

#include "kiln/jit/StageRegistry.h"

#include <functional>

#include <gtest/gtest.h>

namespace llvm::orc {
class LLJIT; // its header takes three seconds to compile
} // namespace llvm::orc

namespace kiln::host::test {

/// "[1, 2]".
std::string list(const std::vector<int64_t> &values);

/// An array in host memory: element type, extents, bytes. Values go in and out as double (exact for f16,
/// bf16, f32 and integers up to 53 bits).
class Array {
public:
  Array(KilnDType dtype, std::vector<int64_t> shape);
  static Array of(KilnDType dtype, std::vector<int64_t> shape, const std::vector<double> &values);
  /// Pseudo-random values in [low, high], the same for a seed everywhere.
  static Array random(KilnDType dtype, std::vector<int64_t> shape, double low, double high,
                      uint32_t seed = 1);

  KilnDType dtype() const { return theType; }
  const std::vector<int64_t> &shape() const { return theShape; }
  int64_t size() const;
  double get(int64_t index) const;
  void set(int64_t index, double value);
  std::vector<double> values() const;
  /// In the middle of a guarded block, aligned to the element only: kernels may assume no more.
  void *data() { return bytes.data() + kGuard + theOffset; }
  /// Whether nothing was written around the array.
  bool guardsIntact() const;

private:
  static constexpr size_t kGuard = 256;
  KilnDType theType;
  std::vector<int64_t> theShape;
  size_t theOffset;
  std::vector<unsigned char> bytes;
};

/// What kernels are compiled for in tests: the features of x86-64-v3 or v4.
jit::Target testTarget(llvm::StringRef arch);
/// The architectures that this machine can run, of {"x86-64-v3", "x86-64-v4"}.
std::vector<std::string> runnableArchs();

/// One compiled and loaded kernel. Owns its code; run() may be called from several threads.
class Kernel {
public:
  Kernel();
  ~Kernel();
  /// `text` is a module with one kiln.kernel, or one func.func of linalg with attribute kiln.kernel. On
  /// failure the result is null and *error holds the diagnostics.
  static std::unique_ptr<Kernel> compile(llvm::StringRef text, llvm::StringRef arch = "x86-64-v3",
                                         std::string *error = nullptr);
  /// Runs all tiles, `split` at a time (0: all at once). `index` are the kernel's index arguments.
  void run(std::vector<Array *> bindings, std::vector<int64_t> index = {}, int64_t split = 0);
  int64_t tiles(const std::vector<Array *> &bindings, const std::vector<int64_t> &index = {}) const;

  const jit::KernelObjectBuilder &object() const { return builder; }
  double compileMs() const { return theCompileMs; }
  using Entry = void (*)(void *const *, const int64_t *, void *, int64_t, int64_t);
  Entry fn() const { return reinterpret_cast<Entry>(entry); }
  std::string assembly() const { return theAssembly; }

private:
  std::vector<int64_t> constants(const std::vector<Array *> &bindings,
                                 const std::vector<int64_t> &index) const;

  jit::KernelObjectBuilder builder;
  std::vector<std::vector<int64_t>> shapes; // of the bindings' types; -1 is dynamic
  std::unique_ptr<llvm::orc::LLJIT> engine;
  void *entry = nullptr;
  double theCompileMs = 0;
  std::string theAssembly;
};

/// compile(), failing the test with the diagnostics.
std::unique_ptr<Kernel> compileOrFail(llvm::StringRef text, llvm::StringRef arch = "x86-64-v3");

/// Every element within atol + rtol * |want|; NaN equals NaN, infinities match by sign. Reports the worst.
testing::AssertionResult closeTo(const Array &got, const std::vector<double> &want, double rtol, double atol);

/// "tensor<2x?xf32>"; an extent below 0 is dynamic.
std::string tensorType(KilnDType dtype, const std::vector<int64_t> &shape);
/// A kernel @k of arguments %a0, %a1, ... of `types`, the lines of `body`, which define %r, and %r's type.
std::string kernelText(const std::vector<std::string> &types, const std::string &body,
                       const std::string &resultType);

/// Calls `visit` with every index of `shape`, row-major.
void forEachIndex(const std::vector<int64_t> &shape,
                  const std::function<void(const std::vector<int64_t> &)> &visit);
/// The row-major position of `index` in `shape`.
int64_t position(const std::vector<int64_t> &shape, const std::vector<int64_t> &index);

int64_t evaluate(const jit::LaunchExpr &expr, const std::vector<int64_t> &constants);

} // namespace kiln::host::test
#endif // KILN_BACKENDS_HOST_TEST_CODEGEN_KERNELHARNESS_H
