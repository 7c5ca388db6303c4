// kiln/devicekit/DeviceElf.h: the ELF64 container of simulated devices' kernels: named sections, nothing
// else.
#ifndef KILN_DEVICEKIT_DEVICEELF_H
#define KILN_DEVICEKIT_DEVICEELF_H

#include "kiln/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kiln::devicekit {

/// One section: a name and its bytes.
struct ElfSection {
  std::string name;
  std::vector<uint8_t> bytes;
  bool isCode = false; // SHF_ALLOC and SHF_EXECINSTR
  bool operator==(const ElfSection &) const = default;
};

/// A relocatable ELF64 file of these sections, at most 16, in this order. The same sections give the same
/// bytes. `machine` is its e_machine, which tells one device's files from another's: a number of the
/// backend's choice that no entry of <elf.h> has.
std::vector<uint8_t> writeElf(uint16_t machine, std::span<const ElfSection> sections);

/// Reads what writeElf wrote and nothing else: a file whose bytes are not exactly those that its sections
/// would be written as is refused, so that no byte of it is unaccounted for; one of another `machine` too.
/// Errors: InvalidArgument; says what was found where.
Result<std::vector<ElfSection>> readElf(uint16_t machine, std::span<const uint8_t> file);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_DEVICEELF_H
