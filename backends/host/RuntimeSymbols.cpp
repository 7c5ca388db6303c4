// RuntimeSymbols.cpp: reads the table once, when a loader is made.
#include "RuntimeSymbols.h"

namespace kiln::host {

RuntimeSymbols::RuntimeSymbols(const KilnHost &host) {
  size_t count = 0;
  uint32_t version = 0; // part of kernel keys: an object of another table never gets here
  const KilnRuntimeSymbol *table = host.runtime_symbols(host.self, &count, &version);
  for (size_t i = 0; i < count; ++i)
    symbols[toView(table[i].name)] = table[i].address;
}

void *RuntimeSymbols::find(std::string_view name) const {
  auto at = symbols.find(name);
  return at == symbols.end() ? nullptr : at->second;
}

Status RuntimeSymbols::check(const ElfObject &object) const {
  for (const ElfObject::Symbol &symbol : object.symbols())
    if (!symbol.isDefined && !find(symbol.name))
      return Status(Code::InvalidArgument, "host-elf object: undefined symbol '" + std::string(symbol.name) +
                                               "'; kernels may call functions of the runtime's table only");
  return {};
}

} // namespace kiln::host
