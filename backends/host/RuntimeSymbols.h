// RuntimeSymbols.h: the functions of the runtime that kernel objects may call.
#ifndef KILN_BACKENDS_HOST_RUNTIMESYMBOLS_H
#define KILN_BACKENDS_HOST_RUNTIMESYMBOLS_H

#include "ElfObject.h"

#include <map>

namespace kiln::host {

/// KilnHost::runtime_symbols by name. Immutable; safe to share.
class RuntimeSymbols {
public:
  explicit RuntimeSymbols(const KilnHost &host);
  /// Null if the runtime does not offer it.
  void *find(std::string_view name) const;
  const std::map<std::string_view, void *> &all() const { return symbols; }
  /// InvalidArgument: an undefined symbol of the object is not in the table.
  Status check(const ElfObject &object) const;

private:
  std::map<std::string_view, void *> symbols;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_RUNTIMESYMBOLS_H
