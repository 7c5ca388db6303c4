// ShapeFlag.cpp: parses by hand; names are compared with the model's when that is loaded.
#include "tools/lib/ShapeFlag.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace kiln::tools {
namespace {

Status badShape(const std::string &flag, std::string_view why) {
  return {
      Code::InvalidArgument,
      fmt::format("--shape: '{}': {}; expected NAME=DIMS, for example x=1x3x224x224 or batch=4", flag, why)};
}

bool parseDims(std::string_view text, std::vector<int64_t> &dims) {
  for (;;) {
    int64_t extent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0)
      return false;
    dims.push_back(extent);
    text.remove_prefix(end - text.data());
    if (text.empty())
      return true;
    if (text.front() != 'x')
      return false;
    text.remove_prefix(1);
  }
}

std::string namesText(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text.empty() ? "none" : text;
}

} // namespace

std::string portShapeText(const KilnPortInfo &port) {
  std::string text;
  for (uint32_t d = 0; d < port.rank; ++d)
    text +=
        fmt::format("{}{}", d ? "x" : "", port.dims[d] < 0 ? std::string("?") : fmt::to_string(port.dims[d]));
  return text.empty() ? "scalar" : text;
}

Result<ShapeFlags> ShapeFlags::parse(const std::vector<std::string> &flags) {
  ShapeFlags result;
  for (const std::string &flag : flags) {
    size_t equals = flag.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return badShape(flag, "no name");
    std::vector<std::vector<int64_t>> list;
    std::string_view rest = std::string_view(flag).substr(equals + 1);
    for (;;) {
      size_t comma = std::min(rest.find(','), rest.size());
      if (!parseDims(rest.substr(0, comma), list.emplace_back()))
        return badShape(flag, fmt::format("'{}' is no list of extents", rest.substr(0, comma)));
      if (comma == rest.size())
        break;
      rest.remove_prefix(comma + 1);
    }
    if (list.size() > 1 && result.runs > 1 && list.size() != result.runs)
      return badShape(flag, fmt::format("{} shapes, another --shape has {}", list.size(), result.runs));
    result.runs = std::max(result.runs, list.size());
    if (!result.shapes.try_emplace(flag.substr(0, equals), std::move(list)).second)
      return badShape(flag, "the name was given before");
  }
  return result;
}

Status ShapeFlags::checkNames(KilnModel *model) const {
  std::set<std::string> inputs, dimensions;
  for (size_t i = 0, n = kiln_model_input_count(model); i < n; ++i) {
    auto port = sized<KilnPortInfo>();
    KILN_RETURN_IF_ERROR(take(kiln_model_input(model, i, &port)));
    inputs.emplace(toView(port.name));
    for (uint32_t d = 0; d < port.rank; ++d)
      if (port.dim_names[d].size)
        dimensions.emplace(toView(port.dim_names[d]));
  }
  for (const auto &[name, list] : shapes) {
    if (!inputs.contains(name) && !dimensions.contains(name))
      return {Code::InvalidArgument,
              fmt::format("--shape: '{}' is not of the model; its inputs: {}; its dimensions: {}", name,
                          namesText(inputs), namesText(dimensions))};
    if (!inputs.contains(name) && list.front().size() != 1)
      return {Code::InvalidArgument, fmt::format("--shape: '{}' is a dimension; expected one extent, got {}",
                                                 name, list.front().size())};
  }
  return {};
}

Result<std::vector<int64_t>> ShapeFlags::dims(const KilnPortInfo &port, size_t run, int64_t unknown) const {
  auto of = [&](auto found) { return found->second[found->second.size() == 1 ? 0 : run]; };
  if (auto found = shapes.find(toView(port.name)); found != shapes.end()) {
    std::vector<int64_t> dims = of(found);
    if (dims.size() != port.rank)
      return Status(Code::InvalidArgument,
                    fmt::format("--shape: input '{}': {} extents; expected {} as in {}", toView(port.name),
                                dims.size(), port.rank, portShapeText(port)));
    return dims;
  }
  std::vector<int64_t> dims(port.dims, port.dims + port.rank);
  for (uint32_t d = 0; d < port.rank; ++d) {
    if (dims[d] >= 0)
      continue;
    auto found = shapes.find(toView(port.dim_names[d]));
    dims[d] = found != shapes.end() ? of(found).front() : unknown;
  }
  return dims;
}

} // namespace kiln::tools
