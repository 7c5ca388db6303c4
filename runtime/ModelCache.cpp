// ModelCache.cpp: keys of models, digests of files by device, inode, size and times.
#include "runtime/ModelCache.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Cache_generated.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace kiln {

namespace {

constexpr int64_t kModelSchemaVersion = 1; // of ModelInfo and of the fields below
constexpr int64_t kSettledS = 2; // a file changed within this time may change again with the same times

EntryAddress addressOf(const RequestKey &key) {
  return {EntryKind::Model, *EntryKey::fromHex(key.hex), kModelSpace};
}

// A protobuf entry with the key "location": how ONNX names a file beside the model.
constexpr std::string_view kExternalData("\x0a\x08location", 10);
constexpr char kFilesMark = '+'; // behind the digest, in a memo

Result<ModelCache::Content> readContent(int fd, size_t size, const std::string &path) {
  if (size == 0)
    return ModelCache::Content{Sha256::of(ByteSpan()), false};
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED)
    return unknownError("file '{}': cannot be mapped: {}", path, std::strerror(errno));
  ModelCache::Content content;
  content.digest = Sha256::of(ByteSpan(static_cast<const uint8_t *>(memory), size));
  content.mayHaveFiles = ::memmem(memory, size, kExternalData.data(), kExternalData.size()) != nullptr;
  ::munmap(memory, size);
  return content;
}

} // namespace

RequestKey modelRequestKey(const ModelRequest &request) {
  KeyBuilder builder("model");
  builder.add("schema", kModelSchemaVersion);
  builder.add("content", request.contentDigest);
  builder.add("format", request.format);
  builder.add("ending", request.ending);
  builder.add("function", request.function);
  builder.add("compiler", request.compilerVersion);
  builder.add("precision", static_cast<int64_t>(request.precision));
  for (const auto &[name, dims] : request.shapes)
    builder.add(fmt::format("shape-{}", name), fmt::format("{}", fmt::join(dims, "x")));
  return builder.finish();
}

Result<ModelCache::Content> ModelCache::content(const std::string &path) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Status(errno == ENOENT ? Code::NotFound : Code::Unknown,
                  fmt::format("file '{}': {}", path, std::strerror(errno)));
  if (!S_ISREG(info.st_mode))
    return invalidArgument("'{}': not a regular file", path);
  KeyBuilder identity("file");
  identity.add("device", static_cast<int64_t>(info.st_dev));
  identity.add("inode", static_cast<int64_t>(info.st_ino));
  identity.add("size", info.st_size);
  for (auto [tag, time] : {std::pair("modified", info.st_mtim), std::pair("changed", info.st_ctim)})
    identity.add(tag, fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec));
  EntryAddress address = {EntryKind::Digest, *EntryKey::fromHex(identity.finish().hex), kModelSpace};
  if (std::optional<CacheEntry> known = stack.find(address, std::nullopt)) {
    ByteSpan bytes = known->payload.bytes;
    std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    bool hasMark = text.size() == Sha256::kHexDigits + 1 && text.back() == kFilesMark;
    text.resize(text.size() - hasMark);
    if (Sha256::isHexDigest(text))
      return Content{text, hasMark};
  }
  KILN_ASSIGN_OR_RETURN(Content content, readContent(file.get(), static_cast<size_t>(info.st_size), path));
  int64_t age = FileOps::system().nowS() - std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec);
  if (age > kSettledS) {
    EntryInfo about;
    about.name = std::filesystem::path(path).filename().string();
    std::string text = content.digest + (content.mayHaveFiles ? std::string(1, kFilesMark) : "");
    stack.insert(address, about, {reinterpret_cast<const uint8_t *>(text.data()), text.size()},
                 EntryLayout::Compact);
  }
  return content;
}

std::optional<ModelDeclaration> ModelCache::find(const RequestKey &key) {
  std::optional<CacheEntry> entry = stack.find(addressOf(key), std::nullopt);
  if (!entry)
    return std::nullopt;
  ByteSpan bytes = entry->payload.bytes;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<schema::ModelInfo>(nullptr)) {
    logWarn("cache", "model '{}': its entry is no well-formed declaration", entry->info.name);
    return std::nullopt;
  }
  const auto &info = *flatbuffers::GetRoot<schema::ModelInfo>(bytes.data());
  Result<std::vector<ModelPort>> inputs = decodePorts(info.inputs()), outputs = decodePorts(info.outputs());
  if (!inputs.ok() || !outputs.ok())
    return std::nullopt;
  return ModelDeclaration{info.digest()->str(), *std::move(inputs), *std::move(outputs)};
}

void ModelCache::insert(const RequestKey &key, const std::string &name, const ModelDeclaration &declaration) {
  if (!stack.writes())
    return;
  schema::ModelInfoT info;
  info.digest = declaration.digest;
  info.inputs = encodePorts(declaration.inputs);
  info.outputs = encodePorts(declaration.outputs);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::ModelInfo::Pack(builder, &info));
  EntryInfo about;
  about.name = name;
  for (const auto &[tag, digest] : key.fields)
    about.fields.emplace_back(tag, digest.substr(0, 16));
  stack.insert(addressOf(key), about, {builder.GetBufferPointer(), builder.GetSize()}, EntryLayout::Compact);
}

} // namespace kiln
