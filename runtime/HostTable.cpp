// HostTable.cpp: fills KilnHost: statuses, log, options, the symbols that kernels may call.
#include "runtime/HostTable.h"

#include "runtime/Error.h"
#include "runtime/Log.h"

#include <cstring>
#include <iterator>
#include <new>
#include <strings.h>

namespace kiln {

namespace {

KilnStatus statusMake(KilnCode code, KilnStr message) {
  if (code == KILN_OK)
    return nullptr;
  try {
    return new KilnStatusImpl{code, std::string(toView(message))};
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

KilnCode statusCode(KilnStatus status) { return status ? status->code : KILN_OK; }
KilnStr statusMessage(KilnStatus status) { return status ? toStr(status->message) : KilnStr{}; }
KilnStatus statusClone(KilnStatus status) {
  return status ? statusMake(status->code, toStr(status->message)) : nullptr;
}
void statusFree(KilnStatus status) { delete status; }

void log(void *, KilnLogLevel level, KilnStr component, KilnStr message) {
  logLine(level, toView(component), toView(message));
}
int isLogEnabled(void *, KilnLogLevel level, KilnStr component) {
  return logEnabled(level, toView(component));
}

KilnStatus option(void *self, KilnStr backend, KilnStr key, KilnStr *outValue) {
  if (!self)
    return toC(
        notFound("option '{}' of backend '{}': no manifest declares it", toView(key), toView(backend)));
  Result<std::string_view> value =
      static_cast<const OptionSource *>(self)->option(toView(backend), toView(key));
  if (!value.ok())
    return toC(value.status());
  *outValue = toStr(*value);
  return nullptr;
}

template <typename Fn> void *codeAddress(Fn *function) { return reinterpret_cast<void *>(function); }

const KilnRuntimeSymbol *runtimeSymbols(void *, size_t *outCount, uint32_t *outVersion) {
  // What LLVM emits on its own for memory idioms; sorted by name. A change needs a new version.
  static const KilnRuntimeSymbol symbols[] = {
      {toStr("bcmp"), codeAddress(static_cast<int (*)(const void *, const void *, size_t)>(&::bcmp))},
      {toStr("memcmp"), codeAddress(static_cast<int (*)(const void *, const void *, size_t)>(&::memcmp))},
      {toStr("memcpy"), codeAddress(static_cast<void *(*)(void *, const void *, size_t)>(&::memcpy))},
      {toStr("memmove"), codeAddress(static_cast<void *(*)(void *, const void *, size_t)>(&::memmove))},
      {toStr("memset"), codeAddress(static_cast<void *(*)(void *, int, size_t)>(&::memset))},
  };
  *outCount = std::size(symbols);
  *outVersion = kRuntimeSymbolsVersion;
  return symbols;
}

KilnHost makeTable(void *self) {
  KilnHost host = {};
  host.struct_size = sizeof(KilnHost);
  host.abi_major = KILN_ABI_MAJOR;
  host.abi_minor = KILN_ABI_MINOR;
  host.self = self;
  host.status_make = statusMake;
  host.status_code = statusCode;
  host.status_message = statusMessage;
  host.status_clone = statusClone;
  host.status_free = statusFree;
  host.log = log;
  host.log_enabled = isLogEnabled;
  host.option = option;
  host.runtime_symbols = runtimeSymbols;
  return host;
}

} // namespace

const KilnHost &hostTable() {
  static const KilnHost host = makeTable(nullptr);
  return host;
}

KilnHost makeHostTable(const OptionSource &source) { return makeTable(const_cast<OptionSource *>(&source)); }

} // namespace kiln
