// DeviceElf.cpp: header, sections one behind the other, names, section table. Reading checks every field by
// writing again.
#include "kiln/devicekit/DeviceElf.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace kiln::devicekit {
namespace {

constexpr uint64_t kAlignment = 16; // of sections and of the table
constexpr size_t kMostSections = 16;

uint64_t aligned(uint64_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

Status wrong(std::string text) { return Status(Code::InvalidArgument, "object: " + std::move(text)); }

Elf64_Ehdr makeHeader(uint16_t machine, uint64_t tableOffset, size_t sectionCount) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_shoff = tableOffset;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(sectionCount + 2); // the null section and the names
  header.e_shstrndx = static_cast<uint16_t>(sectionCount + 1);
  return header;
}

template <typename T> void put(std::vector<uint8_t> &file, const T &value) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  file.insert(file.end(), bytes, bytes + sizeof(T));
}

} // namespace

std::vector<uint8_t> writeElf(uint16_t machine, std::span<const ElfSection> sections) {
  std::vector<Elf64_Shdr> table(1);
  std::string names(1, '\0');
  uint64_t at = sizeof(Elf64_Ehdr);
  auto add = [&](std::string_view name, uint32_t type, uint64_t flags, uint64_t bytes) {
    Elf64_Shdr header = {};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = at = aligned(at);
    header.sh_size = bytes;
    header.sh_addralign = kAlignment;
    names.append(name).push_back('\0');
    at += bytes;
    table.push_back(header);
  };
  for (const ElfSection &section : sections)
    add(section.name, SHT_PROGBITS, section.isCode ? SHF_ALLOC | SHF_EXECINSTR : 0, section.bytes.size());
  std::string allNames = names + ".shstrtab" + '\0';
  add(".shstrtab", SHT_STRTAB, 0, allNames.size());

  std::vector<uint8_t> file;
  put(file, makeHeader(machine, aligned(at), sections.size()));
  for (size_t i = 0; i < sections.size(); ++i) {
    file.resize(table[i + 1].sh_offset);
    file.insert(file.end(), sections[i].bytes.begin(), sections[i].bytes.end());
  }
  file.resize(table.back().sh_offset);
  file.insert(file.end(), allNames.begin(), allNames.end());
  file.resize(aligned(at));
  for (const Elf64_Shdr &header : table)
    put(file, header);
  return file;
}

Result<std::vector<ElfSection>> readElf(uint16_t machine, std::span<const uint8_t> file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof(header))
    return wrong(std::to_string(file.size()) + " bytes; expected an ELF header of " +
                 std::to_string(sizeof(header)));
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return wrong("its first bytes are not those of an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_REL)
    return wrong("expected a relocatable little-endian ELF64 file");
  if (header.e_machine != machine)
    return wrong("machine " + std::to_string(header.e_machine) + "; expected " + std::to_string(machine));
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum < 2 || header.e_shnum > kMostSections + 2)
    return wrong(std::to_string(header.e_shnum) + " sections of " + std::to_string(header.e_shentsize) +
                 " bytes; expected 2 to " + std::to_string(kMostSections + 2) + " of " +
                 std::to_string(sizeof(Elf64_Shdr)));
  if (header.e_shoff > file.size() || file.size() - header.e_shoff < header.e_shnum * sizeof(Elf64_Shdr))
    return wrong("the section table at " + std::to_string(header.e_shoff) + " ends beyond the file's " +
                 std::to_string(file.size()) + " bytes");
  std::vector<Elf64_Shdr> table(header.e_shnum);
  std::memcpy(table.data(), file.data() + header.e_shoff, table.size() * sizeof(Elf64_Shdr));
  for (size_t i = 1; i < table.size(); ++i)
    if (table[i].sh_offset > file.size() || file.size() - table[i].sh_offset < table[i].sh_size)
      return wrong("section " + std::to_string(i) + " ends beyond the file");
  const Elf64_Shdr &nameSection = table.back();
  std::string_view names(reinterpret_cast<const char *>(file.data()) + nameSection.sh_offset,
                         nameSection.sh_size);
  std::vector<ElfSection> sections;
  for (size_t i = 1; i + 1 < table.size(); ++i) {
    size_t end =
        table[i].sh_name < names.size() ? names.find('\0', table[i].sh_name) : std::string_view::npos;
    if (end == std::string_view::npos)
      return wrong("section " + std::to_string(i) + " has no name");
    ElfSection section;
    section.name = names.substr(table[i].sh_name, end - table[i].sh_name);
    section.isCode = table[i].sh_flags & SHF_EXECINSTR;
    const uint8_t *bytes = file.data() + table[i].sh_offset;
    section.bytes.assign(bytes, bytes + table[i].sh_size);
    sections.push_back(std::move(section));
  }
  std::vector<uint8_t> expected = writeElf(machine, sections);
  if (!std::equal(file.begin(), file.end(), expected.begin(), expected.end())) {
    auto difference = std::mismatch(file.begin(), file.end(), expected.begin(), expected.end());
    return wrong("byte " + std::to_string(difference.first - file.begin()) +
                 " is not what the sections' canonical file has there");
  }
  return sections;
}

} // namespace kiln::devicekit
