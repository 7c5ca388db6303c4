// ModelCache.cpp: keys of models, what they declare.
#include "runtime/ModelCache.h"

#include "runtime/Error.h"
#include "runtime/Log.h"

#include "kiln/schema/Cache_generated.h"

namespace kiln {

namespace {

constexpr int64_t kModelSchemaVersion = 1; // of ModelInfo and of the fields below

} // namespace

EntryAddress ModelCache::addressOf(const RequestKey &key) {
  return {EntryKind::Model, *EntryKey::fromHex(key.hex), kModelSpace};
}

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

std::optional<ModelDeclaration> ModelCache::find(const RequestKey &key, const std::string &name) {
  std::optional<CacheEntry> entry = stack.find(addressOf(key), std::nullopt);
  if (!entry) {
    stack.describeMiss(addressOf(key), name, entryFields(key));
    return std::nullopt;
  }
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
  about.fields = entryFields(key);
  stack.insert(addressOf(key), about, {builder.GetBufferPointer(), builder.GetSize()}, EntryLayout::Compact);
}

} // namespace kiln
