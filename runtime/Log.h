// Log.h: KILN_LOG: leveled lines on stderr, filtered by component.
//
// KILN_LOG=LEVEL[:COMPONENT][,...] with LEVEL one of error, warn, info, debug. Without a component the level
// is for all; a component names itself and its parts ("host" also lets "host.pool" through). The default is
// warn.
#ifndef KILN_RUNTIME_LOG_H
#define KILN_RUNTIME_LOG_H

#include "kiln/Status.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Which lines pass: a level for all and levels by component. Immutable; safe from any thread.
class LogFilter {
public:
  /// Fails with InvalidArgument on an unknown level, saying which text.
  static Result<LogFilter> parse(std::string_view text);
  LogFilter() = default; // warn for all
  bool enabled(KilnLogLevel level, std::string_view component) const;

private:
  struct Rule {
    std::string component;
    KilnLogLevel level;
  };
  KilnLogLevel everywhere = KILN_LOG_WARN;
  std::vector<Rule> rules;
};

/// True if a line would be written; for messages that are dear to make. Safe from any thread.
bool logEnabled(KilnLogLevel level, std::string_view component);
/// Writes `kiln: LEVEL: component: message` if enabled.
void logLine(KilnLogLevel level, std::string_view component, std::string_view message);

/// Sends lines to `sink` instead of stderr and filters by `filter`; for tests. Null restores stderr and
/// KILN_LOG.
using LogSink = std::function<void(KilnLogLevel level, std::string_view component, std::string_view message)>;
void setLogSinkForTesting(LogSink sink, LogFilter filter);

template <typename... Args>
void logAt(KilnLogLevel level, std::string_view component, fmt::format_string<Args...> text, Args &&...args) {
  if (logEnabled(level, component))
    logLine(level, component, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void logError(std::string_view component, fmt::format_string<Args...> text, Args &&...args) {
  logAt(KILN_LOG_ERROR, component, text, std::forward<Args>(args)...);
}
template <typename... Args>
void logWarn(std::string_view component, fmt::format_string<Args...> text, Args &&...args) {
  logAt(KILN_LOG_WARN, component, text, std::forward<Args>(args)...);
}
template <typename... Args>
void logInfo(std::string_view component, fmt::format_string<Args...> text, Args &&...args) {
  logAt(KILN_LOG_INFO, component, text, std::forward<Args>(args)...);
}
template <typename... Args>
void logDebug(std::string_view component, fmt::format_string<Args...> text, Args &&...args) {
  logAt(KILN_LOG_DEBUG, component, text, std::forward<Args>(args)...);
}

} // namespace kiln
#endif // KILN_RUNTIME_LOG_H
