// ProgramCache.cpp: a program from a file is verified as any; its weights are asked for by their digests.
#include "runtime/ProgramCache.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Cache_generated.h"

#include <algorithm>
#include <unordered_map>

namespace kiln {

namespace {

constexpr size_t kMaxPatterns = 64; // of one model

std::string deviceTypeOf(const ProgramFile &program) {
  const auto *type = program.program().target()->device_type();
  return type ? type->str() : std::string();
}

EntryAddress weightAddress(std::string_view digest) {
  return {EntryKind::Weight, *EntryKey::fromHex(digest), kWeightSpace};
}

EntryAddress shapesAddress(const RequestKey &key, const std::string &deviceType) {
  KeyBuilder builder("shapes");
  builder.add("request", key.hex);
  return {EntryKind::Shapes, *EntryKey::fromHex(builder.finish().hex), spaceOf(deviceType)};
}

/// The root of a well-formed buffer, else null.
template <typename T> const T *verifiedRoot(const CacheEntry &entry) {
  ByteSpan bytes = entry.payload.bytes;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return verifier.VerifyBuffer<T>(nullptr) ? flatbuffers::GetRoot<T>(bytes.data()) : nullptr;
}

template <typename T> flatbuffers::FlatBufferBuilder packed(const T &contents) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(T::TableType::Pack(builder, &contents));
  return builder;
}

ByteSpan bytesOf(const flatbuffers::FlatBufferBuilder &builder) {
  return {builder.GetBufferPointer(), builder.GetSize()};
}

} // namespace

std::optional<InputDims> decodePattern(const schema::ShapePattern &pattern) {
  InputDims dims;
  size_t at = 0, count = pattern.dims() ? pattern.dims()->size() : 0;
  for (uint32_t i = 0; pattern.ranks() && i < pattern.ranks()->size(); ++i) {
    size_t rank = pattern.ranks()->Get(i);
    if (rank > count - at)
      return std::nullopt;
    std::vector<int64_t> &input = dims.emplace_back();
    for (size_t axis = 0; axis < rank; ++axis)
      input.push_back(pattern.dims()->Get(static_cast<uint32_t>(at++)));
  }
  return at == count ? std::optional(std::move(dims)) : std::nullopt;
}

bool patternAccepts(const InputDims &pattern, std::span<const std::vector<int64_t>> dims) {
  auto accepts = [](int64_t mine, int64_t theirs) {
    return mine == theirs || (mine == -1 && theirs != kBroadcastExtent);
  };
  return std::equal(pattern.begin(), pattern.end(), dims.begin(), dims.end(),
                    [&](const std::vector<int64_t> &mine, const std::vector<int64_t> &theirs) {
                      return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), accepts);
                    });
}

EntryAddress ProgramCache::programAddress(const RequestKey &key, const std::string &deviceType) {
  return {EntryKind::Program, *EntryKey::fromHex(key.hex), spaceOf(deviceType)};
}

ProgramFileRef ProgramCache::find(const EntryAddress &address, const std::string &name) {
  std::optional<CacheEntry> entry = stack.find(address, std::nullopt);
  if (!entry)
    return nullptr;
  Result<ProgramFileRef> program = ProgramFile::fromProgram(
      std::move(entry->payload), name, [&](std::string_view digest) { return findWeight(digest); });
  if (program.ok() && spaceOf(deviceTypeOf(**program)) == address.space)
    return *program;
  logWarn("cache", "program of '{}': {}; it counts as absent", name,
          program.ok() ? "for another device" : program.status().message());
  if (program.status().code() == Code::NotFound) // a weight was evicted before it
    return nullptr;
  if (stack.folder())
    stack.folder()->quarantine(address.path(), EntryFault::Payload);
  return nullptr;
}

Result<ProgramFileRef> ProgramCache::insert(const EntryAddress &address, const RequestKey &key,
                                            ProgramFileRef program, const std::string &name, uint64_t buildUs,
                                            const ConstantLookup &weights) {
  if (!stack.writes() || stack.layers().empty())
    return program;
  schema::ProgramT contents;
  program->program().UnPackTo(&contents);
  std::unordered_map<std::string, ByteSpan> made; // by the compiler: no model has them
  for (uint32_t i = 0; i < contents.constants.size(); ++i) {
    schema::ConstantT &constant = *contents.constants[i];
    ByteSpan bytes = program->constantBytes(i);
    if (constant.bytes == 0 || (!bytes.empty() && bytes.size() < kInlineWeightBytes))
      continue;
    bool isMade = !bytes.empty();
    if (!isMade) {
      KILN_ASSIGN_OR_RETURN(bytes, weights(constant.digest));
    }
    if (bytes.size() < kInlineWeightBytes) {
      constant.inline_data.assign(bytes.begin(), bytes.end());
      continue;
    }
    insertWeight(constant.digest, bytes, constant.name);
    if (isMade && stack.contains(weightAddress(constant.digest))) {
      constant.inline_data.clear();
      constant.is_made = true;
      made.emplace(constant.digest, bytes);
    }
  }
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &contents));
  KILN_ASSIGN_OR_RETURN(
      ProgramFileRef kept,
      ProgramFile::fromProgram(copyBytes(bytesOf(builder)), name, [&](std::string_view digest) {
        auto it = made.find(std::string(digest));
        return it == made.end() ? OwnedBytes() : OwnedBytes{it->second, program};
      }));
  EntryInfo info;
  info.name = name;
  info.deviceType = deviceTypeOf(*kept);
  info.compileUs = buildUs;
  info.fields = entryFields(key);
  stack.insert(address, std::move(info), bytesOf(builder), EntryLayout::Compact);
  return kept;
}

OwnedBytes ProgramCache::findWeight(std::string_view digest) {
  if (!Sha256::isHexDigest(digest))
    return {};
  std::optional<CacheEntry> entry = stack.find(weightAddress(digest), std::nullopt);
  return entry ? std::move(entry->payload) : OwnedBytes();
}

void ProgramCache::insertWeight(const std::string &digest, ByteSpan bytes, const std::string &name) {
  if (!Sha256::isHexDigest(digest) || stack.contains(weightAddress(digest)))
    return;
  EntryInfo info;
  info.name = name;
  stack.insert(weightAddress(digest), std::move(info), bytes, EntryLayout::Pages);
}

std::vector<InputDims> ProgramCache::patterns(const RequestKey &key, const std::string &deviceType) {
  std::vector<InputDims> patterns;
  std::optional<CacheEntry> entry = stack.find(shapesAddress(key, deviceType), std::nullopt);
  const auto *record = entry ? verifiedRoot<schema::ShapeRecord>(*entry) : nullptr;
  for (uint32_t i = 0; record && record->patterns() && i < record->patterns()->size(); ++i)
    if (std::optional<InputDims> pattern = decodePattern(*record->patterns()->Get(i)))
      patterns.push_back(*std::move(pattern));
  return patterns;
}

void ProgramCache::addPattern(const RequestKey &key, const std::string &deviceType,
                              const InputDims &pattern) {
  if (!stack.writes())
    return;
  EntryAddress address = shapesAddress(key, deviceType);
  CacheStack::Turn turn = stack.takeTurn(address); // others add theirs
  std::vector<InputDims> all;
  if (stack.contains(address) && stack.reads())
    all = patterns(key, deviceType);
  if (std::find(all.begin(), all.end(), pattern) != all.end())
    return;
  all.insert(all.begin(), pattern);
  all.resize(std::min(all.size(), kMaxPatterns));
  schema::ShapeRecordT record;
  for (const InputDims &one : all) {
    auto entry = std::make_unique<schema::ShapePatternT>();
    for (const std::vector<int64_t> &input : one) {
      entry->ranks.push_back(static_cast<uint32_t>(input.size()));
      entry->dims.insert(entry->dims.end(), input.begin(), input.end());
    }
    record.patterns.push_back(std::move(entry));
  }
  EntryInfo info;
  info.deviceType = deviceType;
  stack.insert(address, std::move(info), bytesOf(packed(record)), EntryLayout::Compact);
}

std::vector<PackedBytes> ProgramCache::findPacked(const ProgramFile &program) {
  if (!stack.reads() || stack.layers().empty() || !prologueLaunches(program))
    return {};
  std::optional<CacheEntry> entry = stack.find(packedAddress(program), std::nullopt);
  if (!entry)
    return {};
  return decodePacked(*entry, [&](std::string_view digest) { return findWeight(digest); });
}

void ProgramCache::insertPacked(const ProgramFile &program, const std::vector<PackedBytes> &buffers) {
  if (!stack.writes())
    return;
  Result<std::vector<uint8_t>> payload =
      encodePacked(buffers, [&](const std::string &digest, ByteSpan bytes) -> Status {
        insertWeight(digest, bytes, "packed");
        return {};
      });
  if (!payload.ok())
    return;
  EntryInfo info;
  info.name = program.program().name() ? program.program().name()->str() : std::string();
  info.deviceType = deviceTypeOf(program);
  stack.insert(packedAddress(program), std::move(info), *payload, EntryLayout::Compact);
}

} // namespace kiln
