// ResidentKernelsTest.cpp: tens of thousands of kernels in one process: resident at once, and loaded and
// unloaded in turn, without growth of memory or mappings.
#include "runtime/ProgramStore.h"
#include "runtime/Sha256.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include "kiln/schema/Program_generated.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace kiln {
namespace {

constexpr std::string_view kModel =
    "func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n"
    "  %y = kiln.exp %x : tensor<16xf32>\n"
    "  %z = kiln.mul %y, %x : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>\n"
    "  return %z : tensor<16xf32>\n}\n";

/// 40,000 with KILN_TEST_FULL=1: more than one mapping each would leave room for.
uint32_t kernelCount() {
  const char *full = std::getenv("KILN_TEST_FULL");
  return full && std::string_view(full) == "1" ? 40000 : 4000;
}

uint64_t residentBytes() {
  uint64_t pages = 0;
  std::ifstream file("/proc/self/statm");
  file >> pages >> pages;
  return pages * 4096;
}

uint64_t mappings() {
  std::ifstream file("/proc/self/maps");
  uint64_t count = 0;
  for (std::string line; std::getline(file, line);)
    ++count;
  return count;
}

/// The one kernel of a small model, compiled for the host, under as many keys as are asked for.
class ResidentKernelsTest : public ::testing::Test {
protected:
  void open(uint32_t count, KernelBudget budget) {
    ASSERT_OK_AND_ASSIGN(shared, Instance::create({}));
    ASSERT_OK_AND_ASSIGN(type, shared->backends().deviceType("host"));
    ASSERT_OK_AND_ASSIGN(device, Device::open(*type, {.maxThreads = 1}));
    ASSERT_OK_AND_ASSIGN(queue, device->createQueue());
    ASSERT_OK_AND_ASSIGN(settings.target, targetOf(*type, ""));
    settings.backend = type->backend;
    TargetCompiler compiler(*shared, settings);
    Model::Options options;
    options.format = "mlir";
    ASSERT_OK_AND_ASSIGN(
        ModelRef model,
        Model::load(shared, "", {reinterpret_cast<const uint8_t *>(kModel.data()), kModel.size()}, options));
    ASSERT_OK_AND_ASSIGN(ProgramFileRef one, compiler.program(*model, {{16}}));
    ASSERT_EQ(one->verifiedProgram().embeddedKernels.size(), 1u);
    ASSERT_OK_AND_ASSIGN(compiled, compiler.kernel(*one, 0));
    // The same program with `count` references to kernels; its body launches the first.
    schema::ProgramT contents;
    one->program().UnPackTo(&contents);
    contents.kernels[0]->ir.clear();
    contents.kernels[0]->key = keyOf(0);
    for (uint32_t i = 1; i < count; ++i) {
      auto ref = std::make_unique<schema::KernelRefT>(*contents.kernels[0]);
      ref->key = keyOf(i);
      contents.kernels.push_back(std::move(ref));
    }
    flatbuffers::FlatBufferBuilder builder(1 << 20);
    schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &contents));
    ASSERT_OK_AND_ASSIGN(file,
                         ProgramFile::fromBytes({builder.GetBufferPointer(), builder.GetSize()}, "many"));
    cached = std::make_shared<Instance>(shared->backends(), shared->compiler(), budget);
    store = std::make_unique<DeviceStore>(*cached, device, settings);
    for (Buffer *buffer : {&input, &output}) {
      ASSERT_OK_AND_ASSIGN(*buffer, device->allocate(16 * sizeof(float)));
    }
  }

  static std::string keyOf(uint32_t i) { return Sha256::of("kernel " + std::to_string(i)); }

  /// The kernel under key `i`, in memory as if a file had it, then loaded.
  Result<LoadedKernelRef> load(uint32_t i) {
    KernelRequest request(keyOf(i));
    auto make = [&]() -> Result<CompiledKernelRef> {
      schema::KernelObjectT object;
      flatbuffers::GetRoot<schema::KernelObject>(compiled->bytes().bytes.data())->UnPackTo(&object);
      object.key = request.key;
      flatbuffers::FlatBufferBuilder builder;
      schema::FinishKernelObjectBuffer(builder, schema::KernelObject::Pack(builder, &object));
      return CompiledKernel::parse(copyBytes({builder.GetBufferPointer(), builder.GetSize()}), "copy");
    };
    KILN_RETURN_IF_ERROR(cached->kernels().get(request, make, counters).status());
    return store->load(*file, i);
  }

  /// Whether exp(x) * x of 1 comes out.
  Status run(const LoadedKernel &kernel) {
    std::vector<float> ones(16, 1.0f), got(16);
    KILN_RETURN_IF_ERROR(queue->write(input.address(), ones.data(), 64));
    const KilnBinding bindings[2] = {input.binding(), output.binding()};
    KilnLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.bindings = bindings;
    launch.binding_count = 2;
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    KILN_RETURN_IF_ERROR(queue->launch(kernel.handle(), launch));
    KILN_RETURN_IF_ERROR(queue->read(got.data(), output.address(), 64));
    KILN_RETURN_IF_ERROR(queue->synchronize());
    for (float value : got)
      if (std::abs(value - 2.7182817f) > 1e-5f)
        return internalError("got {}; expected e", value);
    return {};
  }

  std::shared_ptr<Instance> shared, cached;
  std::shared_ptr<const DeviceType> type;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  CompileSettings settings;
  CompiledKernelRef compiled;
  ProgramFileRef file;
  std::unique_ptr<DeviceStore> store;
  CompileCounters counters;
  Buffer input, output;
};

TEST_F(ResidentKernelsTest, AllAreResidentAtOnceInFewMappings) {
  uint32_t count = kernelCount();
  open(count, {.maxBytes = UINT64_MAX, .maxKernels = count + 1});
  if (HasFatalFailure())
    return;
  uint64_t before = mappings();
  std::vector<LoadedKernelRef> held;
  for (uint32_t i = 0; i < count; ++i) {
    ASSERT_OK_AND_ASSIGN(LoadedKernelRef kernel, load(i));
    if (i % 997 == 0)
      ASSERT_OK(run(*kernel)) << i;
    held.push_back(std::move(kernel));
  }
  ASSERT_OK(run(*held.front()));
  ASSERT_OK(run(*held.back()));
  RecordProperty("mappings", std::to_string(mappings() - before));
  EXPECT_LT(mappings() - before, count / 20) << "vm.max_map_count is 65,530";
}

TEST_F(ResidentKernelsTest, CyclingThroughManyGrowsNothing) {
  uint32_t count = kernelCount();
  open(count, {.maxBytes = 64 << 20, .maxKernels = 500});
  if (HasFatalFailure())
    return;
  uint64_t bytes = 0, maps = 0;
  for (uint32_t i = 0; i < count; ++i) {
    ASSERT_OK_AND_ASSIGN(LoadedKernelRef kernel, load(i));
    ASSERT_OK(run(*kernel)) << i;
    if (i == count / 4) // everything has been full and emptied several times
      bytes = residentBytes(), maps = mappings();
  }
  EXPECT_LE(residentBytes(), bytes + (2 << 20)) << "bytes after a quarter: " << bytes;
  EXPECT_LE(mappings(), maps + 16);
  EXPECT_LE(cached->kernels().bytes(), uint64_t(64) << 20);
}

} // namespace
} // namespace kiln
