// HostTable.h: the KilnHost table that backends call back through, and the statuses that cross the C ABI.
#ifndef KILN_RUNTIME_HOSTTABLE_H
#define KILN_RUNTIME_HOSTTABLE_H

#include "kiln/Status.h"

// What a KilnStatus points to; status_free deletes it.
struct KilnStatusImpl {
  KilnCode code;
  std::string message;
};

namespace kiln {

/// Answers KilnHost::option: the registry, which knows the manifests. Safe from any thread.
class OptionSource {
public:
  virtual ~OptionSource() = default;
  /// The value in force, valid until the process ends. NotFound if the manifest does not declare the key.
  virtual Result<std::string_view> option(std::string_view backend, std::string_view key) const = 0;
};

/// The process-wide table without options (every key is NotFound). Never freed.
const KilnHost &hostTable();
/// A table whose options come from `source`; both must live until the process ends.
KilnHost makeHostTable(const OptionSource &source);

/// Version of the table that KilnHost::runtime_symbols returns; part of kernel keys.
inline constexpr uint32_t kRuntimeSymbolsVersion = 1;

/// Shorthands over the process-wide table.
inline KilnStatus toC(const Status &status) { return status.toC(hostTable()); }
inline Status fromC(KilnStatus status) { return status ? Status::fromC(hostTable(), status) : Status(); }

} // namespace kiln
#endif // KILN_RUNTIME_HOSTTABLE_H
