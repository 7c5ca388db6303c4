// kiln/Registrar.h: the C++ face of kiln/backend.h for runtime-tier libraries: registration in a few lines.
//
// Header-only; a backend links nothing of Kiln's. A minimal backend:
//
//   kiln::Status registerToy(kiln::Registrar &registrar) {
//     registrar.addDeviceType("toy", toyDeviceOps(), nullptr);
//     registrar.addKernelLoader("toy-elf", "strict", toyLoaderOps(), nullptr);
//     return registrar.status();
//   }
//   KILN_BACKEND(toy, "0.1.0", registerToy)
#ifndef KILN_REGISTRAR_H
#define KILN_REGISTRAR_H

#include "kiln/Status.h"

namespace kiln {

/// Collects what a backend registers and keeps the first error, which names what was being added.
/// Lives for the call of init only; not thread-safe.
class Registrar {
public:
  Registrar(const KilnHost &host, const KilnRegistrar &table) : theHost(host), table(table) {}
  const KilnHost &host() const { return theHost; }

  void addDeviceType(std::string_view type, const KilnDeviceOps &ops, void *self = nullptr) {
    record(table.add_device_type(table.self, toStr(type), &ops, self), "device type", type);
  }
  void addKernelLoader(std::string_view format, std::string_view loader, const KilnKernelLoaderOps &ops,
                       void *self = nullptr) {
    record(table.add_kernel_loader(table.self, toStr(format), toStr(loader), &ops, self), "kernel loader",
           format);
  }
  /// OK, or the first error.
  Status status() const { return first; }

private:
  void record(KilnStatus status, std::string_view kind, std::string_view name) {
    Status result = Status::fromC(theHost, status);
    if (!result.ok() && first.ok())
      first = Status(result.code(), std::string(kind) + " '" + std::string(name) + "': " + result.message());
  }
  const KilnHost &theHost;
  const KilnRegistrar &table;
  Status first;
};

} // namespace kiln

/// Defines kiln_backend_query_v1 for a backend whose registration is `Status registerFn(Registrar &)`.
#define KILN_BACKEND(backendName, backendVersion, registerFn)                                                \
  extern "C" KILN_EXPORT KilnStatus kiln_backend_query_v1(const KilnHost *, KilnBackend *out) {              \
    out->abi_major = KILN_ABI_MAJOR;                                                                         \
    out->abi_minor = KILN_ABI_MINOR;                                                                         \
    out->name = ::kiln::toStr(#backendName);                                                                 \
    out->version = ::kiln::toStr(backendVersion);                                                            \
    out->init = [](void *, const KilnHost *host, const KilnRegistrar *table) -> KilnStatus {                 \
      ::kiln::Registrar registrar(*host, *table);                                                            \
      return registerFn(registrar).toC(*host);                                                               \
    };                                                                                                       \
    return nullptr;                                                                                          \
  }

#endif // KILN_REGISTRAR_H
