// FakeRuntime.h: an instance over a fake device and a fake compiler, for tests of sessions and the C API.
#ifndef KILN_TESTS_UNIT_RUNTIME_FAKERUNTIME_H
#define KILN_TESTS_UNIT_RUNTIME_FAKERUNTIME_H

#include "runtime/CApi.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <atomic>

namespace kiln::testing {

/// A compiler with one model: `y = x * w`, x: f32[N] (N dynamic), w a weight of max(N) ones times 2 that is
/// handed over, not inline. Kernels come with IR and are "compiled" to the fake device's "mul". Ownership: a
/// test owns it. Threads: compile_kernel from any thread, the rest from one.
class FakeCompiler {
public:
  FakeCompiler();
  const KilnCompiler &table() const { return theTable; }

  bool refusesDynamic = false, kernelPerShape = false;
  bool needsShapes = false; // an import for each set of shapes, none for -1
  KilnDType importPrecision = 0;
  std::string importShapes;                 // that the last import was asked for, "x=2x3 "
  std::function<void()> onBuild, onCompile; // called while a program is built, a kernel compiled
  Status importFailure, compileFailure;
  std::atomic<int> imports{0}, programs{0}, compiles{0}, modelsAlive{0}, dynamicRequests{0}, shapedImports{0};
  std::vector<float> weights; // 64 of them; aligned by the vector only

private:
  KilnCompiler theTable = {};
};

/// Backends without libraries: one device type, one loader.
class FakeBackends final : public BackendAccess {
public:
  explicit FakeBackends(FakeDevice &fake) : fake(fake) {}
  const KilnHost &host() const override { return hostTable(); }
  Result<DeviceChoice> resolve(std::string_view device) override;
  Result<std::vector<DeviceChoice>> devices() override;
  Result<std::shared_ptr<const DeviceType>> deviceType(std::string_view type) override;
  Status retry(std::string_view) override { return Status(Code::NotFound, "no backends"); }
  Result<std::shared_ptr<const KernelLoader>> kernelLoader(std::string_view backend, std::string_view format,
                                                           std::string_view options) override;
  Status checkOptions(std::string_view backend, std::string_view options) override;
  std::string version(std::string_view) override { return "1"; }
  Result<std::string_view> deviceOwner(std::string_view) override {
    return Status(Code::NotFound, "no device types");
  }
  Result<KilnBackendCompilerQueryFn> compilerQuery(std::string_view backend) override;
  std::vector<std::string> compilerBackends() override { return {"fake"}; }
  std::vector<BackendRegistry::Extension> extensions(std::string_view target) override {
    return {{"other", std::string(target), "tensor", true}};
  }
  Status addKernelLoader(KernelLoader loader) override { return extraLoaders.push_back(loader), Status(); }
  std::vector<KernelLoader> extraLoaders;

private:
  FakeDevice &fake;
};

/// Everything together. Kernel "mul" multiplies elementwise.
struct FakeRuntime {
  explicit FakeRuntime(KernelBudget budget = {}, std::shared_ptr<CacheStack> cache = nullptr);
  FakeDevice device;
  FakeCompiler fakeCompiler;
  FakeBackends backends{device};
  CompilerHandle compiler{fakeCompiler.table()};
  KilnInstance instance;
};

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_RUNTIME_FAKERUNTIME_H
