// ProgramFile.cpp: reads by mmap, writes weights first so that offsets are known when the flatbuffer is
// built.
#include "runtime/ProgramFile.h"

#include "runtime/Error.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Program_generated.h"

#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {

namespace {

constexpr char kProgramMagic[8] = {'K', 'I', 'L', 'N', 'P', 'R', 'G', '\0'};
constexpr uint32_t kProgramFileFormat = 1;
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kInlineConstantBytes = 1024; // smaller constants are not worth a page
constexpr uint64_t kProgramAlignment = 64;

struct ProgramChecksum {
  uint64_t low, high;
  friend bool operator==(const ProgramChecksum &, const ProgramChecksum &) = default;
};

struct ProgramHeader {
  char magic[8];
  uint32_t format, flags; // flags: 0
  uint64_t dataOffset, dataBytes, programOffset, programBytes;
  ProgramChecksum data, program;
  ProgramChecksum header; // of all that stands before it
};
static_assert(sizeof(ProgramHeader) == 96);

ProgramChecksum checksumOf(const void *bytes, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return {hash.low64, hash.high64};
}

bool isFile(ByteSpan bytes) {
  return bytes.size() >= sizeof(kProgramMagic) &&
         std::memcmp(bytes.data(), kProgramMagic, sizeof(kProgramMagic)) == 0;
}

Status fileError(const std::string &path, const char *action) {
  int error = errno;
  std::string text = fmt::format("file '{}': cannot {}: {}", path, action, std::strerror(error));
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return Status(Code::NotFound, text);
  case EACCES:
  case EPERM:
  case EROFS:
    return Status(Code::PermissionDenied, text);
  case ENOSPC:
  case EDQUOT:
  case ENOMEM:
    return Status(Code::ResourceExhausted, text);
  default:
    return Status(Code::Unknown, text);
  }
}

/// A file descriptor that closes itself.
struct ProgramDescriptor {
  int fd;
  ~ProgramDescriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};

Result<OwnedBytes> mapFile(const std::string &path) {
  ProgramDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return fileError(path, "open");
  struct stat info = {};
  if (::fstat(file.fd, &info) != 0)
    return fileError(path, "stat");
  if (!S_ISREG(info.st_mode))
    return invalidArgument("file '{}': not a regular file", path);
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return dataLoss("file '{}': empty; expected a program file", path);
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (memory == MAP_FAILED)
    return fileError(path, "map");
  std::shared_ptr<const void> owner(memory, [size](void *p) { ::munmap(p, size); });
  return OwnedBytes{{static_cast<const uint8_t *>(memory), size}, std::move(owner)};
}

// Where the flatbuffer stands in a file's bytes; every checksum is compared.
Result<ByteSpan> checkFileHeader(ByteSpan bytes, std::string_view name) {
  ProgramHeader header;
  if (bytes.size() < sizeof(header))
    return dataLoss("file '{}': {} bytes; truncated inside the header", name, bytes.size());
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.header != checksumOf(bytes.data(), offsetof(ProgramHeader, header)))
    return dataLoss("file '{}': checksum of the header does not match", name);
  if (header.format != kProgramFileFormat || header.flags != 0)
    return unimplemented("file '{}': format {} with flags {}; this runtime knows format {} with flags 0",
                         name, header.format, header.flags, kProgramFileFormat);
  auto inside = [&](uint64_t offset, uint64_t size) {
    return offset % kPageBytes == 0 && offset <= bytes.size() && size <= bytes.size() - offset;
  };
  if (!inside(header.dataOffset, header.dataBytes) || !inside(header.programOffset, header.programBytes) ||
      header.programOffset + header.programBytes != bytes.size())
    return dataLoss("file '{}': {} bytes; the header speaks of {}: truncated or overwritten", name,
                    bytes.size(), header.programOffset + header.programBytes);
  if (header.program != checksumOf(bytes.data() + header.programOffset, header.programBytes))
    return dataLoss("file '{}': checksum of the program does not match", name);
  if (header.data != checksumOf(bytes.data() + header.dataOffset, header.dataBytes))
    return dataLoss("file '{}': checksum of the weights does not match", name);
  return bytes.subspan(header.programOffset, header.programBytes);
}

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Writes a file front to back and keeps the first error.
class Writer {
public:
  Writer(int fd, const std::string &path) : fd(fd), path(path) {}
  Status write(const void *bytes, size_t size) {
    const char *from = static_cast<const char *>(bytes);
    while (size > 0) {
      ssize_t written = ::write(fd, from, size);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fileError(path, "write");
      from += written;
      size -= written;
      position += written;
    }
    return {};
  }
  Status padTo(uint64_t target) {
    static constexpr char zeros[kPageBytes] = {};
    while (position < target)
      KILN_RETURN_IF_ERROR(write(zeros, std::min<uint64_t>(kPageBytes, target - position)));
    return {};
  }
  uint64_t offset() const { return position; }

private:
  int fd;
  const std::string &path;
  uint64_t position = 0;
};

/// Streams the data section while it digests it, padding included.
class DataSection {
public:
  DataSection() : state(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state.get()); }
  Status add(Writer &writer, ByteSpan bytes) {
    uint64_t padded = alignUp(bytes.size(), kPageBytes);
    KILN_RETURN_IF_ERROR(writer.write(bytes.data(), bytes.size()));
    XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
    const std::string padding(padded - bytes.size(), '\0');
    XXH3_128bits_update(state.get(), padding.data(), padding.size());
    return writer.write(padding.data(), padding.size());
  }
  ProgramChecksum checksum() const {
    XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    return {hash.low64, hash.high64};
  }

private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state;
};

Status writeContents(Writer &writer, schema::ProgramT &program, const ConstantLookup &constants,
                     ProgramHeader &header) {
  KILN_RETURN_IF_ERROR(writer.padTo(kPageBytes)); // the header's place
  DataSection data;
  header.dataOffset = writer.offset();
  for (auto &constant : program.constants) {
    KILN_ASSIGN_OR_RETURN(ByteSpan bytes, constants(constant->digest));
    if (bytes.size() != constant->bytes)
      return invalidArgument("constant '{}' ({}): {} bytes; expected {}", constant->name, constant->digest,
                             bytes.size(), constant->bytes);
    constant->inline_data.clear();
    constant->file_offset = 0;
    if (bytes.size() < kInlineConstantBytes) {
      constant->inline_data.assign(bytes.begin(), bytes.end());
      continue;
    }
    constant->file_offset = writer.offset();
    KILN_RETURN_IF_ERROR(data.add(writer, bytes));
  }
  header.dataBytes = writer.offset() - header.dataOffset;
  header.data = data.checksum();
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &program));
  header.programOffset = writer.offset();
  header.programBytes = builder.GetSize();
  header.program = checksumOf(builder.GetBufferPointer(), builder.GetSize());
  return writer.write(builder.GetBufferPointer(), builder.GetSize());
}

} // namespace

bool ProgramFile::recognise(ByteSpan head) { return isFile(head) || looksLikeProgram(head); }

Result<std::shared_ptr<ProgramFile>> ProgramFile::fromOwned(OwnedBytes bytes, std::string_view name) {
  auto file = std::shared_ptr<ProgramFile>(new ProgramFile());
  OwnedBytes program = bytes;
  ProgramVerifierOptions options;
  if (isFile(bytes.bytes)) {
    KILN_ASSIGN_OR_RETURN(program.bytes, checkFileHeader(bytes.bytes, name));
    options.file = bytes.bytes;
  } else if (!looksLikeProgram(bytes.bytes)) {
    return dataLoss("file '{}': neither a program file nor a program flatbuffer", name);
  }
  Result<VerifiedProgram> verified = verifyProgram(program, options);
  if (!verified.ok())
    return withContext(verified.status(), "file '{}'", name);
  file->verified = *std::move(verified);
  file->theDigest = Sha256::of(program.bytes);
  file->theBytes = std::move(bytes);
  return file;
}

Result<ProgramFileRef> ProgramFile::open(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, mapFile(path));
  KILN_ASSIGN_OR_RETURN(ProgramFileRef file, fromOwned(std::move(bytes), path));
  return file;
}

Result<ProgramFileRef> ProgramFile::fromBytes(ByteSpan bytes, std::string_view name) {
  KILN_ASSIGN_OR_RETURN(ProgramFileRef file, fromOwned(copyBytes(bytes), name));
  return file;
}

Result<ProgramFileRef> ProgramFile::fromProgram(OwnedBytes program, std::string_view name,
                                                const ConstantSource &made) {
  bool aligned = reinterpret_cast<uintptr_t>(program.bytes.data()) % kProgramAlignment == 0;
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<ProgramFile> file,
                        fromOwned(aligned ? std::move(program) : copyBytes(program.bytes), name));
  const auto *constants = file->program().constants();
  for (uint32_t i = 0; constants && i < constants->size(); ++i) {
    const schema::Constant &constant = *constants->Get(i);
    if (!constant.is_made() || constant.bytes() == 0 || !file->constantBytes(i).empty())
      continue;
    OwnedBytes bytes = made ? made(constant.digest()->string_view()) : OwnedBytes();
    if (bytes.bytes.size() != constant.bytes())
      return notFound("'{}': constant {} ({}): {} bytes; expected {}", name, i,
                      constant.digest()->string_view(), bytes.bytes.size(), constant.bytes());
    file->madeConstants[i] = std::move(bytes);
  }
  return ProgramFileRef(std::move(file));
}

ByteSpan ProgramFile::constantBytes(uint32_t index) const {
  const schema::Constant &constant = *program().constants()->Get(index);
  if (constant.inline_data())
    return {constant.inline_data()->data(), constant.inline_data()->size()};
  if (constant.file_offset() != 0)
    return theBytes.bytes.subspan(constant.file_offset(), constant.bytes());
  auto made = madeConstants.find(index);
  return made == madeConstants.end() ? ByteSpan() : made->second.bytes;
}

Status writeProgramFile(const std::string &path, schema::ProgramT program, const ConstantLookup &constants) {
  std::string temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  ProgramDescriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (file.fd < 0)
    return fileError(temporary, "create");
  ProgramHeader header = {};
  std::memcpy(header.magic, kProgramMagic, sizeof(kProgramMagic));
  header.format = kProgramFileFormat;
  Writer writer(file.fd, temporary);
  Status status = writeContents(writer, program, constants, header);
  if (status.ok()) {
    header.header = checksumOf(&header, offsetof(ProgramHeader, header));
    if (::pwrite(file.fd, &header, sizeof(header), 0) != sizeof(header))
      status = fileError(temporary, "write");
    else if (::rename(temporary.c_str(), path.c_str()) != 0)
      status = fileError(path, "rename to");
  }
  if (!status.ok())
    ::unlink(temporary.c_str());
  return status;
}

} // namespace kiln
