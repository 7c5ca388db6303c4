// BackendOptions.h: the options of one backend: defaults, KILN_<BACKEND>_<KEY>, and "key=value;..." strings.
#ifndef KILN_RUNTIME_BACKENDOPTIONS_H
#define KILN_RUNTIME_BACKENDOPTIONS_H

#include "runtime/Environment.h"
#include "runtime/Manifest.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The values in force before a device is opened. Immutable; safe from any thread.
class BackendOptions {
public:
  /// Defaults, overridden by the environment. InvalidArgument names a variable whose value its schema
  /// refuses.
  static Result<BackendOptions> fromEnvironment(const Manifest &manifest, const Environment &environment);
  BackendOptions() = default;
  /// Null if the manifest does not declare the key. Valid as long as this object.
  const std::string *find(std::string_view key) const;

private:
  std::map<std::string, std::string, std::less<>> values;
};

/// Variables KILN_<BACKEND>_<KEY> whose key the manifest does not declare, as warnings with the nearest key.
/// `others`: the names of all backends, so that KILN_HOST_X_Y may be option y of a backend host-x.
std::vector<std::string> unknownOptionVariables(const Manifest &manifest, const Environment &environment,
                                                const std::vector<std::string> &others);

using OptionList = std::vector<std::pair<std::string, std::string>>;
/// Reads "key=value;..." and checks it against the schema; values come out in canonical form.
/// InvalidArgument: an unknown key (with the nearest known one), a bad value, a key twice, no '='.
Result<OptionList> parseOptions(const Manifest &manifest, std::string_view text);

/// The text, or its start and its length where it is long: what came from outside, inside a message.
std::string clipped(std::string_view text);
/// `, did you mean 'X'?` for the candidate nearest to `word`, or "" if none is near.
std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates);

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDOPTIONS_H
