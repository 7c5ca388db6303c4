// PackedWeights.cpp: small buffers stand in the entry, large ones are weights.
#include "runtime/PackedWeights.h"

#include "runtime/RequestKey.h"
#include "runtime/Sha256.h"

#include "kiln/schema/Cache_generated.h"

#include <algorithm>

namespace kiln {

bool prologueLaunches(const ProgramFile &program) {
  const schema::Block *prologue = program.program().prologue();
  if (!prologue || !prologue->instructions())
    return false;
  return std::any_of(prologue->instructions()->begin(), prologue->instructions()->end(),
                     [](const auto *one) { return one->action_type() == schema::Action::Launch; });
}

EntryAddress packedAddress(const ProgramFile &program) {
  KeyBuilder builder("packed");
  builder.add("program", program.digest());
  const auto *type = program.program().target()->device_type();
  return {EntryKind::Packed, *EntryKey::fromHex(builder.finish().hex), spaceOf(type ? type->str() : "")};
}

Result<std::vector<uint8_t>>
encodePacked(const std::vector<PackedBytes> &buffers,
             const std::function<Status(const std::string &digest, ByteSpan bytes)> &keep) {
  schema::PackedWeightsT weights;
  for (const PackedBytes &buffer : buffers) {
    ByteSpan bytes = buffer.bytes.bytes;
    auto entry = std::make_unique<schema::PackedBufferT>();
    entry->buffer = buffer.buffer;
    entry->bytes = bytes.size();
    entry->digest = Sha256::of(bytes);
    if (bytes.size() < kInlineWeightBytes)
      entry->inline_data.assign(bytes.begin(), bytes.end());
    else
      KILN_RETURN_IF_ERROR(keep(entry->digest, bytes));
    weights.buffers.push_back(std::move(entry));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::PackedWeights::Pack(builder, &weights));
  return std::vector<uint8_t>(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

std::vector<PackedBytes> decodePacked(const CacheEntry &entry,
                                      const std::function<OwnedBytes(std::string_view digest)> &weight) {
  ByteSpan bytes = entry.payload.bytes;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<schema::PackedWeights>(nullptr))
    return {};
  const auto &weights = *flatbuffers::GetRoot<schema::PackedWeights>(bytes.data());
  std::vector<PackedBytes> result;
  for (uint32_t i = 0; weights.buffers() && i < weights.buffers()->size(); ++i) {
    const schema::PackedBuffer &buffer = *weights.buffers()->Get(i);
    PackedBytes packed{buffer.buffer(), {}};
    if (buffer.inline_data()) // aligned by the schema, and kept alive by the entry
      packed.bytes = {{buffer.inline_data()->data(), buffer.inline_data()->size()}, entry.payload.owner};
    else
      packed.bytes = weight(buffer.digest()->string_view());
    if (packed.bytes.bytes.size() != buffer.bytes())
      return {};
    result.push_back(std::move(packed));
  }
  return result;
}

} // namespace kiln
