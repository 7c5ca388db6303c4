// MutateProto.cpp: the wire format as a tree. Which payloads are messages is guessed: those that parse as
// such and are no text.
#include "tests/fuzz/MutateProto.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kiln::fuzz {
namespace {

constexpr int kMaxDepth = 12;

/// One field of a message; `children` if its payload is one itself.
struct Field {
  uint32_t number = 0, wireType = 0;
  uint64_t varint = 0;
  std::string payload; // of fixed and length-delimited fields
  std::optional<std::vector<Field>> children;
};
using Message = std::vector<Field>;

bool readVarint(std::string_view &rest, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

void writeVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

bool isText(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::optional<Message> parse(std::string_view rest, int depth) {
  Message message;
  while (!rest.empty()) {
    Field field;
    uint64_t tag = 0, size = 0;
    if (!readVarint(rest, tag) || tag >> 3 == 0 || tag >> 3 > 1000)
      return std::nullopt;
    field.number = static_cast<uint32_t>(tag >> 3), field.wireType = tag & 7;
    switch (field.wireType) {
    case 0:
      if (!readVarint(rest, field.varint))
        return std::nullopt;
      break;
    case 1:
      size = 8;
      break;
    case 2:
      if (!readVarint(rest, size))
        return std::nullopt;
      break;
    case 5:
      size = 4;
      break;
    default:
      return std::nullopt;
    }
    if (size > rest.size())
      return std::nullopt;
    field.payload = rest.substr(0, size);
    rest.remove_prefix(size);
    if (field.wireType == 2 && depth < kMaxDepth && !field.payload.empty() && !isText(field.payload))
      field.children = parse(field.payload, depth + 1);
    message.push_back(std::move(field));
  }
  return message;
}

std::string serialize(const Message &message) {
  std::string out;
  for (const Field &field : message) {
    writeVarint(out, static_cast<uint64_t>(field.number) << 3 | field.wireType);
    if (field.wireType == 0) {
      writeVarint(out, field.varint);
      continue;
    }
    std::string payload = field.children ? serialize(*field.children) : field.payload;
    if (field.wireType == 2)
      writeVarint(out, payload.size());
    out += payload;
  }
  return out;
}

/// Every message of the tree with at least one field.
void collect(Message &message, std::vector<Message *> &all) {
  if (!message.empty())
    all.push_back(&message);
  for (Field &field : message)
    if (field.children)
      collect(*field.children, all);
}

constexpr uint64_t kNumbers[] = {0,
                                 1,
                                 2,
                                 7,
                                 127,
                                 1 << 20,
                                 0x7FFFFFFF,
                                 0x80000000,
                                 0xFFFFFFFF,
                                 uint64_t{1} << 40,
                                 0x7FFFFFFFFFFFFFFF,
                                 0x8000000000000000,
                                 0xFFFFFFFFFFFFFFFF};
constexpr std::string_view kTexts[] = {"",
                                       ".",
                                       "..",
                                       "/",
                                       "../../etc/passwd",
                                       "/dev/zero",
                                       "/dev/full",
                                       "model.onnx",
                                       "a/../../b",
                                       "location",
                                       "offset",
                                       "length",
                                       "-1",
                                       "99999999999999999999",
                                       "ai.onnx",
                                       "com.microsoft",
                                       "If",
                                       "Loop",
                                       "Scan",
                                       "Reshape",
                                       "Cast",
                                       "Constant",
                                       "ConstantOfShape",
                                       "Expand",
                                       "Pad",
                                       "Resize",
                                       "Einsum",
                                       "perm",
                                       "axis",
                                       "axes",
                                       "to",
                                       "value",
                                       "\xFF\xFE"};

Field *chooseField(Message &message, Random &random) { return &message[random() % message.size()]; }

/// Puts a message into itself, some tens of times: a graph in an attribute of a node of a graph.
void nest(Field &field, Random &random) {
  if (!field.children)
    return;
  for (uint64_t i = 0, times = 1 + random() % 6; i < times; ++i) {
    Field copy = field;
    std::vector<Message *> inside;
    collect(*field.children, inside);
    if (inside.empty() || inside.size() > 4096)
      return;
    inside[random() % inside.size()]->push_back(std::move(copy));
  }
}

/// Data that lies elsewhere: data_location and external_data of a TensorProto, with whatever place.
void makeExternal(Message &message, Random &random) {
  auto text = [&](uint32_t number, std::string_view value) {
    return Field{number, 2, 0, std::string(value), std::nullopt};
  };
  auto entry = [&](std::string_view key, std::string_view value) {
    return Field{13, 2, 0, "", Message{text(1, key), text(2, value)}};
  };
  message.push_back(entry("location", kTexts[random() % std::size(kTexts)]));
  if (random() % 2)
    message.push_back(entry(random() % 2 ? "offset" : "length", kTexts[random() % std::size(kTexts)]));
  message.push_back(Field{14, 0, 1, "", std::nullopt});
}

} // namespace

std::string mutateProto(const std::string &bytes, Random &random) {
  constexpr uint64_t kRawShare = 8; // of so many mutations one is of bytes
  std::optional<Message> root = random() % kRawShare ? parse(bytes, 0) : std::nullopt;
  if (!root || root->empty())
    return mutateBytes(bytes, random);
  std::vector<Message *> all;
  collect(*root, all);
  Message &message = *all[random() % all.size()];
  Field *field = chooseField(message, random);
  switch (random() % 8) {
  case 0: // a number
    if (field->wireType == 0)
      field->varint = kNumbers[random() % std::size(kNumbers)];
    else if (!field->children)
      field->payload = mutateBytes(field->payload, random), field->wireType = 2;
    break;
  case 1:
    message.erase(message.begin() + (field - message.data()));
    break;
  case 2: { // once more, elsewhere in the message
    Field copy = *field;
    message.insert(message.begin() + static_cast<std::ptrdiff_t>(random() % (message.size() + 1)), copy);
    break;
  }
  case 3: { // two of a message change places
    std::swap(*field, *chooseField(message, random));
    break;
  }
  case 4: { // a payload from elsewhere in the tree: names meet, types differ
    Message &other = *all[random() % all.size()];
    const Field *from = chooseField(other, random);
    if (field->wireType == from->wireType) {
      Field copy = *from;
      field->varint = copy.varint, field->payload = std::move(copy.payload),
      field->children = std::move(copy.children);
    }
    break;
  }
  case 5:
    if (field->wireType == 2 && !field->children)
      field->payload = kTexts[random() % std::size(kTexts)];
    else if (field->wireType == 0)
      field->varint = random();
    break;
  case 6:
    nest(*field, random);
    break;
  case 7:
    makeExternal(message, random);
    break;
  }
  return serialize(*root);
}

} // namespace kiln::fuzz
