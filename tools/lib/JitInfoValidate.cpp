// JitInfoValidate.cpp: jit-info validate: the text by the installed schema and by the reader, then the
// libraries.
#include "runtime/Error.h"
#include "runtime/Fingerprint.h"
#include "runtime/StrictJson.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/JsonSchema.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <fstream>
#include <ostream>

namespace kiln::tools {
namespace {

constexpr const char *kFingerprintKeys[] = {"abi",     "tier", "kiln",   "llvm",     "libmlir",
                                            "libllvm", "rtti", "cxxlib", "sanitizer"};

void addTier(std::vector<std::string> &problems, Tier tier, const std::string &place,
             std::string_view theirs) {
  std::string_view ours = ownFingerprint(tier);
  if (fingerprintMismatch(tier, theirs, ours).empty())
    return;
  for (const char *key : kFingerprintKeys)
    if (fingerprintValue(theirs, key) != fingerprintValue(ours, key))
      problems.push_back(fmt::format("{}: {}={}, this Kiln has {}={}", place, key,
                                     fingerprintValue(theirs, key), key, fingerprintValue(ours, key)));
}

void addLibrary(std::vector<std::string> &problems, const Manifest &manifest, Tier tier) {
  bool isRuntime = tier == Tier::Runtime;
  const std::string &declared = isRuntime ? manifest.abi.runtime : manifest.abi.compiler;
  const char *place = isRuntime ? "/abi/runtime" : "/abi/compiler";
  std::string library = isRuntime ? manifest.libraryPath() : manifest.compilerPath();
  if (declared.empty())
    problems.push_back(fmt::format("{} is missing; add_kiln_backend writes it", place));
  else
    addTier(problems, tier, place, declared);
  Result<std::string> note = readElfNote(library);
  if (!note.ok())
    problems.push_back(note.status().message());
  else
    addTier(problems, tier, library, *note);
}

struct Validation {
  std::vector<std::string> problems, notes;
  std::optional<Manifest> manifest;
};

Validation validate(const std::string &text, const std::string &path) {
  Validation result;
  // Not where the text is refused as such: a thousand levels of brackets are no matter for recursion.
  if (strictJsonProblem(text, kMaxManifestDepth).empty()) {
    nlohmann::json json = nlohmann::json::parse(text);
    SchemaFindings findings = checkSchema(manifestSchema(), json);
    for (const std::string &violation : findings.violations)
      result.problems.push_back("schema: " + violation);
    for (const std::string &key : findings.unknownKeys)
      result.notes.push_back(key + ": unknown key, ignored");
  }
  Result<Manifest> manifest = Manifest::parse(text, path);
  if (!manifest.ok()) {
    result.problems.push_back(manifest.status().message());
    return result;
  }
  for (const std::string &problem : fingerprintProblems(*manifest))
    result.problems.push_back(problem);
  result.manifest = std::move(*manifest);
  return result;
}

} // namespace

std::vector<std::string> fingerprintProblems(const Manifest &manifest) {
  std::vector<std::string> problems;
  if (!manifest.abi.present)
    return {"/abi is missing; add_kiln_backend writes it"};
  addLibrary(problems, manifest, Tier::Runtime);
  if (!manifest.compiler.empty())
    addLibrary(problems, manifest, Tier::Compiler);
  return problems;
}

Result<int> infoValidate(const std::string &path, bool wantsJson, std::ostream &out) {
  Result<std::string> text = Manifest::readFile(path);
  if (text.status().code() == Code::NotFound)
    return text.status();
  Validation result;
  if (text.ok())
    result = validate(*text, path);
  else
    result.problems.push_back(text.status().message());
  bool holds = result.problems.empty();
  if (wantsJson) {
    nlohmann::ordered_json json = {
        {"manifest", path}, {"valid", holds}, {"problems", result.problems}, {"notes", result.notes}};
    printJson(json, out);
    return holds ? kYes : kNo;
  }
  if (result.manifest)
    printManifest(*result.manifest, out);
  for (const std::string &note : result.notes)
    out << "note         " << note << "\n";
  for (const std::string &problem : result.problems)
    out << "problem      " << problem << "\n";
  out << (holds ? "valid\n" : "not valid\n");
  return holds ? kYes : kNo;
}

} // namespace kiln::tools
