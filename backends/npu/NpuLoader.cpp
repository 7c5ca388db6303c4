// NpuLoader.cpp: everything that can be wrong with an object is found here, before a launch.
#include "backends/npu/NpuLoader.h"

#include <memory>

namespace kiln::npu {
namespace {

std::span<const uint8_t> spanOf(KilnStr text) {
  return {reinterpret_cast<const uint8_t *>(text.data), text.size};
}

template <typename Fn> KilnStatus guarded(const KilnHost &host, Fn fn) {
  try {
    return Status(fn()).toC(host);
  } catch (const std::bad_alloc &) {
    return host.status_make(KILN_RESOURCE_EXHAUSTED, toStr("npu loader: out of host memory"));
  }
}

} // namespace

Result<NpuKernel *> NpuLoader::load(const KilnKernelImage &image) const {
  std::string name(toView(image.name));
  auto wrong = [&](const std::string &text) {
    return Status(Code::InvalidArgument, "kernel '" + name + "': " + text);
  };
  Result<NpuObject> object = readObject({static_cast<const uint8_t *>(image.object), image.object_bytes});
  if (!object.ok())
    return wrong(object.status().message());
  if (object->symbol != toView(image.symbol))
    return wrong("the object holds '" + object->symbol + "'; expected '" + std::string(toView(image.symbol)) +
                 "'");
  if (object->bindings.size() != image.binding_count || object->constantCount != image.constant_count)
    return wrong("the object takes " + std::to_string(object->bindings.size()) + " bindings and " +
                 std::to_string(object->constantCount) + " constants; expected " +
                 std::to_string(image.binding_count) + " and " + std::to_string(image.constant_count));
  return new NpuKernel{*std::move(object), std::move(name)};
}

const KilnKernelLoaderOps &NpuLoader::ops() {
  static const KilnKernelLoaderOps table = {
      sizeof(KilnKernelLoaderOps),
      [](void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) -> KilnStatus {
        auto &loader = *static_cast<NpuLoader *>(self);
        return guarded(loader.host, [&]() -> Status {
          KILN_ASSIGN_OR_RETURN(NpuKernel * kernel, loader.load(*image));
          *out = kernel->handle();
          return {};
        });
      },
      [](void *, KilnKernel *kernel) { delete &NpuKernel::from(kernel); },
      [](void *self, KilnStr object, KilnOutputFn fn, void *arg) -> KilnStatus {
        return guarded(static_cast<NpuLoader *>(self)->host, [&]() -> Status {
          KILN_ASSIGN_OR_RETURN(NpuObject read, readObject(spanOf(object)));
          fn(arg, toStr(disassemble(read)));
          return {};
        });
      },
      [](void *self, KilnStr text, KilnOutputFn fn, void *arg) -> KilnStatus {
        return guarded(static_cast<NpuLoader *>(self)->host, [&]() -> Status {
          KILN_ASSIGN_OR_RETURN(NpuObject read, assemble(toView(text)));
          std::vector<uint8_t> file = writeObject(read);
          fn(arg, {reinterpret_cast<const char *>(file.data()), file.size()});
          return {};
        });
      }};
  return table;
}

} // namespace kiln::npu
