// JitBenchCache.cpp: the suite cache: what finding and keeping kernels in files costs, and warm starts.
#include "runtime/ChildProcess.h"
#include "runtime/ProgramStore.h"
#include "runtime/Sha256.h"
#include "tools/lib/BenchSampling.h"

#include "kiln/schema/Kernel_generated.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>

namespace kiln::tools {
namespace {

constexpr const char *kCacheSuite = "cache";
constexpr size_t kCodeBytes = 16 << 10; // of a usual fused kernel's object
constexpr size_t kKernels = 256;
constexpr std::chrono::milliseconds kCacheTimeout(600000);
constexpr const char *kInferenceRuns = "--bench=20";
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

Result<ChildOutcome> runProcess(const std::vector<std::string> &arguments, const std::filesystem::path &cache,
                                const char *mode) {
  KILN_ASSIGN_OR_RETURN(ChildOutcome outcome, runChild(arguments,
                                                       {fmt::format("KILN_CACHE_DIR={}", cache.string()),
                                                        fmt::format("KILN_CACHE={}", mode)},
                                                       kCacheTimeout));
  if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0)
    return Status(Code::Unavailable,
                  fmt::format("{} {}: {}", arguments[0], outcome.describe(), outcome.errors));
  return outcome;
}
Result<double> processTime(const std::vector<std::string> &arguments, const std::filesystem::path &cache,
                           const char *mode) {
  KILN_ASSIGN_OR_RETURN(ChildOutcome outcome, runProcess(arguments, cache, mode));
  return static_cast<double>(outcome.wallNs) / 1e3;
}

/// Microseconds to map a file and to read a byte of each of its pages.
Result<double> mapTime(const std::string &path) {
  BenchClock::time_point start = BenchClock::now();
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Status(Code::NotFound, fmt::format("'{}' cannot be opened", path));
  auto size = static_cast<size_t>(info.st_size);
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED)
    return Status(Code::ResourceExhausted, fmt::format("'{}' cannot be mapped", path));
  const auto *bytes = static_cast<const volatile uint8_t *>(memory);
  unsigned sum = 0;
  for (size_t at = 0; at < size; at += kEntryPageBytes)
    sum += bytes[at];
  double us = microsecondsSince(start);
  ::munmap(memory, size);
  return sum == 0 && size == 0 ? 0 : us;
}

/// A kernel that the compiler made, found in a file and loaded on the host, each time by an instance that has
/// it not in memory.
Status runLoadCase(const BenchContext &context, BenchReport &report, CacheSettings settings) {
  const std::string name = "hit: a fused kernel from its file, loaded on the host";
  if (!context.wants(name))
    return {};
  std::string_view text = kModel;
  Model::Options options;
  options.format = "mlir";
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> instance, Instance::create({}, settings));
  KILN_ASSIGN_OR_RETURN(
      ModelRef model,
      Model::load(instance, "", {reinterpret_cast<const uint8_t *>(text.data()), text.size()}, options));
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type, instance->backends().deviceType("host"));
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Device> device, Device::open(*type, {}));
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, device->createQueue());
  CompileSettings compile;
  KILN_ASSIGN_OR_RETURN(compile.target, targetOf(*type, ""));
  compile.backend = type->backend;
  ProgramFileRef program;
  {
    DeviceStore store(*instance, device, compile);
    ProgramStore programs(*instance, store, *queue);
    KILN_ASSIGN_OR_RETURN(LoadedProgramRef loaded,
                          programs.find(model, InputDims{{64, 64}}, /*compileAll=*/true));
    program = loaded->file;
  }
  return sampleInto(context, report, kCacheSuite, name, [&]() -> Result<double> {
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> fresh, Instance::create({}, settings));
    DeviceStore store(*fresh, device, compile);
    BenchClock::time_point start = BenchClock::now();
    KILN_ASSIGN_OR_RETURN(LoadedKernelRef kernel, store.load(*program, 0));
    double us = microsecondsSince(start);
    if (store.counters().layerHits != 1)
      return Status(Code::Internal, "the kernel did not come from its file");
    return us;
  });
}

/// A whole process with --model, beside what it cannot do without: reading its weights, one inference.
Status runModelCases(const BenchContext &context, BenchReport &report, const std::filesystem::path &cache,
                     const std::string &jitRun) {
  const std::string model = context.flags.text("model");
  const std::string file = std::filesystem::path(model).filename().string();
  const std::vector<std::string> command = {jitRun, model, "--device=host",
                                            fmt::format("--threads={}", report.threads)};
  KILN_RETURN_IF_ERROR(processTime(command, cache, "rw").status());
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kCacheSuite, "process: jit-run, " + file + ", warm",
                                  [&] { return processTime(command, cache, "require"); }));
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kCacheSuite, "map: " + file + ", every page read",
                                  [&] { return mapTime(model); }));
  std::vector<std::string> inference = command;
  inference.insert(inference.end(), {"--json", kInferenceRuns});
  return sampleInto(
      context, report, kCacheSuite, "inference: " + file + ", of a warm session", [&]() -> Result<double> {
        KILN_ASSIGN_OR_RETURN(ChildOutcome outcome, runProcess(inference, cache, "require"));
        nlohmann::json json = nlohmann::json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
        if (!json.is_object() || !json.contains("median_ms"))
          return Status(Code::Internal, "jit-run --bench gave no median");
        return json["median_ms"].get<double>() * 1e3;
      });
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
  KILN_RETURN_IF_ERROR(runLoadCase(context, report, settings));
  KILN_ASSIGN_OR_RETURN(CompiledKernelRef kernel, makeKernel(requestOf(0)));
  KILN_RETURN_IF_ERROR(runResidentCases(context, report, settings, kernel));
  std::error_code error;
  const std::filesystem::path programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::string model = (folder.path / "model.mlir").string(), jitRun = (programs / "jit-run").string();
  std::ofstream(model) << kModel;
  const std::vector<std::string> command = {jitRun, model, "--device=host"};
  if (context.flags.given("model"))
    KILN_RETURN_IF_ERROR(runModelCases(context, report, folder.path / "model", jitRun));
  const std::string process = "process: jit-run, a small fused kernel, ";
  if (context.wants(process + "warm"))
    KILN_RETURN_IF_ERROR(processTime(command, folder.path / "warm", "rw").status());
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kCacheSuite, process + "warm",
                                  [&] { return processTime(command, folder.path / "warm", "require"); }));
  return sampleInto(context, report, kCacheSuite, process + "cold",
                    [&] { return processTime(command, folder.path / "cold", "refresh"); });
}

} // namespace kiln::tools
