// ElfRewrite.cpp: a longer copy of the string table at the end of the file holds the new name; nothing else
// moves.
#include "ElfRewrite.h"

#include <elf.h>

#include <cstring>

namespace kiln::host {
namespace {

template <typename T, typename Fn> void update(std::vector<std::byte> &file, uint64_t offset, Fn change) {
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return; // the parser has seen to it that this does not happen
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  change(value);
  std::memcpy(file.data() + offset, &value, sizeof(T));
}

/// Empties every section that is neither allocated nor a table of one that is.
void dropUnmapped(std::vector<std::byte> &file, const Elf64_Ehdr &header) {
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (size_t i = 1; i < sections.size(); ++i) {
    Elf64_Shdr &section = sections[i];
    bool table = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_STRTAB ||
                 (section.sh_type == SHT_RELA && section.sh_info < sections.size() &&
                  (sections[section.sh_info].sh_flags & SHF_ALLOC));
    if (table || (section.sh_flags & SHF_ALLOC))
      continue;
    Elf64_Shdr empty = {};
    empty.sh_name = section.sh_name;
    empty.sh_type = SHT_PROGBITS;
    empty.sh_offset = sizeof(Elf64_Ehdr);
    section = empty;
  }
  std::memcpy(file.data() + header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr));
}

} // namespace

std::vector<std::byte> rewriteElf(std::span<const std::byte> object, const ElfObject &parsed,
                                  const ElfRewrite &rewrite) {
  std::vector<std::byte> file(object.begin(), object.end());
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof(header));
  auto headerOf = [&](size_t section) { return header.e_shoff + section * sizeof(Elf64_Shdr); };
  if (rewrite.addresses)
    for (size_t i = 0; i < parsed.sections().size(); ++i)
      update<Elf64_Shdr>(file, headerOf(parsed.sections()[i].index), [&](Elf64_Shdr &section) {
        section.sh_addr = reinterpret_cast<uint64_t>((*rewrite.addresses)[i]);
      });

  if (rewrite.dropUnmapped)
    dropUnmapped(file, header);

  Elf64_Shdr symbols = {}, strings = {};
  size_t stringSection = 0;
  for (size_t i = 1; i < header.e_shnum && !stringSection; ++i) {
    std::memcpy(&symbols, file.data() + headerOf(i), sizeof(symbols));
    if (symbols.sh_type == SHT_SYMTAB)
      stringSection = symbols.sh_link;
  }
  std::memcpy(&strings, file.data() + headerOf(stringSection), sizeof(strings));
  std::vector<std::byte> table(file.begin() + static_cast<ptrdiff_t>(strings.sh_offset),
                               file.begin() + static_cast<ptrdiff_t>(strings.sh_offset + strings.sh_size));
  uint64_t newTable = file.size();
  auto newName = static_cast<uint32_t>(table.size());
  for (char c : rewrite.newName)
    table.push_back(static_cast<std::byte>(c ? c : '?'));
  table.push_back(std::byte(0));

  for (uint64_t at = symbols.sh_offset; at < symbols.sh_offset + symbols.sh_size; at += sizeof(Elf64_Sym))
    update<Elf64_Sym>(file, at, [&](Elf64_Sym &symbol) {
      const char *name = reinterpret_cast<const char *>(table.data()) + symbol.st_name;
      if (symbol.st_name < newName && rewrite.entry == name && symbol.st_shndx != SHN_UNDEF)
        symbol.st_name = newName;
      else if (rewrite.hideOthers && symbol.st_shndx != SHN_UNDEF)
        symbol.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(symbol.st_info));
    });
  file.insert(file.end(), table.begin(), table.end());
  update<Elf64_Shdr>(file, headerOf(stringSection), [&](Elf64_Shdr &section) {
    section.sh_offset = newTable;
    section.sh_size = table.size();
  });
  return file;
}

} // namespace kiln::host
