// NpuOptions.cpp: reads each declared key through KilnHost::option, then applies the text over it.
#include "backends/npu/NpuOptions.h"

#include "backends/npu/ErrorText.h"
#include "kiln/sdk/OptionText.h"

#include <charconv>

namespace kiln::npu {
namespace {

constexpr std::string_view kKeys[] = {"chip",    "mode", "devices",  "memory-mib",
                                      "threads", "seed", "watchdog", "ascendnpu-ir"};

Result<uint64_t> number(std::string_view key, std::string_view value, uint64_t least, uint64_t most) {
  uint64_t result = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size() || result < least || result > most)
    return Status(Code::InvalidArgument, "option " + quoted(key) + ": " + quoted(value) +
                                             "; expected a number from " + std::to_string(least) + " to " +
                                             std::to_string(most));
  return result;
}

Result<Mode> parseMode(std::string_view value) {
  if (value == "fast")
    return Mode::Fast;
  if (value == "checked")
    return Mode::Checked;
  if (value == "timing")
    return Mode::Timing;
  return Status(Code::InvalidArgument,
                "option 'mode': " + quoted(value) + "; expected fast, checked or timing");
}

Status set(std::string_view key, std::string_view value, NpuOptions &options) {
  uint64_t count = 0;
  if (key == "chip") {
    KILN_ASSIGN_OR_RETURN(options.chip, parseChip(value));
  } else if (key == "mode") {
    KILN_ASSIGN_OR_RETURN(options.mode, parseMode(value));
  } else if (key == "devices") {
    KILN_ASSIGN_OR_RETURN(count, number(key, value, 0, 64));
    options.devices = static_cast<uint32_t>(count);
  } else if (key == "memory-mib") {
    KILN_ASSIGN_OR_RETURN(count, number(key, value, 1, 65536));
    options.memoryBytes = count << 20;
  } else if (key == "threads") {
    KILN_ASSIGN_OR_RETURN(count, number(key, value, 0, 4096));
    options.threads = static_cast<uint32_t>(count);
  } else if (key == "seed") {
    KILN_ASSIGN_OR_RETURN(options.seed, number(key, value, 0, INT64_MAX));
  } else if (key == "watchdog") {
    KILN_ASSIGN_OR_RETURN(options.watchdogInstructions, number(key, value, 1000, 1000000000000));
  } else if (key == "ascendnpu-ir") {
    options.ascendnpuIr = value;
  } else {
    return Status(Code::InvalidArgument,
                  "npu has no option " + quoted(key) +
                      "; it has chip, mode, devices, memory-mib, threads, seed, watchdog and ascendnpu-ir");
  }
  return {};
}

} // namespace

Result<NpuOptions> NpuOptions::read(const KilnHost &host, std::string_view text) {
  NpuOptions options;
  for (std::string_view key : kKeys) {
    KilnStr value = {};
    KILN_RETURN_IF_ERROR(Status::fromC(host, host.option(host.self, toStr("npu"), toStr(key), &value)));
    KILN_RETURN_IF_ERROR(set(key, toView(value), options));
  }
  KILN_RETURN_IF_ERROR(sdk::forEachOption(
      text, [&](std::string_view key, std::string_view value) { return set(key, value, options); }));
  return options;
}

} // namespace kiln::npu
