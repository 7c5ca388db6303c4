// RunObject.cpp: npu-run-object FILE: a fresh process that loads an npu object from a file, runs it on one
// buffer of f16 ones and says what came of it and which libraries are mapped.
#include "runtime/BackendRegistry.h"
#include "runtime/HostTable.h"
#include "tools/lib/ReadFile.h"

#include <fstream>
#include <iostream>

using namespace kiln;

namespace {

constexpr size_t kObjectElements = 128;
constexpr uint16_t kOne = 0x3c00;

Status run(const std::string &path) {
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
  image.symbol = image.name = toStr("twice");
  image.object = file.data();
  image.object_bytes = file.size();
  image.binding_count = 1;
  KilnKernel *kernel = nullptr;
  KILN_RETURN_IF_ERROR(fromC(loader->ops.load(loader->self, device, &image, &kernel)));
  std::vector<uint16_t> values(kObjectElements, kOne);
  KilnBinding binding = {0, kObjectElements * 2};
  KILN_RETURN_IF_ERROR(fromC(ops.memory_allocate(device, binding.bytes, 0, &binding.address)));
  KILN_RETURN_IF_ERROR(fromC(ops.queue_write(queue, binding.address, values.data(), binding.bytes)));
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.bindings = &binding;
  launch.binding_count = 1;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  KILN_RETURN_IF_ERROR(fromC(ops.queue_launch(queue, kernel, &launch)));
  KILN_RETURN_IF_ERROR(fromC(ops.queue_read(queue, values.data(), binding.address, binding.bytes)));
  KILN_RETURN_IF_ERROR(fromC(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
  std::cout << "first " << values.front() << ", last " << values.back() << "\n";
  ops.memory_free(device, binding.address);
  loader->ops.unload(loader->self, kernel);
  ops.queue_destroy(queue);
  ops.device_close(device);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Status status = argc == 2 ? run(argv[1]) : Status(Code::InvalidArgument, "expected FILE");
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
