// ElfObject.h: a kernel object of format "host-elf", parsed and checked; nothing in it is trusted.
#ifndef KILN_BACKENDS_HOST_ELFOBJECT_H
#define KILN_BACKENDS_HOST_ELFOBJECT_H

#include "kiln/Status.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kiln::host {

/// The parts of an ELF64 relocatable x86-64 object that a loader maps. parse() refuses all that a kernel must
/// not have, each by name: relocations but PC32 and PLT32 in mapped sections, writable or thread-local data,
/// constructors, IFUNCs, common symbols, 32-bit or big-endian or linked files. Ownership: views into the
/// bytes given to parse(), which must outlive it. Threads:   immutable.
class ElfObject {
public:
  /// A section that is mapped. Debug sections and unwind tables are not.
  struct Section {
    std::string_view name;
    std::span<const std::byte> bytes;
    uint64_t alignment; // a power of two, at most 4096
    bool executable;
    uint32_t index; // in the file's section table
  };
  struct Symbol {
    std::string_view name;
    bool isDefined;
    size_t section;  // index into sections(), if defined
    uint64_t offset; // in it, if defined
  };
  /// The 4 bytes at `offset` of section `in` become target + addend - their own address.
  struct Relocation {
    size_t in; // index into sections()
    uint64_t offset;
    int64_t addend;
    size_t symbol; // index into symbols()
  };

  /// Errors: InvalidArgument; says what was found where.
  static Result<ElfObject> parse(std::span<const std::byte> file);

  const std::vector<Section> &sections() const { return theSections; }
  /// Those that relocations of mapped sections use, and all functions defined in mapped sections.
  const std::vector<Symbol> &symbols() const { return theSymbols; }
  const std::vector<Relocation> &relocations() const { return theRelocations; }
  /// The defined symbol of that name in an executable section. NotFound, InvalidArgument.
  Result<Symbol> entry(std::string_view name) const;

private:
  friend class ElfParser;
  std::vector<Section> theSections;
  std::vector<Symbol> theSymbols;
  std::vector<Relocation> theRelocations;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_ELFOBJECT_H
