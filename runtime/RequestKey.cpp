// RequestKey.cpp: every field enters as tag length, tag, value length, value: no two field lists collide.
#include "runtime/RequestKey.h"

#include "runtime/HostTable.h"

#include <fmt/format.h>

namespace kiln {

namespace {

constexpr int64_t kRequestSchemaVersion = 1; // of the program format and of the fields below

void addLength(Sha256 &digest, uint64_t length) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(length >> (8 * i));
  digest.update(ByteSpan(bytes));
}

} // namespace

void KeyBuilder::add(std::string_view tag, std::string_view value) {
  addLength(digest, tag.size());
  digest.update(tag);
  addLength(digest, value.size());
  digest.update(value);
  key.fields.emplace_back(tag, Sha256::of(value));
}

void KeyBuilder::add(std::string_view tag, int64_t value) { add(tag, fmt::to_string(value)); }

RequestKey KeyBuilder::finish() {
  key.hex = digest.finish();
  return std::move(key);
}

std::vector<std::pair<std::string, std::string>> entryFields(const RequestKey &key) {
  constexpr size_t digits = 16;
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto &[tag, digest] : key.fields)
    fields.emplace_back(tag, digest.substr(0, digits));
  return fields;
}

std::vector<std::string> differingFields(const RequestKey &lhs, const RequestKey &rhs) {
  std::vector<std::string> tags;
  size_t count = std::max(lhs.fields.size(), rhs.fields.size());
  for (size_t i = 0; i < count; ++i) {
    if (i < lhs.fields.size() && i < rhs.fields.size() && lhs.fields[i] == rhs.fields[i])
      continue;
    tags.push_back(i < lhs.fields.size() ? lhs.fields[i].first : rhs.fields[i].first);
  }
  return tags;
}

RequestKey programRequestKey(const ProgramRequest &request) {
  KeyBuilder builder("program");
  builder.add("schema", kRequestSchemaVersion);
  builder.add("runtime-abi", fmt::format("{}.{}", KILN_ABI_MAJOR, KILN_ABI_MINOR));
  builder.add("runtime-symbols", static_cast<int64_t>(kRuntimeSymbolsVersion));
  builder.add("model", request.modelDigest);
  builder.add("function", request.function);
  builder.add("compiler", request.compilerVersion);
  builder.add("backend", request.backendVersion);
  builder.add("device-type", request.target.deviceType);
  builder.add("triple", request.target.triple);
  builder.add("arch", request.target.arch);
  builder.add("features", request.target.features);
  builder.add("options", request.target.options);
  for (size_t i = 0; i < request.inputDims.size(); ++i)
    builder.add(fmt::format("input-{}", i), fmt::format("{}", fmt::join(request.inputDims[i], "x")));
  return builder.finish();
}

} // namespace kiln
