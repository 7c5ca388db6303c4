// Manifest.h: what a backend says about itself in NAME.kiln.json, read without loading anything of it.
#ifndef KILN_RUNTIME_MANIFEST_H
#define KILN_RUNTIME_MANIFEST_H

#include "kiln/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// One option of a backend: KILN_<BACKEND>_<KEY>, or key=value where a device is opened.
struct OptionSchema {
  enum class Type { String, Integer, Boolean };
  std::string key;
  Type type = Type::String;
  std::string defaultValue;        // as text, already checked against the rest
  int64_t minimum = INT64_MIN;     // Integer
  int64_t maximum = INT64_MAX;     // Integer
  std::vector<std::string> values; // String: what is accepted; empty: anything
  std::string help;                // one line for people
};

/// How a device's presence is told without loading the backend: any of the conditions.
struct ProbeCondition {
  enum class Kind { Always, PciId, File, Variable };
  Kind kind = Kind::Always;
  std::string
      pattern; // "19e5:d802" or "19e5:*"; a path with * and ?; the name of a variable that must be set
};

struct ManifestDevice {
  std::string type;
  KilnDeviceKind kind = KILN_DEVICE_HARDWARE;
  std::vector<std::string> aliases;
  int64_t priority = 0;
  std::vector<ProbeCondition> probe; // empty: always there
};

/// Passes that this backend inserts into another one's stage.
struct ManifestExtension {
  std::string target, stage;
  bool after = false;
};

/// What the libraries were built for; the same text stands in their ELF notes. Empty in a manifest that
/// add_kiln_backend has not completed.
struct ManifestAbi {
  uint32_t major = 0, minor = 0;
  std::string llvm;              // "19.1.7"; "" without a compiler tier
  std::string runtime, compiler; // fingerprints; see Fingerprint.h
  bool present = false;
};

/// A manifest that holds: every field was checked. Plain data, immutable once parsed.
struct Manifest {
  std::string path; // of the file; its folder is the libraries' folder
  std::string name, version;
  std::string library, compiler; // file names beside the manifest; compiler "" if there is none
  std::string arch;              // "x86_64"; "" any
  ManifestAbi abi;
  bool explicitOnly = false; // activation "explicit": loaded only when named
  std::vector<OptionSchema> options;
  std::vector<ManifestDevice> devices;
  std::vector<ManifestExtension> extends;
  std::vector<std::string> extensible; // stages that others may extend
  std::vector<std::string> dialects, pipelines;
  std::string frameworks; // JSON: what frameworks such as PyTorch read; "" if there is none

  std::string folder() const;
  std::string libraryPath() const { return folder() + "/" + library; }
  std::string compilerPath() const { return folder() + "/" + compiler; } // only if `compiler` is not empty
  const OptionSchema *findOption(std::string_view key) const;
  const ManifestDevice *findDevice(std::string_view type) const;

  /// Checks and reads the text of a manifest. InvalidArgument `FILE:LINE:COLUMN: ...` where the text is no
  /// JSON, `FILE: /devices/0/priority: ...` where the JSON is no manifest.
  static Result<Manifest> parse(std::string_view text, std::string_view path);
  /// The same from a file. NotFound, PermissionDenied or InvalidArgument if it cannot be read.
  static Result<Manifest> load(std::string_view path);
  /// The text of a file, one byte more than kMaxManifestBytes at most. NotFound, PermissionDenied or
  /// InvalidArgument.
  static Result<std::string> readFile(std::string_view path);
};

/// Manifests above this size are refused unread.
inline constexpr size_t kMaxManifestBytes = size_t(1) << 20;
/// JSON nested deeper than this is refused: a manifest needs five levels.
inline constexpr size_t kMaxManifestDepth = 16;

/// "npu" -> "KILN_NPU_", "my-npu" -> "KILN_MY_NPU_": what a backend's option variables start with.
std::string optionPrefix(std::string_view backend);
/// "KILN_MY_NPU_QUEUE_DEPTH" of backend my-npu and key queue-depth.
std::string optionVariable(std::string_view backend, std::string_view key);
/// Whether `name` may be a backend's: a-z, 0-9, - and _, starting with a letter, no reserved word.
Status checkBackendName(std::string_view name);
/// Checks one value against its schema; gives its canonical text ("yes" -> "1"). `where` names it in the
/// error.
Result<std::string> checkOptionValue(const OptionSchema &schema, std::string_view value,
                                     std::string_view where);

} // namespace kiln
#endif // KILN_RUNTIME_MANIFEST_H
