// Target.cpp: takes a target description over from C and answers for its features and options.
#include "kiln/jit/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::jit;

namespace {
std::string owned(KilnStr text) { return text.size ? std::string(text.data, text.size) : std::string(); }
} // namespace

Target Target::fromC(const KilnCompileTarget &target) {
  Target result;
  result.deviceType = owned(target.device_type);
  result.backend = owned(target.backend);
  result.triple = owned(target.info.triple);
  result.arch = owned(target.info.arch);
  result.storageTypes = target.info.storage_types;
  std::string features = owned(target.info.features), options = owned(target.info.options);
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(features).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    result.features.push_back(part.trim().str());
  llvm::sort(result.features);
  parts.clear();
  llvm::StringRef(options).split(parts, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [key, value] = part.split('=');
    result.options[key.trim().str()] = value.trim().str();
  }
  return result;
}

bool Target::hasFeature(llvm::StringRef feature) const {
  return llvm::is_contained(features, "+" + feature.str());
}

llvm::StringRef Target::option(llvm::StringRef key, llvm::StringRef fallback) const {
  auto it = options.find(std::string_view(key));
  return it == options.end() ? fallback : llvm::StringRef(it->second);
}

std::string Target::featureString() const { return llvm::join(features, ","); }

std::string Target::optionString() const {
  std::string text;
  for (const auto &[key, value] : options)
    text += (text.empty() ? "" : ";") + key + "=" + value;
  return text;
}
