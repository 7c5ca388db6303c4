// Log.cpp: parses KILN_LOG once; writes through one spdlog sink on stderr.
#include "runtime/Log.h"

#include "runtime/Environment.h"
#include "runtime/Error.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>

namespace kiln {

namespace {

constexpr std::string_view kLevelNames[] = {"error", "warn", "info", "debug"}; // by KilnLogLevel

std::optional<KilnLogLevel> parseLevel(std::string_view name) {
  for (KilnLogLevel level = KILN_LOG_ERROR; level <= KILN_LOG_DEBUG; ++level)
    if (kLevelNames[level] == name)
      return level;
  return std::nullopt;
}

struct LogState {
  LogFilter filter;
  LogSink sink; // null: logger
  std::shared_ptr<spdlog::logger> logger;
};

std::shared_ptr<spdlog::logger> makeLogger() {
  auto logger = std::make_shared<spdlog::logger>("kiln", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace); // our filter decides
  logger->flush_on(spdlog::level::trace);
  return logger;
}

std::shared_ptr<const LogState> makeState() {
  auto state = std::make_shared<LogState>();
  state->logger = makeLogger();
  Result<LogFilter> filter = LogFilter::parse(Environment::process().get("KILN_LOG"));
  if (filter.ok())
    state->filter = *filter;
  else
    state->logger->warn("kiln: warn: log: {}", filter.status().message());
  return state;
}

std::mutex stateMutex;
// Leaked on purpose: threads of backends may log while the process exits.
std::shared_ptr<const LogState> &stateSlot() {
  static auto *const slot = new std::shared_ptr<const LogState>(makeState());
  return *slot;
}

std::shared_ptr<const LogState> currentState() {
  std::scoped_lock lock(stateMutex);
  return stateSlot();
}

} // namespace

Result<LogFilter> LogFilter::parse(std::string_view text) {
  LogFilter filter;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    if (item.empty())
      continue;
    size_t colon = item.find(':');
    std::optional<KilnLogLevel> level = parseLevel(item.substr(0, colon));
    if (!level)
      return invalidArgument(
          "KILN_LOG: '{}' is no level; expected error, warn, info or debug, with :component or "
          "without",
          item.substr(0, colon));
    if (colon == std::string_view::npos)
      filter.everywhere = *level;
    else
      filter.rules.push_back({std::string(item.substr(colon + 1)), *level});
  }
  return filter;
}

bool LogFilter::enabled(KilnLogLevel level, std::string_view component) const {
  for (const Rule &rule : rules)
    if (component.starts_with(rule.component) &&
        (component.size() == rule.component.size() || component[rule.component.size()] == '.'))
      return level <= rule.level;
  return level <= everywhere;
}

bool logEnabled(KilnLogLevel level, std::string_view component) {
  return currentState()->filter.enabled(level, component);
}

void logLine(KilnLogLevel level, std::string_view component, std::string_view message) {
  std::shared_ptr<const LogState> state = currentState();
  KilnLogLevel known = std::min<KilnLogLevel>(level, KILN_LOG_DEBUG); // a newer backend may have more
  if (!state->filter.enabled(known, component))
    return;
  if (state->sink)
    state->sink(known, component, message);
  else
    state->logger->info("kiln: {}: {}: {}", kLevelNames[known], component, message);
}

void setLogSinkForTesting(LogSink sink, LogFilter filter) {
  std::shared_ptr<const LogState> next;
  if (sink) {
    auto state = std::make_shared<LogState>();
    state->filter = std::move(filter);
    state->sink = std::move(sink);
    next = state;
  } else {
    next = makeState();
  }
  std::scoped_lock lock(stateMutex);
  stateSlot() = std::move(next);
}

} // namespace kiln
