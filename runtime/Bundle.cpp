// Bundle.cpp: chooses among variants; weights that several programs use stand in the file once.
#include "runtime/Bundle.h"

#include "runtime/Error.h"
#include "runtime/ProgramCode.h"
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
  theName = path; // its file, not the model that it was made of, is what errors are about
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
    return failedPrecondition("bundle '{}': no program for '{}'{}{}, shapes {}; it has {}", theName,
                              target.deviceType, target.features.empty() ? "" : " with ", target.features,
                              dimsText(dims), fmt::join(have, ", "));
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

std::vector<PackedBytes> Bundle::packed(const ProgramFile &program) const {
  Result<CacheEntry> entry = readEntry(*pack, EntryKind::Packed, packedAddress(program).key);
  if (!entry.ok())
    return {};
  return decodePacked(*entry, [&](std::string_view digest) {
    Result<OwnedBytes> bytes = weight(digest);
    return bytes.ok() ? *std::move(bytes) : OwnedBytes();
  });
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

Status BundleWriter::addEntry(EntryKind kind, const EntryKey &key, const EntryInfo &info, ByteSpan payload,
                              EntryLayout layout) {
  KILN_ASSIGN_OR_RETURN(EncodedEntry entry, encodeEntry(kind, key, info, payload, layout));
  std::string whole = entry.whole();
  return state->pack.add(kind, key, {reinterpret_cast<const uint8_t *>(whole.data()), whole.size()});
}

Status BundleWriter::addWeight(const std::string &digest, ByteSpan bytes, const std::string &name) {
  std::optional<EntryKey> key = EntryKey::fromHex(digest);
  if (!key)
    return internalError("weight '{}': '{}' is no digest", name, digest);
  EntryInfo info;
  info.name = name;
  return addEntry(EntryKind::Weight, *key, info, bytes, EntryLayout::Pages);
}

Status BundleWriter::add(const Item &item) {
  schema::ProgramT contents;
  item.program.program().UnPackTo(&contents);
  std::set<std::string> needed;
  for (size_t i = 0; i < contents.kernels.size(); ++i) {
    ByteSpan bytes = item.kernels[i]->bytes().bytes;
    contents.kernels[i]->object.assign(bytes.begin(), bytes.end());
    contents.kernels[i]->ir.clear(); // it runs where no compiler is
    std::string_view features = item.kernels[i]->metadata().requiredFeatures;
    while (!features.empty()) {
      size_t comma = std::min(features.find(','), features.size());
      needed.emplace(features.substr(0, comma));
      features.remove_prefix(std::min(comma + 1, features.size()));
    }
  }
  std::vector<bool> used = constantsUsedByBody(decodeProgram(item.program.program()));
  for (uint32_t i = 0; i < contents.constants.size(); ++i) {
    schema::ConstantT &constant = *contents.constants[i];
    bool isLeftOut = !item.packed.empty() && !(i < used.size() && used[i]);
    if (constant.bytes == 0 || (isLeftOut && constant.inline_data.empty()))
      continue;
    ByteSpan bytes = item.program.constantBytes(i);
    if (bytes.empty()) {
      KILN_ASSIGN_OR_RETURN(bytes, item.weights(constant.digest));
    }
    constant.is_made = false; // the bundle has it
    if (bytes.size() < kInlineWeightBytes) {
      constant.inline_data.assign(bytes.begin(), bytes.end());
      continue;
    }
    constant.inline_data.clear();
    if (!isLeftOut)
      KILN_RETURN_IF_ERROR(addWeight(constant.digest, bytes, constant.name));
  }
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &contents));
  ByteSpan bytes = {builder.GetBufferPointer(), builder.GetSize()};
  auto listed = std::make_unique<schema::BundleProgramT>();
  listed->device_type = item.target.deviceType;
  listed->features = fmt::format("{}", fmt::join(needed, ","));
  listed->rank =
      static_cast<uint32_t>(std::count(item.target.features.begin(), item.target.features.end(), '+'));
  listed->pattern = encodePattern(item.pattern);
  listed->key = Sha256::of(bytes);
  EntryInfo info;
  info.name = state->contents.name;
  info.deviceType = item.target.deviceType;
  info.features = listed->features;
  EntryKey key = *EntryKey::fromHex(listed->key);
  state->contents.programs.push_back(std::move(listed));
  KILN_RETURN_IF_ERROR(addEntry(EntryKind::Program, key, info, bytes, EntryLayout::Compact));
  if (item.packed.empty())
    return {};
  KILN_ASSIGN_OR_RETURN(ProgramFileRef written, ProgramFile::fromBytes(bytes, state->contents.name));
  KILN_ASSIGN_OR_RETURN(std::vector<uint8_t> packed,
                        encodePacked(item.packed, [&](const std::string &digest, ByteSpan buffer) {
                          return addWeight(digest, buffer, "packed");
                        }));
  info.features.clear();
  return addEntry(EntryKind::Packed, packedAddress(*written).key, info, packed, EntryLayout::Compact);
}

Status BundleWriter::finish() {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Bundle::Pack(builder, &state->contents));
  EntryInfo info;
  info.name = state->contents.name;
  KILN_RETURN_IF_ERROR(addEntry(EntryKind::Bundle, listKey(), info,
                                {builder.GetBufferPointer(), builder.GetSize()}, EntryLayout::Compact));
  return state->pack.finish();
}

} // namespace kiln
