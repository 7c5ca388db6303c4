// NpuOptions.cpp: reads each declared key through KilnHost::option, then applies the text over it.
#include "backends/npu/NpuOptions.h"

#include "backends/npu/ErrorText.h"
#include "kiln/sdk/OptionText.h"

#include <charconv>

namespace kiln::npu {
namespace {

constexpr std::string_view kKeys[] = {"chip", "mode",     "devices",      "memory-mib", "threads",
                                      "seed", "watchdog", "ascendnpu-ir", "assume"};

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
  if (value == "estimate")
    return Mode::Estimate;
  return Status(Code::InvalidArgument,
                "option 'mode': " + quoted(value) + "; expected fast, checked, timing or estimate");
}

/// "name=value,name=value": figures that nobody publishes, with other values.
Status setFigures(std::string_view text, std::vector<std::pair<std::string_view, uint64_t>> &assumed) {
  auto wrong = [&](std::string_view part, std::string_view expected) {
    return Status(Code::InvalidArgument,
                  "option 'assume': " + quoted(part) + "; expected " + std::string(expected));
  };
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return wrong(part, "figure=value,..");
    std::string_view name = part.substr(0, equals);
    const Figure *figure = nullptr;
    for (const Figure &known : figures())
      if (known.name == name && known.isAssumed)
        figure = &known;
    if (!figure)
      return wrong(name, "a figure that 'jit-info explain npu' calls assumed");
    KILN_ASSIGN_OR_RETURN(uint64_t value, number("assume", part.substr(equals + 1), 1, 1000000));
    assumed.push_back({figure->name, value});
  }
  return {};
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
  } else if (key == "assume") {
    KILN_RETURN_IF_ERROR(setFigures(value, options.assumed));
  } else {
    return Status(Code::InvalidArgument, "npu has no option " + quoted(key) +
                                             "; it has chip, mode, devices, memory-mib, threads, seed, "
                                             "watchdog, ascendnpu-ir and assume");
  }
  return {};
}

} // namespace

Target NpuOptions::target() const {
  Target target = Target::of(chip);
  for (auto [name, value] : assumed)
    (void)target.set(name, value); // setFigures knows them all
  return target;
}

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
