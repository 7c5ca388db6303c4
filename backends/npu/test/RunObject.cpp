// RunObject.cpp: npu-run-object FILE [SYMBOL BUFFERS]: a fresh process that loads an npu object from a file,
// runs one block of it on buffers of 128 f16 ones (one, if nothing is said) and says what came of the last
// and which libraries are mapped.
#include "runtime/BackendRegistry.h"
#include "runtime/HostTable.h"
#include "tools/lib/ReadFile.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace kiln;

namespace {

constexpr size_t kObjectElements = 128;
constexpr uint16_t kOne = 0x3c00;

Status run(const std::string &path, const char *symbol, size_t count) {
  KILN_ASSIGN_OR_RETURN(std::vector<std::byte> file, tools::readFile(path));
  KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, BackendRegistry::get({}));
  KILN_ASSIGN_OR_RETURN(auto type, registry->deviceType("npu"));
  KILN_ASSIGN_OR_RETURN(auto loader, registry->kernelLoader("npu", "npu-elf"));
  const KilnDeviceOps &ops = type->ops;
  KilnDeviceOpenArgs args = {};
  args.struct_size = sizeof(args);
  KilnDevice *device = nullptr;
  KilnQueue *queue = nullptr;
  KILN_RETURN_IF_ERROR(fromC(ops.device_open(type->self, &args, &device)));
  KILN_RETURN_IF_ERROR(fromC(ops.queue_create(device, &queue)));
  KilnKernelImage image = {};
  image.struct_size = sizeof(image);
  image.format = toStr("npu-elf");
  image.symbol = image.name = toStr(symbol);
  image.object = file.data();
  image.object_bytes = file.size();
  image.binding_count = static_cast<uint32_t>(count);
  KilnKernel *kernel = nullptr;
  KILN_RETURN_IF_ERROR(fromC(loader->ops.load(loader->self, device, &image, &kernel)));
  std::vector<uint16_t> values(kObjectElements, kOne);
  std::vector<KilnBinding> bindings(count, {0, kObjectElements * 2});
  for (KilnBinding &binding : bindings) {
    KILN_RETURN_IF_ERROR(fromC(ops.memory_allocate(device, binding.bytes, 0, &binding.address)));
    KILN_RETURN_IF_ERROR(fromC(ops.queue_write(queue, binding.address, values.data(), binding.bytes)));
  }
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.bindings = bindings.data();
  launch.binding_count = static_cast<uint32_t>(count);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  KILN_RETURN_IF_ERROR(fromC(ops.queue_launch(queue, kernel, &launch)));
  KILN_RETURN_IF_ERROR(
      fromC(ops.queue_read(queue, values.data(), bindings.back().address, bindings.back().bytes)));
  KILN_RETURN_IF_ERROR(fromC(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
  std::cout << "first " << values.front() << ", last " << values.back() << "\n";
  for (const KilnBinding &binding : bindings)
    ops.memory_free(device, binding.address);
  loader->ops.unload(loader->self, kernel);
  ops.queue_destroy(queue);
  ops.device_close(device);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  size_t count = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 1;
  Status status = (argc == 2 || argc == 4) && count
                      ? run(argv[1], argc == 4 ? argv[2] : "twice", count)
                      : Status(Code::InvalidArgument, "expected FILE [SYMBOL BUFFERS]");
  if (!status.ok()) {
    std::cerr << "npu-run-object: error: " << status.message() << "\n";
    return 3;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (size_t slash = line.rfind('/'); slash != std::string::npos)
      std::cout << "maps " << line.substr(slash + 1) << "\n";
  return 0;
}
