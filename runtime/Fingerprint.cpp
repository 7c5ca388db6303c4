// Fingerprint.cpp: compares fingerprints key by key; reads ELF notes with pread, every offset checked.
#include "runtime/Fingerprint.h"

#include "kiln/BackendNote.h"
#include "kiln/BuildFingerprint.h" // KILN_LLVM_FINGERPRINT, written by CMake
#include "runtime/Error.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kiln {

namespace {

constexpr uint64_t kMaxNoteBytes = 64 * 1024; // a segment of notes; ours is a few hundred bytes
constexpr uint16_t kMaxSegments = 256;

/// An open file that is closed at the end of the scope.
struct File {
  int fd;
  ~File() {
    if (fd >= 0)
      ::close(fd);
  }
  bool read(void *to, uint64_t bytes, uint64_t offset) const {
    return offset <= INT64_MAX &&
           ::pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
};

std::pair<uint32_t, uint32_t> version(std::string_view text) {
  uint32_t major = 0, minor = 0;
  auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && dot != text.data() + text.size())
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  return {major, minor};
}

uint64_t padded(uint64_t bytes) { return (bytes + 3) & ~uint64_t(3); }

/// A kind of note: its owner with the closing zero, its type; what to say of a file without one.
struct NoteKind {
  std::string_view owner;
  uint32_t type;
  const char *absent;
};
constexpr NoteKind kKilnNote = {{"Kiln", 5}, 1, "no Kiln note; was it built with add_kiln_backend?"};
constexpr NoteKind kBuildId = {{"GNU", 4}, NT_GNU_BUILD_ID, "no build id; was it linked with --build-id?"};

// The bytes of the first note of a kind in a segment of notes.
std::optional<std::string> findNote(const std::vector<char> &segment, NoteKind kind) {
  uint64_t at = 0;
  while (segment.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    memcpy(&header, segment.data() + at, sizeof header);
    uint64_t owner = at + sizeof header, text = owner + padded(header.n_namesz);
    if (text + header.n_descsz > segment.size())
      return std::nullopt; // damaged; sizes are 32 bits, the sums do not wrap
    if (header.n_type == kind.type && std::string_view(segment.data() + owner, header.n_namesz) == kind.owner)
      return std::string(segment.data() + text, header.n_descsz);
    at = std::min<uint64_t>(text + padded(header.n_descsz), segment.size());
  }
  return std::nullopt;
}

Result<std::string> readNote(const std::string &path, NoteKind kind) {
  File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    return notFound("{}: {}", path, strerror(errno));
  struct stat info;
  if (fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode))
    return invalidArgument("{}: not a regular file", path);
  Elf64_Ehdr header;
  if (!file.read(&header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return invalidArgument("{}: not an ELF file", path);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_DYN)
    return invalidArgument("{}: not a 64-bit shared library", path);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxSegments)
    return invalidArgument("{}: damaged program headers", path);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(&segment, sizeof segment, header.e_phoff + i * sizeof segment))
      return invalidArgument("{}: truncated", path);
    if (segment.p_type != PT_NOTE)
      continue;
    std::vector<char> bytes(std::min(segment.p_filesz, kMaxNoteBytes));
    if (!file.read(bytes.data(), bytes.size(), segment.p_offset))
      return invalidArgument("{}: truncated", path);
    if (std::optional<std::string> note = findNote(bytes, kind))
      return *note;
  }
  return notFound("{}: {}", path, kind.absent);
}

} // namespace

std::string_view ownFingerprint(Tier tier) {
  return tier == Tier::Runtime ? KILN_ABI_FINGERPRINT ";tier=runtime;" KILN_CXX_FINGERPRINT
                               : KILN_ABI_FINGERPRINT ";tier=compiler;" KILN_LLVM_FINGERPRINT
                                                      ";" KILN_CXX_FINGERPRINT;
}

std::string_view fingerprintValue(std::string_view fingerprint, std::string_view key) {
  while (!fingerprint.empty()) {
    size_t end = std::min(fingerprint.find(';'), fingerprint.size());
    std::string_view part = fingerprint.substr(0, end);
    if (part.starts_with(key) && part.size() > key.size() && part[key.size()] == '=')
      return part.substr(key.size() + 1);
    fingerprint.remove_prefix(std::min(end + 1, fingerprint.size()));
  }
  return {};
}

std::string fingerprintMismatch(Tier tier, std::string_view theirs, std::string_view ours) {
  auto differs = [&](std::string_view key) {
    return fingerprintValue(theirs, key) != fingerprintValue(ours, key);
  };
  auto say = [&](std::string_view what, std::string_view key) {
    return fmt::format("built for {} {}, this is {}", what, fingerprintValue(theirs, key),
                       fingerprintValue(ours, key));
  };
  auto [theirMajor, theirMinor] = version(fingerprintValue(theirs, "abi"));
  auto [ourMajor, ourMinor] = version(fingerprintValue(ours, "abi"));
  if (theirMajor != ourMajor || theirMinor > ourMinor)
    return say("Kiln's ABI", "abi");
  if (differs("tier"))
    return fmt::format("a library of the {} tier; expected the {} tier", fingerprintValue(theirs, "tier"),
                       fingerprintValue(ours, "tier"));
  if (differs("sanitizer")) // one runtime of a sanitizer a process, in either tier
    return say("sanitizer", "sanitizer");
  if (tier == Tier::Runtime)
    return ""; // plain C: the C++ library is the backend's own business
  constexpr std::pair<const char *, const char *> exact[] = {{"llvm", "LLVM"},
                                                             {"libmlir", "the libMLIR with build id"},
                                                             {"libllvm", "the libLLVM with build id"},
                                                             {"kiln", "Kiln's version"},
                                                             {"rtti", "RTTI ="},
                                                             {"cxxlib", "C++ library"}};
  for (auto [key, what] : exact)
    if (differs(key))
      return say(what, key);
  return "";
}

Result<std::string> readElfNote(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::string note, readNote(path, kKilnNote));
  return note.substr(0, note.find('\0'));
}

Status checkElfNote(Tier tier, const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::string note, readElfNote(path));
  if (std::string why = fingerprintMismatch(tier, note, ownFingerprint(tier)); !why.empty())
    return failedPrecondition("{} ({}, its ELF note); rebuild it against this Kiln", why, path);
  return {};
}

Result<std::string> readBuildId(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::string note, readNote(path, kBuildId));
  std::string hex;
  for (unsigned char byte : note)
    hex += fmt::format("{:02x}", byte);
  return hex;
}

} // namespace kiln
