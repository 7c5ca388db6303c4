// ElfObject.cpp: every offset and count of the file is checked against its size before it is followed;
// headers are copied out, so that a misaligned file is no problem.
#include "ElfObject.h"

#include <elf.h>

#include <cstring>
#include <map>

namespace kiln::host {

namespace {

constexpr uint64_t maxAlignment = 4096; // a page: arenas are aligned no further
constexpr uint64_t maxSections = 65279; // SHN_LORESERVE - 1: no extended numbering
constexpr size_t notMapped = SIZE_MAX;

std::string quotedName(std::string_view text) {
  constexpr size_t shown = 80; // a name from a broken file may be anything
  std::string out = "'";
  for (char c : text.substr(0, shown))
    out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > shown ? "...'" : "'");
}

Status malformed(std::string text) {
  return Status(Code::InvalidArgument, "host-elf object: " + std::move(text));
}

std::string relocationName(uint32_t type) {
  switch (type) {
  case R_X86_64_64:
    return "R_X86_64_64";
  case R_X86_64_GOT32:
    return "R_X86_64_GOT32";
  case R_X86_64_GOTPCREL:
    return "R_X86_64_GOTPCREL";
  case R_X86_64_32:
    return "R_X86_64_32";
  case R_X86_64_32S:
    return "R_X86_64_32S";
  case R_X86_64_TLSGD:
    return "R_X86_64_TLSGD";
  case R_X86_64_TLSLD:
    return "R_X86_64_TLSLD";
  case R_X86_64_DTPOFF32:
    return "R_X86_64_DTPOFF32";
  case R_X86_64_GOTTPOFF:
    return "R_X86_64_GOTTPOFF";
  case R_X86_64_TPOFF32:
    return "R_X86_64_TPOFF32";
  case R_X86_64_PC64:
    return "R_X86_64_PC64";
  case R_X86_64_GOTPCRELX:
    return "R_X86_64_GOTPCRELX";
  case R_X86_64_REX_GOTPCRELX:
    return "R_X86_64_REX_GOTPCRELX";
  default:
    return "of type " + std::to_string(type);
  }
}

bool hasPrefix(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix;
}

/// Allocated sections that kernels do without: unwind tables and notes.
bool isDropped(std::string_view name, const Elf64_Shdr &header) {
  return header.sh_type == SHT_NOTE || header.sh_type == SHT_X86_64_UNWIND || name == ".eh_frame" ||
         name == ".gcc_except_table";
}

/// What makes an allocated section unfit for a kernel, or "".
std::string_view refusal(std::string_view name, const Elf64_Shdr &header) {
  if (header.sh_flags & SHF_TLS)
    return "thread-local data";
  if (header.sh_type == SHT_INIT_ARRAY || header.sh_type == SHT_FINI_ARRAY ||
      header.sh_type == SHT_PREINIT_ARRAY || hasPrefix(name, ".ctors") || hasPrefix(name, ".dtors") ||
      name == ".init" || name == ".fini")
    return "a constructor or destructor";
  if (header.sh_size == 0 || isDropped(name, header))
    return "";
  if (header.sh_flags & SHF_WRITE)
    return "writable data";
  if (header.sh_flags & SHF_COMPRESSED)
    return "compressed contents";
  if (header.sh_type != SHT_PROGBITS)
    return "a section type that is not SHT_PROGBITS";
  return "";
}

} // namespace

/// One run of the parser.
class ElfParser {
public:
  explicit ElfParser(std::span<const std::byte> file) : file(file) {}

  Result<ElfObject> run() {
    KILN_RETURN_IF_ERROR(readHeader());
    KILN_RETURN_IF_ERROR(readSections());
    KILN_RETURN_IF_ERROR(findSymbolTable());
    KILN_RETURN_IF_ERROR(readSymbols());
    for (size_t i = 0; i < headers.size(); ++i)
      if (headers[i].sh_type == SHT_RELA || headers[i].sh_type == SHT_REL)
        KILN_RETURN_IF_ERROR(readRelocations(i));
    return std::move(object);
  }

private:
  template <typename T> bool readAt(uint64_t offset, T &out) const {
    if (offset > file.size() || file.size() - offset < sizeof(T))
      return false;
    std::memcpy(&out, file.data() + offset, sizeof(T));
    return true;
  }
  bool contains(uint64_t offset, uint64_t bytes) const {
    return offset <= file.size() && bytes <= file.size() - offset;
  }
  std::string where(size_t section) const {
    return "section " + std::to_string(section) + " " + quotedName(names[section]);
  }

  Status readHeader() {
    if (!readAt(0, header))
      return malformed(std::to_string(file.size()) + " bytes; an ELF header has " +
                       std::to_string(sizeof(header)));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
      return malformed("no ELF file; the first bytes are not 7f 45 4c 46");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_ident[EI_VERSION] != EV_CURRENT)
      return malformed("ELF class " + std::to_string(header.e_ident[EI_CLASS]) + ", byte order " +
                       std::to_string(header.e_ident[EI_DATA]) + "; expected 64 bits, little-endian");
    if (header.e_machine != EM_X86_64)
      return malformed("machine " + std::to_string(header.e_machine) + "; expected x86-64 (62)");
    if (header.e_type != ET_REL)
      return malformed("ELF type " + std::to_string(header.e_type) + "; expected a relocatable file (1)");
    if (header.e_shentsize != sizeof(Elf64_Shdr))
      return malformed("section headers of " + std::to_string(header.e_shentsize) + " bytes; expected " +
                       std::to_string(sizeof(Elf64_Shdr)));
    if (header.e_shnum == 0 || header.e_shnum > maxSections)
      return malformed(std::to_string(header.e_shnum) + " sections; expected 1 to " +
                       std::to_string(maxSections));
    if (!contains(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)))
      return malformed("the section table ends outside the file");
    return {};
  }

  Status readSections() {
    headers.resize(header.e_shnum);
    std::memcpy(headers.data(), file.data() + header.e_shoff, headers.size() * sizeof(Elf64_Shdr));
    names.resize(headers.size());
    mappedAs.assign(headers.size(), notMapped);
    if (header.e_shstrndx >= headers.size())
      return malformed("section names are in section " + std::to_string(header.e_shstrndx) + " of " +
                       std::to_string(headers.size()));
    for (size_t i = 0; i < headers.size(); ++i)
      if (!name(header.e_shstrndx, headers[i].sh_name, names[i]))
        return malformed("section " + std::to_string(i) + ": its name lies outside the string table");
    for (size_t i = 1; i < headers.size(); ++i)
      if (headers[i].sh_flags & SHF_ALLOC)
        KILN_RETURN_IF_ERROR(mapSection(i));
    return {};
  }

  Status mapSection(size_t i) {
    const Elf64_Shdr &section = headers[i];
    if (std::string_view reason = refusal(names[i], section); !reason.empty())
      return malformed(where(i) + " holds " + std::string(reason) + "; kernels have none");
    if (section.sh_size == 0)
      return {};
    if (!contains(section.sh_offset, section.sh_size))
      return malformed(where(i) + " ends outside the file");
    uint64_t alignment = section.sh_addralign ? section.sh_addralign : 1;
    if ((alignment & (alignment - 1)) || alignment > maxAlignment)
      return malformed(where(i) + ": an alignment of " + std::to_string(alignment) +
                       "; expected a power of two up to " + std::to_string(maxAlignment));
    if (isDropped(names[i], section))
      return {};
    mappedAs[i] = object.theSections.size();
    object.theSections.push_back({names[i], file.subspan(section.sh_offset, section.sh_size), alignment,
                                  (section.sh_flags & SHF_EXECINSTR) != 0, static_cast<uint32_t>(i)});
    return {};
  }

  /// A NUL-terminated string of a string table.
  bool name(size_t table, uint64_t offset, std::string_view &out) const {
    if (table >= headers.size() || headers[table].sh_type != SHT_STRTAB ||
        !contains(headers[table].sh_offset, headers[table].sh_size) || offset >= headers[table].sh_size)
      return false;
    const char *begin = reinterpret_cast<const char *>(file.data()) + headers[table].sh_offset + offset;
    const void *end = std::memchr(begin, 0, headers[table].sh_size - offset);
    if (!end)
      return false;
    out = {begin, static_cast<size_t>(static_cast<const char *>(end) - begin)};
    return true;
  }

  Status findSymbolTable() {
    for (size_t i = 1; i < headers.size(); ++i) {
      if (headers[i].sh_type == SHT_SYMTAB_SHNDX)
        return malformed(where(i) + ": extended section numbers; expected fewer sections");
      if (headers[i].sh_type != SHT_SYMTAB)
        continue;
      if (symbolTable)
        return malformed("sections " + std::to_string(symbolTable) + " and " + std::to_string(i) +
                         " are symbol tables; expected one");
      symbolTable = i;
    }
    if (!symbolTable)
      return malformed("no symbol table");
    const Elf64_Shdr &table = headers[symbolTable];
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size % sizeof(Elf64_Sym) ||
        !contains(table.sh_offset, table.sh_size))
      return malformed(where(symbolTable) + ": the symbol table has a wrong size");
    return {};
  }

  Status readSymbols() {
    const Elf64_Shdr &table = headers[symbolTable];
    rawSymbols.resize(table.sh_size / sizeof(Elf64_Sym));
    if (!rawSymbols.empty())
      std::memcpy(rawSymbols.data(), file.data() + table.sh_offset, table.sh_size);
    for (size_t i = 1; i < rawSymbols.size(); ++i) {
      std::string_view symbolName;
      if (!name(table.sh_link, rawSymbols[i].st_name, symbolName))
        return malformed("symbol " + std::to_string(i) + ": its name lies outside the string table");
      std::string which = "symbol " + quotedName(symbolName);
      switch (ELF64_ST_TYPE(rawSymbols[i].st_info)) {
      case STT_TLS:
        return malformed(which + " is thread-local; kernels have no thread-local data");
      case STT_GNU_IFUNC:
        return malformed(which + " is an IFUNC; kernels have none");
      case STT_FUNC: {
        size_t ignored = 0;
        if (rawSymbols[i].st_shndx < headers.size() && mappedAs[rawSymbols[i].st_shndx] != notMapped)
          KILN_RETURN_IF_ERROR(useSymbol(i, ignored));
        break;
      }
      default:
        break;
      }
      if (rawSymbols[i].st_shndx == SHN_COMMON)
        return malformed(which + " is common data; kernels have no writable data");
    }
    return {};
  }

  /// Adds a symbol of the file to the object's; `out` is its index there.
  Status useSymbol(size_t index, size_t &out) {
    if (auto at = used.find(index); at != used.end()) {
      out = at->second;
      return {};
    }
    if (index == 0 || index >= rawSymbols.size())
      return malformed("a relocation uses symbol " + std::to_string(index) + " of " +
                       std::to_string(rawSymbols.size()));
    const Elf64_Sym &raw = rawSymbols[index];
    ElfObject::Symbol symbol = {};
    (void)name(headers[symbolTable].sh_link, raw.st_name, symbol.name); // readSymbols() has checked it
    if (ELF64_ST_TYPE(raw.st_info) == STT_SECTION && symbol.name.empty() && raw.st_shndx < names.size())
      symbol.name = names[raw.st_shndx];
    if (raw.st_shndx != SHN_UNDEF) {
      if (raw.st_shndx >= headers.size())
        return malformed("symbol " + quotedName(symbol.name) + " is in section " +
                         std::to_string(raw.st_shndx) + " of " + std::to_string(headers.size()));
      symbol.section = mappedAs[raw.st_shndx];
      if (symbol.section == notMapped)
        return malformed("symbol " + quotedName(symbol.name) + " lies in " + where(raw.st_shndx) +
                         ", which is not loaded");
      symbol.isDefined = true;
      symbol.offset = raw.st_value;
      if (raw.st_value > object.theSections[symbol.section].bytes.size())
        return malformed("symbol " + quotedName(symbol.name) + " lies outside " + where(raw.st_shndx));
    }
    out = used[index] = object.theSymbols.size();
    object.theSymbols.push_back(symbol);
    return {};
  }

  Status readRelocations(size_t i) {
    const Elf64_Shdr &table = headers[i];
    if (table.sh_info >= headers.size())
      return malformed(where(i) + " relocates section " + std::to_string(table.sh_info) + " of " +
                       std::to_string(headers.size()));
    size_t target = mappedAs[table.sh_info];
    const Elf64_Shdr &relocated = headers[table.sh_info];
    if (target == notMapped && (!(relocated.sh_flags & SHF_ALLOC) || relocated.sh_size == 0))
      return {}; // debug information is not loaded
    if (table.sh_type == SHT_REL)
      return malformed(where(i) + ": relocations without addends; expected SHT_RELA");
    if (table.sh_link != symbolTable || table.sh_entsize != sizeof(Elf64_Rela) ||
        table.sh_size % sizeof(Elf64_Rela) || !contains(table.sh_offset, table.sh_size))
      return malformed(where(i) + ": the relocation table has a wrong size or symbol table");
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela raw;
      std::memcpy(&raw, file.data() + table.sh_offset + at, sizeof(raw));
      if (ELF64_R_TYPE(raw.r_info) != R_X86_64_NONE)
        KILN_RETURN_IF_ERROR(readRelocation(raw, table.sh_info));
    }
    return {};
  }

  Status readRelocation(const Elf64_Rela &raw, size_t section) {
    uint32_t type = static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info));
    std::string place = "section " + quotedName(names[section]) + " offset " + std::to_string(raw.r_offset);
    bool mapped = mappedAs[section] != notMapped;
    bool unwinds = !mapped && type == R_X86_64_PC64; // a distance in an unwind table
    if (type != R_X86_64_PC32 && type != R_X86_64_PLT32 && !unwinds)
      return malformed(place + ": relocation " + relocationName(type) +
                       "; expected R_X86_64_PC32 or R_X86_64_PLT32");
    uint64_t width = unwinds ? 8 : 4;
    if (headers[section].sh_size < width || raw.r_offset > headers[section].sh_size - width)
      return malformed(place + ": a relocation outside the section");
    ElfObject::Relocation relocation = {mappedAs[section], raw.r_offset, raw.r_addend, 0};
    KILN_RETURN_IF_ERROR(useSymbol(ELF64_R_SYM(raw.r_info), relocation.symbol));
    if (mapped) // ORC alone registers unwind tables, but what it gets has been checked
      object.theRelocations.push_back(relocation);
    return {};
  }

  std::span<const std::byte> file;
  ElfObject object;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Shdr> headers;
  std::vector<std::string_view> names;
  std::vector<size_t> mappedAs; // by section of the file: index into object.theSections, or notMapped
  size_t symbolTable = 0;       // 0, the null section: none
  std::vector<Elf64_Sym> rawSymbols;
  std::map<size_t, size_t> used; // symbol of the file -> index into object.theSymbols
};

Result<ElfObject> ElfObject::parse(std::span<const std::byte> file) { return ElfParser(file).run(); }

Result<ElfObject::Symbol> ElfObject::entry(std::string_view name) const {
  for (const Symbol &symbol : theSymbols) {
    if (symbol.name != name || !symbol.isDefined)
      continue;
    const Section &section = theSections[symbol.section];
    if (!section.executable || symbol.offset >= section.bytes.size())
      return malformed("symbol " + quotedName(name) + " is no function");
    return symbol;
  }
  return Status(Code::NotFound, "host-elf object: no function " + quotedName(name));
}

} // namespace kiln::host
