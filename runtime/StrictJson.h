// StrictJson.h: refuses JSON that a parser into a DOM would take with less than it says.
#ifndef KILN_RUNTIME_STRICTJSON_H
#define KILN_RUNTIME_STRICTJSON_H

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln {

/// "" if `text` is JSON without a key that stands twice in one object and not nested deeper than `maxDepth`;
/// else the first problem: "LINE:COLUMN: not JSON: ...", " /devices/priority: the key stands twice in one
/// object".
std::string strictJsonProblem(std::string_view text, size_t maxDepth);

} // namespace kiln
#endif // KILN_RUNTIME_STRICTJSON_H
