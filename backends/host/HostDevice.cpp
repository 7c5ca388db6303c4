// HostDevice.cpp: launches call the kernel's entry on ranges of tiles; everything else is memory of this
// process.
#include "HostDevice.h"

#include "CpuFeatures.h"
#include "HostKernel.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>

namespace kiln::host {
namespace {

constexpr const char *triple = "x86_64-unknown-linux-gnu";
constexpr size_t bindingsOnStack = 32; // more than fused kernels have

/// "AMD EPYC 9654", from CPUID leaves 0x80000002 to 4.
std::string cpuName() {
  uint32_t words[12] = {};
  for (uint32_t leaf = 0; leaf < 3; ++leaf)
    if (!__get_cpuid(0x80000002 + leaf, &words[leaf * 4], &words[leaf * 4 + 1], &words[leaf * 4 + 2],
                     &words[leaf * 4 + 3]))
      return "x86-64 CPU";
  const char *text = reinterpret_cast<const char *>(words);
  std::string name(text, strnlen(text, sizeof(words)));
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? "x86-64 CPU" : name;
}

/// AMX tiles may be used only after a process asked for them; once asked, all its threads may.
Status requestTiles(const CpuTarget &target) {
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  if (target.features.find("+amx-tile") == std::string::npos)
    return {};
  if (syscall(SYS_arch_prctl, requestPermission, tileData) == 0)
    return {};
  return Status(Code::Unavailable,
                "device 'host': the system refuses AMX tiles; set option 'cpu' to x86-64-v4 to do without");
}

/// Strings of KilnTargetInfo must live until the process ends.
std::string_view interned(std::string_view text) {
  static std::mutex mutex;
  static auto *strings = new std::set<std::string, std::less<>>();
  std::lock_guard lock(mutex);
  return *strings->emplace(text).first;
}

} // namespace

HostDevice::HostDevice(const KilnHost &host, const Config &config)
    : sdk::Device(host), memory(config.memoryLimitBytes, config.allocator),
      pool(config.threads, config.parallel) {}

Result<KilnDeviceAddress> HostDevice::allocate(uint64_t bytes, uint64_t alignment) {
  return memory.allocate(bytes, alignment);
}

void HostDevice::release(KilnDeviceAddress address) {
  if (memory.free(address) || address == 0)
    return;
  std::string text = "free: no allocation starts at address " + std::to_string(address);
  host().log(host().self, KILN_LOG_ERROR, toStr("host"), toStr(text));
}

Result<KilnDeviceAddress> HostDevice::import(void *imported, uint64_t bytes) {
  if (!imported || bytes == 0)
    return Status(Code::InvalidArgument, "import: a null pointer or 0 bytes; expected memory of the host");
  return reinterpret_cast<KilnDeviceAddress>(imported);
}

Result<void *> HostDevice::map(KilnDeviceAddress address, uint64_t) {
  if (address == 0)
    return Status(Code::InvalidArgument, "map: address 0; expected device memory");
  return hostPointer(address);
}

Status HostDevice::checkLaunch(KilnKernel *handle, const KilnLaunch &launch) {
  if (!handle)
    return Status(Code::InvalidArgument, "launch: no kernel");
  const HostKernel &kernel = HostKernel::from(handle);
  auto wrong = [&](std::string text) {
    return Status(Code::InvalidArgument, "kernel '" + kernel.name + "': " + std::move(text));
  };
  if (launch.binding_count != kernel.bindingCount)
    return wrong(std::to_string(launch.binding_count) + " bindings; expected " +
                 std::to_string(kernel.bindingCount));
  if (launch.constant_count != kernel.constantCount)
    return wrong(std::to_string(launch.constant_count) + " constants; expected " +
                 std::to_string(kernel.constantCount));
  if (launch.grid[1] > 1 || launch.grid[2] > 1)
    return wrong("a grid of " + std::to_string(launch.grid[0]) + "x" + std::to_string(launch.grid[1]) + "x" +
                 std::to_string(launch.grid[2]) + "; expected one dimension");
  for (size_t i = 0; i < launch.binding_count; ++i)
    if (launch.bindings[i].address == 0 && launch.bindings[i].bytes != 0)
      return wrong("binding " + std::to_string(i) + " has address 0");
  return {};
}

Status HostDevice::launch(const sdk::LaunchCommand &command) {
  struct Call {
    HostEntry entry;
    void *const *bindings;
    const int64_t *constants;
    void *workspace;
  };
  void *onStack[bindingsOnStack];
  std::vector<void *> onHeap;
  void **pointers = onStack;
  if (command.bindings.size() > bindingsOnStack) {
    onHeap.resize(command.bindings.size());
    pointers = onHeap.data();
  }
  for (size_t i = 0; i < command.bindings.size(); ++i)
    pointers[i] = hostPointer(command.bindings[i].address);
  Call call = {HostKernel::from(command.kernel).entry, pointers, command.constants.data(),
               hostPointer(command.workspace.address)};
  pool.run(
      command.grid[0],
      [](void *context, int64_t begin, int64_t end) {
        const Call &call = *static_cast<const Call *>(context);
        call.entry(call.bindings, call.constants, call.workspace, begin, end);
      },
      &call);
  return {};
}

Status HostDeviceType::describe(uint32_t ordinal, KilnDeviceInfo &info) {
  if (ordinal != 0)
    return Status(Code::OutOfRange,
                  "unknown device 'host:" + std::to_string(ordinal) + "'; 'host' has 1 device (0)");
  static const std::string name =
      cpuName() + ", " + std::to_string(usableCores()) + (usableCores() == 1 ? " core" : " cores");
  info.name = toStr(name);
  info.kind = KILN_DEVICE_HARDWARE;
  info.compute_units = usableCores();
  info.memory_bytes = usableMemoryBytes();
  info.alignment_bytes = HostMemory::alignmentBytes;
  info.memory_is_host_memory = 1;
  info.max_grid_dimensions = 1;
  return {};
}

Status HostDeviceType::target(std::string_view text, KilnTargetInfo &target) {
  KILN_ASSIGN_OR_RETURN(HostOptions options, HostOptions::read(theHost, text));
  // Compiling ahead for a level needs no machine that has it; open() does.
  FeatureSet level = levelFeatures(options.cpu);
  KILN_ASSIGN_OR_RETURN(CpuTarget cpu, resolveCpu(options.cpu, level.empty() ? machineFeatures() : level));
  target.triple = toStr(triple);
  target.arch = toStr(interned(cpu.arch));
  target.features = toStr(interned(cpu.features));
  target.options = toStr(""); // nothing but features changes the code
  target.storage_types = KILN_TYPES_ALL;
  target.arithmetic_types = KILN_TYPES_COMPUTED;
  return {};
}

Result<std::unique_ptr<sdk::Device>> HostDeviceType::open(const KilnDeviceOpenArgs &args) {
  KilnDeviceInfo info = {};
  KILN_RETURN_IF_ERROR(describe(args.ordinal, info));
  KILN_ASSIGN_OR_RETURN(HostOptions options, HostOptions::read(theHost, toView(args.options)));
  KILN_ASSIGN_OR_RETURN(CpuTarget cpu, resolveCpu(options.cpu, machineFeatures()));
  KILN_RETURN_IF_ERROR(requestTiles(cpu));
  HostDevice::Config config = {};
  config.threads = args.max_threads ? args.max_threads : options.threads ? options.threads : usableCores();
  config.memoryLimitBytes =
      args.memory_limit_bytes ? std::min(args.memory_limit_bytes, info.memory_bytes) : info.memory_bytes;
  config.allocator = args.allocator;
  config.parallel = args.parallel;
  return std::unique_ptr<sdk::Device>(new HostDevice(theHost, config));
}

} // namespace kiln::host
