// StrictLoader.cpp: lays the sections out behind each other, adds a jump for each function of the runtime,
// relocates a copy, and writes it to code memory in one piece.
#include "StrictLoader.h"

#include "ElfObject.h"
#include "GdbRegistration.h"
#include "HostOptions.h"
#include "PerfMap.h"

#include <algorithm>
#include <cstring>

namespace kiln::host {
namespace {

constexpr size_t stubBytes = 16; // jmp *0(%rip); the address; 2 bytes of int3

/// A kernel and what keeps its code.
struct StrictKernel final : HostKernel {
  std::byte *code = nullptr;
  std::unique_ptr<GdbRegistration> gdb;
};

/// Where everything of one object goes, as offsets from the image's start.
struct Layout {
  std::vector<size_t> sections;
  std::vector<size_t> stubs; // by symbol; 0: defined here
  size_t bytes = 0, alignment = 1;
};

Status refused(std::string text) {
  return Status(Code::InvalidArgument, "host-elf object: " + std::move(text));
}

Result<Layout> layOut(const ElfObject &object) {
  Layout layout;
  for (const ElfObject::Section &section : object.sections()) {
    layout.alignment = std::max<size_t>(layout.alignment, section.alignment);
    layout.bytes = roundUp(layout.bytes, section.alignment);
    layout.sections.push_back(layout.bytes);
    layout.bytes += section.bytes.size();
    if (layout.bytes > maxImageBytes)
      return refused("more than " + std::to_string(maxImageBytes >> 20) + " MiB of sections");
  }
  layout.bytes = roundUp(layout.bytes, stubBytes);
  for (const ElfObject::Symbol &symbol : object.symbols()) {
    layout.stubs.push_back(symbol.isDefined ? 0 : layout.bytes);
    layout.bytes += symbol.isDefined ? 0 : stubBytes;
  }
  return layout;
}

void writeStub(std::byte *to, void *target) {
  constexpr unsigned char jump[6] = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(to, jump, sizeof(jump));
  std::memcpy(to + sizeof(jump), &target, sizeof(target));
  std::memset(to + sizeof(jump) + sizeof(target), 0xcc, stubBytes - sizeof(jump) - sizeof(target));
}

/// Distances within an image do not depend on where it lies, so it is relocated before it has an address.
Status relocate(const ElfObject &object, const Layout &layout, std::vector<std::byte> &image) {
  for (const ElfObject::Relocation &relocation : object.relocations()) {
    const ElfObject::Symbol &symbol = object.symbols()[relocation.symbol];
    size_t target =
        symbol.isDefined ? layout.sections[symbol.section] + symbol.offset : layout.stubs[relocation.symbol];
    size_t place = layout.sections[relocation.in] + relocation.offset;
    int64_t distance = static_cast<int64_t>(target) - static_cast<int64_t>(place);
    if (__builtin_add_overflow(distance, relocation.addend, &distance) ||
        distance != static_cast<int32_t>(distance))
      return refused("section '" + std::string(object.sections()[relocation.in].name) + "' offset " +
                     std::to_string(relocation.offset) + ": the distance does not fit 32 bits");
    auto value = static_cast<int32_t>(distance);
    std::memcpy(image.data() + place, &value, sizeof(value));
  }
  return {};
}

} // namespace

StrictLoader::StrictLoader(const KilnHost &host) : host(host), symbols(host) {}

Result<HostKernel *> StrictLoader::load(const KilnKernelImage &image) {
  std::span object(static_cast<const std::byte *>(image.object), image.object_bytes);
  KILN_ASSIGN_OR_RETURN(ElfObject parsed, ElfObject::parse(object));
  KILN_ASSIGN_OR_RETURN(ElfObject::Symbol entry, parsed.entry(toView(image.symbol)));
  KILN_RETURN_IF_ERROR(symbols.check(parsed));
  KILN_ASSIGN_OR_RETURN(Layout layout, layOut(parsed));
  KILN_ASSIGN_OR_RETURN(HostOptions options, HostOptions::read(host, ""));

  std::vector<std::byte> code(layout.bytes, std::byte(0xcc)); // gaps are int3
  for (size_t i = 0; i < parsed.sections().size(); ++i)
    std::ranges::copy(parsed.sections()[i].bytes, code.begin() + static_cast<ptrdiff_t>(layout.sections[i]));
  for (size_t i = 0; i < parsed.symbols().size(); ++i)
    if (!parsed.symbols()[i].isDefined)
      writeStub(code.data() + layout.stubs[i], symbols.find(parsed.symbols()[i].name));
  KILN_RETURN_IF_ERROR(relocate(parsed, layout, code));

  auto kernel = std::make_unique<StrictKernel>();
  KILN_ASSIGN_OR_RETURN(kernel->code, memory.allocate(code.size(), layout.alignment, options.codeUse()));
  if (Status status = memory.write(kernel->code, code); !status.ok()) {
    memory.free(kernel->code);
    return status;
  }
  std::byte *start = kernel->code + layout.sections[entry.section] + entry.offset;
  kernel->entry = reinterpret_cast<HostEntry>(start);
  kernel->bindingCount = image.binding_count;
  kernel->constantCount = image.constant_count;
  kernel->name = toView(image.name.size ? image.name : image.symbol);
  if (options.perf)
    for (size_t i = 0; i < parsed.sections().size(); ++i)
      if (parsed.sections()[i].executable)
        writePerfMap(kernel->name, kernel->code + layout.sections[i], parsed.sections()[i].bytes.size());
  if (options.gdb) {
    std::vector<const std::byte *> addresses;
    for (size_t offset : layout.sections)
      addresses.push_back(kernel->code + offset);
    kernel->gdb = GdbRegistration::create({kernel->name, toView(image.symbol), object, &parsed, &addresses});
  }
  return kernel.release();
}

void StrictLoader::unload(HostKernel *kernel) {
  std::unique_ptr<StrictKernel> owned(static_cast<StrictKernel *>(kernel));
  owned->gdb.reset();
  memory.free(owned->code);
}

const KilnKernelLoaderOps &StrictLoader::ops() {
  static const KilnKernelLoaderOps table = {
      sizeof(KilnKernelLoaderOps),
      [](void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) -> KilnStatus {
        auto &loader = *static_cast<StrictLoader *>(self);
        try {
          Result<HostKernel *> kernel = loader.load(*image);
          if (!kernel.ok())
            return kernel.status().toC(loader.host);
          *out = (*kernel)->handle();
          return nullptr;
        } catch (const std::bad_alloc &) {
          return loader.host.status_make(KILN_RESOURCE_EXHAUSTED, toStr("strict loader: out of host memory"));
        }
      },
      [](void *self, KilnKernel *kernel) {
        static_cast<StrictLoader *>(self)->unload(&HostKernel::from(kernel));
      },
      nullptr, // machine code of the host has no text form here
      nullptr};
  return table;
}

} // namespace kiln::host
