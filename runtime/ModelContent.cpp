// ModelContent.cpp: ONNX names files beside a model in protobuf entries with the key "location"; they are
// found without a parser, which would have to be as large as the importer's.
#include "runtime/ModelContent.h"

#include "runtime/Error.h"
#include "runtime/RequestKey.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Cache_generated.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace kiln {

namespace {

constexpr int64_t kSchemaVersion = 2; // of FileDigest and of the fields of its key
constexpr int64_t kSettledS = 2;      // a file changed within this time may change again with the same times
constexpr size_t kMaxLocations = 4096, kMaxLocationBytes = 4096;
constexpr const char *kAbsent = "absent", *kNotAllowed = "not allowed";

// StringStringEntryProto{key: "location"}, and the tag of the value that stands behind it.
constexpr std::string_view kLocationKey("\x0a\x08location", 10);
constexpr uint8_t kValueTag = 0x12;

/// What one file holds.
struct FileContent {
  std::string digest;
  std::vector<std::string> locations; // sorted
  bool isUnderstood = true;           // false: it names files by other means
};

/// The value behind a key: a length of up to two bytes, so many bytes. Nothing if it is not that.
std::optional<std::string_view> valueAt(std::string_view rest) {
  if (rest.size() < 2 || static_cast<uint8_t>(rest[0]) != kValueTag)
    return std::nullopt;
  size_t length = static_cast<uint8_t>(rest[1]), at = 2;
  if (length >= 0x80) {
    if (rest.size() < 3 || static_cast<uint8_t>(rest[2]) >= 0x80)
      return std::nullopt;
    length = (length & 0x7f) | static_cast<size_t>(static_cast<uint8_t>(rest[2])) << 7;
    at = 3;
  }
  if (length > kMaxLocationBytes || length > rest.size() - at)
    return std::nullopt;
  return rest.substr(at, length);
}

// Bytes of a weight may look like an entry: then the name of a file that is not there becomes part of the
// key, which harms nothing.
void findLocations(std::string_view bytes, FileContent &content) {
  size_t at = 0;
  for (; content.isUnderstood; at += kLocationKey.size()) {
    const void *found =
        ::memmem(bytes.data() + at, bytes.size() - at, kLocationKey.data(), kLocationKey.size());
    if (!found)
      break;
    at = static_cast<size_t>(static_cast<const char *>(found) - bytes.data());
    std::optional<std::string_view> value = valueAt(bytes.substr(at + kLocationKey.size()));
    if (!value)
      content.isUnderstood = false;
    else if (content.locations.empty() || content.locations.back() != *value)
      content.locations.emplace_back(*value);
  }
  std::sort(content.locations.begin(), content.locations.end());
  content.locations.erase(std::unique(content.locations.begin(), content.locations.end()),
                          content.locations.end());
  content.isUnderstood &= content.locations.size() <= kMaxLocations;
}

Result<FileContent> readContent(int fd, size_t size, const std::string &path, bool mayName) {
  FileContent content;
  if (size == 0) {
    content.digest = Sha256::of(ByteSpan());
    return content;
  }
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED)
    return unknownError("file '{}': cannot be mapped: {}", path, std::strerror(errno));
  content.digest = Sha256::of(ByteSpan(static_cast<const uint8_t *>(memory), size));
  if (mayName)
    findLocations({static_cast<const char *>(memory), size}, content);
  ::munmap(memory, size);
  return content;
}

RequestKey identityOf(const struct stat &info, bool mayName) {
  KeyBuilder identity("file");
  identity.add("schema", kSchemaVersion);
  identity.add("names", static_cast<int64_t>(mayName));
  identity.add("device", static_cast<int64_t>(info.st_dev));
  identity.add("inode", static_cast<int64_t>(info.st_ino));
  identity.add("size", info.st_size);
  for (auto [tag, time] : {std::pair("modified", info.st_mtim), std::pair("changed", info.st_ctim)})
    identity.add(tag, fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec));
  return identity.finish();
}

std::optional<FileContent> remembered(CacheStack &stack, const EntryAddress &address) {
  std::optional<CacheEntry> entry = stack.find(address, std::nullopt);
  if (!entry)
    return std::nullopt;
  ByteSpan bytes = entry->payload.bytes;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<schema::FileDigest>(nullptr))
    return std::nullopt;
  const auto &known = *flatbuffers::GetRoot<schema::FileDigest>(bytes.data());
  FileContent content{known.digest()->str(), {}, known.is_understood()};
  for (uint32_t i = 0; known.locations() && i < known.locations()->size(); ++i)
    content.locations.push_back(known.locations()->Get(i)->str());
  return Sha256::isHexDigest(content.digest) ? std::optional(std::move(content)) : std::nullopt;
}

void remember(CacheStack &stack, const EntryAddress &address, const std::string &path,
              const FileContent &content) {
  schema::FileDigestT known;
  known.digest = content.digest;
  known.locations = content.locations;
  known.is_understood = content.isUnderstood;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::FileDigest::Pack(builder, &known));
  EntryInfo about;
  about.name = std::filesystem::path(path).filename().string();
  stack.insert(address, about, {builder.GetBufferPointer(), builder.GetSize()}, EntryLayout::Compact);
}

/// One file; `identity` becomes what it was looked at as.
Result<FileContent> fileContent(CacheStack &stack, const std::string &path, bool mayName,
                                std::string &identity) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Status(errno == ENOENT ? Code::NotFound : Code::Unknown,
                  fmt::format("file '{}': {}", path, std::strerror(errno)));
  if (!S_ISREG(info.st_mode))
    return invalidArgument("'{}': not a regular file", path);
  identity = identityOf(info, mayName).hex;
  EntryAddress address = {EntryKind::Digest, *EntryKey::fromHex(identity), kModelSpace};
  if (std::optional<FileContent> known = remembered(stack, address))
    return *std::move(known);
  KILN_ASSIGN_OR_RETURN(FileContent content,
                        readContent(file.get(), static_cast<size_t>(info.st_size), path, mayName));
  int64_t age = FileOps::system().nowS() - std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec);
  if (age > kSettledS)
    remember(stack, address, path, content);
  return content;
}

/// A relative path below the model's folder, as importers ask for.
bool isAllowed(std::string_view location) {
  std::filesystem::path path(location);
  return !location.empty() && location.find('\0') == std::string_view::npos && path.is_relative() &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

} // namespace

bool ModelContent::isUnchanged() const {
  return std::all_of(identities.begin(), identities.end(), [&](const auto &file) {
    struct stat info = {};
    bool isThere = ::stat(file.first.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    bool isModel = &file == &identities.front();
    return isThere ? identityOf(info, isModel).hex == file.second : file.second.empty();
  });
}

std::string ModelContent::wholeDigest() const {
  if (files.empty())
    return digest;
  KeyBuilder whole("model with files");
  whole.add("model", digest);
  for (const auto &[location, fileDigest] : files) {
    whole.add("location", location);
    whole.add("digest", fileDigest);
  }
  return whole.finish().hex;
}

Result<ModelContent> modelContent(CacheStack &stack, const std::string &path) {
  ModelContent result;
  std::string identity;
  KILN_ASSIGN_OR_RETURN(FileContent model, fileContent(stack, path, /*mayName=*/true, identity));
  if (!model.isUnderstood)
    return unimplemented("it names files beside it in a way that is not understood without importing it");
  result.digest = std::move(model.digest);
  result.identities.emplace_back(path, identity);
  for (const std::string &location : model.locations) {
    if (!isAllowed(location)) {
      result.files.emplace_back(location, kNotAllowed);
      continue;
    }
    std::string beside = (std::filesystem::path(path).parent_path() / location).string();
    identity.clear();
    Result<FileContent> file = fileContent(stack, beside, /*mayName=*/false, identity);
    result.files.emplace_back(location, file.ok() ? file->digest : kAbsent);
    result.identities.emplace_back(beside, file.ok() ? identity : "");
  }
  return result;
}

} // namespace kiln
