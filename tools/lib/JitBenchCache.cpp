// JitBenchCache.cpp: the suite cache: what finding and keeping kernels in files costs, and warm starts.
#include "runtime/ChildProcess.h"
#include "runtime/KernelStore.h"
#include "runtime/Sha256.h"
#include "tools/lib/BenchSampling.h"

#include "kiln/schema/Kernel_generated.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace kiln::tools {
namespace {

constexpr const char *kCacheSuite = "cache";
constexpr size_t kCodeBytes = 16 << 10; // of a usual fused kernel's object
constexpr size_t kKernels = 256;
constexpr std::chrono::milliseconds kCacheTimeout(60000);
constexpr const char *kModel =
    "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %y = kiln.exp %x : tensor<64x64xf32>\n"
    "  %z = kiln.mul %y, %x : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>\n"
    "  return %z : tensor<64x64xf32>\n}\n";

KernelRequest requestOf(size_t i) {
  KernelRequest request(Sha256::of(fmt::format("bench {}", i)));
  request.name = "bench";
  request.deviceType = "bench";
  return request;
}

// Bytes that shrink about as machine code does.
Result<CompiledKernelRef> makeKernel(const KernelRequest &request) {
  schema::KernelObjectT object;
  object.key = request.key;
  object.name = "bench";
  object.format = "bench";
  for (uint32_t x = 1, i = 0; i < kCodeBytes; ++i, x = x * 1664525 + 1013904223)
    object.object.push_back(i % 3 ? static_cast<uint8_t>(i >> 4) : static_cast<uint8_t>(x >> 24));
  flatbuffers::FlatBufferBuilder builder(2 * kCodeBytes);
  schema::FinishKernelObjectBuffer(builder, schema::KernelObject::Pack(builder, &object));
  return CompiledKernel::parse(copyBytes({builder.GetBufferPointer(), builder.GetSize()}), "bench");
}

Result<double> runProcess(const std::vector<std::string> &arguments, const std::filesystem::path &cache,
                          const char *mode) {
  KILN_ASSIGN_OR_RETURN(ChildOutcome outcome, runChild(arguments,
                                                       {fmt::format("KILN_CACHE_DIR={}", cache.string()),
                                                        fmt::format("KILN_CACHE={}", mode)},
                                                       kCacheTimeout));
  if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0)
    return Status(Code::Unavailable, arguments[0] + " " + outcome.describe());
  return static_cast<double>(outcome.wallNs) / 1e3;
}

} // namespace

Status runCacheSuite(const BenchContext &context, BenchReport &report) {
  BenchFolder folder;
  CacheSettings settings;
  settings.mode = CacheMode::ReadWrite;
  settings.folder = (folder.path / "kernels").string();
  std::shared_ptr<CacheStack> stack = CacheStack::open(settings);
  KernelStore store(stack);
  size_t next = 0;
  auto timed = [&](bool mustBeFound) -> Result<double> {
    KernelRequest request = requestOf(next++ % kKernels);
    bool wasFound = false;
    KILN_ASSIGN_OR_RETURN(CompiledKernelRef made, makeKernel(request));
    BenchClock::time_point start = BenchClock::now();
    KILN_RETURN_IF_ERROR(store.get(request, [&] { return Result(made); }, wasFound).status());
    double us = microsecondsSince(start);
    if (wasFound != mustBeFound)
      return Status(Code::Internal, mustBeFound ? "a kernel was not found" : "a kernel was there already");
    return us;
  };
  for (size_t i = 0; i < kKernels; ++i) // every kernel is there before hits are measured
    KILN_RETURN_IF_ERROR(timed(false).status());
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kCacheSuite, "hit: a kernel of 16 KiB from a file, parsed",
                                  [&] { return timed(true); }));
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kCacheSuite, "put: a kernel of 16 KiB", [&]() -> Result<double> {
        std::filesystem::remove_all(settings.folder + "/v1/bench/" +
                                    requestOf(next % kKernels).key.substr(0, 2));
        return timed(false);
      }));
  std::error_code error;
  const std::filesystem::path programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::string model = (folder.path / "model.mlir").string();
  std::ofstream(model) << kModel;
  const std::vector<std::string> command = {(programs / "jit-run").string(), model, "--device=host"};
  if (!context.wants("process: "))
    return {};
  KILN_RETURN_IF_ERROR(runProcess(command, folder.path / "warm", "rw").status());
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kCacheSuite,
                                  "process: jit-run, a small fused kernel, warm",
                                  [&] { return runProcess(command, folder.path / "warm", "require"); }));
  return sampleInto(context, report, kCacheSuite, "process: jit-run, a small fused kernel, cold",
                    [&] { return runProcess(command, folder.path / "cold", "refresh"); });
}

} // namespace kiln::tools
