// SchemaText.h: reading what a flatbuffer may leave out, and the sizes that any flatbuffer has.
#ifndef KILN_RUNTIME_SCHEMATEXT_H
#define KILN_RUNTIME_SCHEMATEXT_H

#include <cstddef>
#include <cstdint>
#include <flatbuffers/flatbuffers.h>
#include <string>
#include <string_view>

namespace kiln {

constexpr size_t kMinFlatbufferBytes = 16;
constexpr size_t kMaxFlatbufferBytes = (1ull << 31) - 2; // that its offsets can address

/// Empty where the field is absent. A view is into the buffer.
inline std::string_view view(const flatbuffers::String *text) {
  return text ? std::string_view(text->c_str(), text->size()) : std::string_view();
}
inline std::string text(const flatbuffers::String *text) { return std::string(view(text)); }

/// 0 where the vector is absent.
template <typename T> uint32_t sizeOf(const T *vector) { return vector ? vector->size() : 0; }

} // namespace kiln
#endif // KILN_RUNTIME_SCHEMATEXT_H
