// JsonSchema.h: checks JSON against a JSON schema: the part of draft 2020-12 that Kiln's own schema uses.
#ifndef KILN_TOOLS_LIB_JSONSCHEMA_H
#define KILN_TOOLS_LIB_JSONSCHEMA_H

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kiln::tools {

/// What one check found; each line is `POINTER: what came; what was expected`.
struct SchemaFindings {
  std::vector<std::string> violations;
  std::vector<std::string> unknownKeys; // allowed, but not in "properties"
};

/// Keywords: type, const, enum, pattern, minimum, properties, required, additionalProperties, minProperties,
/// maxProperties, items, minItems, maxItems, anyOf, oneOf, not, $ref to #/$defs. Others are ignored.
SchemaFindings checkSchema(const nlohmann::json &schema, const nlohmann::json &value);

/// runtime/schema/manifest.schema.json, as installed in share/kiln.
const nlohmann::json &manifestSchema();

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JSONSCHEMA_H
