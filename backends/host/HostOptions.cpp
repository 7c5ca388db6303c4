// HostOptions.cpp: reads each declared key through KilnHost::option, then applies the text over it.
#include "HostOptions.h"

#include "kiln/sdk/OptionText.h"

#include <charconv>

namespace kiln::host {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Status setThreads(std::string_view value, HostOptions &options) {
  uint32_t threads = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads > 4096)
    return Status(Code::InvalidArgument,
                  "option 'threads': " + quoted(value) + "; expected a number from 0 to 4096");
  options.threads = threads;
  return {};
}

Status setDebug(std::string_view value, HostOptions &options) {
  options.gdb = options.perf = false;
  while (!value.empty()) {
    std::string_view word = value.substr(0, value.find(','));
    value.remove_prefix(word.size() < value.size() ? word.size() + 1 : word.size());
    if (word == "gdb")
      options.gdb = true;
    else if (word == "perf")
      options.perf = true;
    else
      return Status(Code::InvalidArgument, "option 'debug': " + quoted(word) + "; expected gdb or perf");
  }
  return {};
}

Status set(std::string_view key, std::string_view value, HostOptions &options) {
  if (key == "cpu")
    options.cpu = value;
  else if (key == "threads")
    return setThreads(value, options);
  else if (key == "debug")
    return setDebug(value, options);
  else if (key != "loader") // the registry's own: it chooses among the loaders of a format
    return Status(Code::InvalidArgument,
                  "host has no option " + quoted(key) + "; it has cpu, loader, threads and debug");
  return {};
}

} // namespace

Result<HostOptions> HostOptions::read(const KilnHost &host, std::string_view text) {
  HostOptions options;
  for (std::string_view key : {"cpu", "threads", "debug"}) {
    KilnStr value = {};
    Status status = Status::fromC(host, host.option(host.self, toStr("host"), toStr(key), &value));
    if (status.code() == Code::NotFound)
      continue; // a manifest without it: the default above
    KILN_RETURN_IF_ERROR(status);
    KILN_RETURN_IF_ERROR(set(key, toView(value), options));
  }
  KILN_RETURN_IF_ERROR(sdk::forEachOption(
      text, [&](std::string_view key, std::string_view value) { return set(key, value, options); }));
  return options;
}

} // namespace kiln::host
