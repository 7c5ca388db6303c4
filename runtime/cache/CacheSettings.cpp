// CacheSettings.cpp: reads the KILN_CACHE variables.
#include "runtime/cache/CacheSettings.h"

#include "runtime/Log.h"

#include <algorithm>
#include <charconv>
#include <sys/auxv.h>

namespace kiln {

namespace {

constexpr std::pair<CacheMode, std::string_view> kModes[] = {
    {CacheMode::Off, "off"},         {CacheMode::ReadOnly, "ro"},     {CacheMode::ReadWrite, "rw"},
    {CacheMode::Require, "require"}, {CacheMode::Refresh, "refresh"},
};

} // namespace

std::string_view cacheModeName(CacheMode mode) {
  for (auto [known, name] : kModes)
    if (known == mode)
      return name;
  return "?";
}

std::string cacheFolder(const Environment &environment) {
  if (std::string_view own = environment.get("KILN_CACHE_DIR"); !own.empty())
    return std::string(own);
  std::string_view xdg = environment.get("XDG_CACHE_HOME");
  if (!xdg.empty() && xdg[0] == '/')
    return std::string(xdg) + "/kiln";
  std::string_view home = environment.get("HOME");
  return home.empty() ? "" : std::string(home) + "/.cache/kiln";
}

std::optional<uint64_t> parseBytes(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view suffix(end, text.data() + text.size() - end);
  if (error != std::errc() || suffix.size() > 1)
    return std::nullopt;
  size_t power = suffix.empty() ? 0 : std::string_view("KMGT").find(suffix) + 1;
  if (!suffix.empty() && power == 0)
    return std::nullopt;
  unsigned shift = static_cast<unsigned>(10 * power);
  return value > UINT64_MAX >> shift ? std::nullopt : std::optional(value << shift);
}

CacheSettings CacheSettings::of(const Environment &environment) {
  CacheSettings settings;
  if (getauxval(AT_SECURE) != 0)
    return settings;
  settings.mode = CacheMode::ReadWrite;
  if (std::string_view text = environment.get("KILN_CACHE"); !text.empty()) {
    auto mode =
        std::find_if(std::begin(kModes), std::end(kModes), [&](const auto &m) { return m.second == text; });
    if (mode != std::end(kModes))
      settings.mode = mode->first;
    else
      logWarn("cache", "KILN_CACHE: '{}'; expected off, ro, rw, require or refresh; rw is used", text);
  }
  settings.folder = cacheFolder(environment);
  std::string_view list = environment.get("KILN_CACHE_READ");
  while (!list.empty()) {
    size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0)
      settings.readOnly.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  if (std::string_view text = environment.get("KILN_CACHE_SIZE"); !text.empty()) {
    if (std::optional<uint64_t> bytes = parseBytes(text))
      settings.maxBytes = *bytes;
    else
      logWarn("cache", "KILN_CACHE_SIZE: '{}'; expected bytes, as 5368709120 or 5G; {} is used", text,
              settings.maxBytes);
  }
  if (std::string_view text = environment.get("KILN_CACHE_MIN_COMPILE_MS"); !text.empty()) {
    uint32_t milliseconds = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    if (error == std::errc() && end == text.data() + text.size())
      settings.minCompileUs = milliseconds * uint64_t{1000};
    else
      logWarn("cache",
              "KILN_CACHE_MIN_COMPILE_MS: '{}'; expected milliseconds, as 20; every kernel is written", text);
  }
  settings.dumpFolder = environment.get("KILN_CACHE_DUMP");
  settings.overrideFolder = environment.get("KILN_CACHE_OVERRIDE");
  return settings;
}

} // namespace kiln
