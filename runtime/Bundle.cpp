// Bundle.cpp: chooses among variants; weights that several programs use stand in the file once.
#include "runtime/Bundle.h"

#include "runtime/Error.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Cache_generated.h"

#include <algorithm>
#include <set>

namespace kiln {

namespace {

EntryKey listKey() { return *EntryKey::fromHex(Sha256::of(std::string_view("kiln bundle"))); }

std::string dimsText(const InputDims &dims) {
  std::string text;
  for (const std::vector<int64_t> &input : dims) {
    text += text.empty() ? "" : ", ";
    for (size_t axis = 0; axis < input.size(); ++axis)
      text += (axis ? "x" : "") + (input[axis] < 0 ? std::string("?") : fmt::to_string(input[axis]));
    text += input.empty() ? "scalar" : "";
  }
  return text;
}

std::string textOf(const flatbuffers::String *text) { return text ? text->str() : std::string(); }

Result<CacheEntry> readEntry(const PackFile &pack, EntryKind kind, const EntryKey &key) {
  const PackFile::Record *record = pack.find(kind, key);
  if (!record)
    return notFound("no {} {}", entryKindName(kind), key.hex());
  EntryFault fault = EntryFault::None;
  return decodeEntry(pack.entryBytes(*record), {kind, key, std::nullopt}, fault);
}

std::unique_ptr<schema::ShapePatternT> encodePattern(const InputDims &dims) {
  auto pattern = std::make_unique<schema::ShapePatternT>();
  for (const std::vector<int64_t> &input : dims) {
    pattern->ranks.push_back(static_cast<uint32_t>(input.size()));
    pattern->dims.insert(pattern->dims.end(), input.begin(), input.end());
  }
  return pattern;
}

} // namespace

Result<BundleRef> Bundle::open(const std::string &path) {
  auto bundle = std::shared_ptr<Bundle>(new Bundle());
  KILN_ASSIGN_OR_RETURN(bundle->pack, PackFile::open(path, /*mustBeOurs=*/false));
  Result<CacheEntry> list = readEntry(*bundle->pack, EntryKind::Bundle, listKey());
  if (!list.ok())
    return list.status().code() == Code::NotFound
               ? dataLoss("'{}': a pack of cache entries; expected a bundle, which lists a model's programs",
                          path)
               : withContext(list.status(), "bundle '{}'", path);
  ByteSpan bytes = list->payload.bytes;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<schema::Bundle>(nullptr))
    return dataLoss("bundle '{}': its list is no well-formed flatbuffer", path);
  KILN_RETURN_IF_ERROR(bundle->decode(*flatbuffers::GetRoot<schema::Bundle>(bytes.data()), path));
  return BundleRef(std::move(bundle));
}

Status Bundle::decode(const schema::Bundle &contents, const std::string &path) {
  theName = textOf(contents.name());
  theModel.digest = contents.model()->digest()->str();
  KILN_ASSIGN_OR_RETURN(theModel.inputs, decodePorts(contents.model()->inputs()));
  KILN_ASSIGN_OR_RETURN(theModel.outputs, decodePorts(contents.model()->outputs()));
  for (uint32_t i = 0; contents.programs() && i < contents.programs()->size(); ++i) {
    const schema::BundleProgram &program = *contents.programs()->Get(i);
    std::optional<InputDims> pattern = decodePattern(*program.pattern());
    if (!pattern || pattern->size() != theModel.inputs.size())
      return dataLoss("bundle '{}': program {} is for shapes that do not fit the model", path, i);
    variants.push_back({program.device_type()->str(), textOf(program.features()), program.key()->str(),
                        program.rank(), *std::move(pattern)});
  }
  return {};
}

Result<ProgramFileRef> Bundle::program(const TargetDescription &target, InputDims &dims) const {
  const Variant *best = nullptr;
  auto isBetter = [](const Variant &a, const Variant &b) {
    auto dynamic = [](const Variant &v) { return dimsText(v.pattern).find('?') != std::string::npos; };
    return a.rank != b.rank ? a.rank > b.rank : dynamic(b) && !dynamic(a);
  };
  for (const Variant &variant : variants)
    if (variant.deviceType == target.deviceType && patternAccepts(variant.pattern, dims) &&
        missingFeatures(variant.features, target.features).empty() && (!best || isBetter(variant, *best)))
      best = &variant;
  if (!best) {
    std::set<std::string> have;
    for (const Variant &variant : variants)
      have.insert(fmt::format("'{}' for {}{}{}", variant.deviceType, dimsText(variant.pattern),
                              variant.features.empty() ? "" : " with ", variant.features));
    return failedPrecondition("bundle '{}': no program for '{}' with {}, shapes {}; it has {}", theName,
                              target.deviceType, target.features, dimsText(dims), fmt::join(have, ", "));
  }
  std::optional<EntryKey> key = EntryKey::fromHex(best->key);
  if (!key)
    return dataLoss("bundle '{}': '{}' is no key", theName, best->key);
  Result<CacheEntry> entry = readEntry(*pack, EntryKind::Program, *key);
  if (!entry.ok())
    return withContext(entry.status(), "bundle '{}': program for {}", theName, dimsText(best->pattern));
  dims = best->pattern;
  return ProgramFile::fromProgram(std::move(entry->payload), theName);
}

Result<OwnedBytes> Bundle::weight(std::string_view digest) const {
  std::optional<EntryKey> key = EntryKey::fromHex(digest);
  if (!key)
    return notFound("bundle '{}': '{}' is no digest of a weight", theName, digest);
  Result<CacheEntry> entry = readEntry(*pack, EntryKind::Weight, *key);
  if (!entry.ok())
    return withContext(entry.status(), "bundle '{}'", theName);
  return std::move(entry->payload);
}

struct BundleWriter::State {
  PackWriter pack;
  schema::BundleT contents;
};

BundleWriter::BundleWriter(std::unique_ptr<State> state) : state(std::move(state)) {}
BundleWriter::~BundleWriter() = default;

Result<std::unique_ptr<BundleWriter>> BundleWriter::create(const std::string &path, const std::string &name,
                                                           const ModelDeclaration &model) {
  KILN_ASSIGN_OR_RETURN(PackWriter pack, PackWriter::create(path));
  auto state = std::make_unique<State>(State{std::move(pack), {}});
  state->contents.name = name;
  state->contents.model = std::make_unique<schema::ModelInfoT>();
  state->contents.model->digest = model.digest;
  state->contents.model->inputs = encodePorts(model.inputs);
  state->contents.model->outputs = encodePorts(model.outputs);
  return std::unique_ptr<BundleWriter>(new BundleWriter(std::move(state)));
}

Status BundleWriter::add(const TargetDescription &target, const ProgramFile &program,
                         const InputDims &pattern, std::span<const CompiledKernelRef> kernels,
                         const ConstantLookup &weights) {
  schema::ProgramT contents;
  program.program().UnPackTo(&contents);
  std::set<std::string> needed;
  for (size_t i = 0; i < contents.kernels.size(); ++i) {
    ByteSpan bytes = kernels[i]->bytes().bytes;
    contents.kernels[i]->object.assign(bytes.begin(), bytes.end());
    contents.kernels[i]->ir.clear(); // it runs where no compiler is
    std::string_view features = kernels[i]->metadata().requiredFeatures;
    while (!features.empty()) {
      size_t comma = std::min(features.find(','), features.size());
      needed.emplace(features.substr(0, comma));
      features.remove_prefix(std::min(comma + 1, features.size()));
    }
  }
  for (auto &constant : contents.constants) {
    if (!constant->inline_data.empty() || constant->bytes == 0)
      continue;
    KILN_ASSIGN_OR_RETURN(ByteSpan bytes, weights(constant->digest));
    if (bytes.size() < kEntryPageBytes) {
      constant->inline_data.assign(bytes.begin(), bytes.end());
      continue;
    }
    std::optional<EntryKey> key = EntryKey::fromHex(constant->digest);
    if (!key)
      return internalError("weight '{}': '{}' is no digest", constant->name, constant->digest);
    EntryInfo info;
    info.name = constant->name;
    KILN_ASSIGN_OR_RETURN(EncodedEntry entry,
                          encodeEntry(EntryKind::Weight, *key, info, bytes, EntryLayout::Pages));
    std::string whole = entry.whole();
    KILN_RETURN_IF_ERROR(state->pack.add(EntryKind::Weight, *key,
                                         {reinterpret_cast<const uint8_t *>(whole.data()), whole.size()}));
  }
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &contents));
  ByteSpan bytes = {builder.GetBufferPointer(), builder.GetSize()};
  auto entry = std::make_unique<schema::BundleProgramT>();
  entry->device_type = target.deviceType;
  entry->features = fmt::format("{}", fmt::join(needed, ","));
  entry->rank = static_cast<uint32_t>(std::count(target.features.begin(), target.features.end(), '+'));
  entry->pattern = encodePattern(pattern);
  entry->key = Sha256::of(bytes);
  EntryKey key = *EntryKey::fromHex(entry->key);
  EntryInfo info;
  info.name = state->contents.name;
  info.deviceType = target.deviceType;
  info.features = entry->features;
  KILN_ASSIGN_OR_RETURN(EncodedEntry encoded,
                        encodeEntry(EntryKind::Program, key, info, bytes, EntryLayout::Compact));
  std::string whole = encoded.whole();
  state->contents.programs.push_back(std::move(entry));
  return state->pack.add(EntryKind::Program, key,
                         {reinterpret_cast<const uint8_t *>(whole.data()), whole.size()});
}

Status BundleWriter::finish() {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Bundle::Pack(builder, &state->contents));
  EntryInfo info;
  info.name = state->contents.name;
  KILN_ASSIGN_OR_RETURN(EncodedEntry list,
                        encodeEntry(EntryKind::Bundle, listKey(), info,
                                    {builder.GetBufferPointer(), builder.GetSize()}, EntryLayout::Compact));
  std::string whole = list.whole();
  KILN_RETURN_IF_ERROR(state->pack.add(EntryKind::Bundle, listKey(),
                                       {reinterpret_cast<const uint8_t *>(whole.data()), whole.size()}));
  return state->pack.finish();
}

} // namespace kiln
