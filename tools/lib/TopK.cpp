// TopK.cpp: a partial sort a row.
#include "tools/lib/TopK.h"

#include "tools/lib/ReadFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>
#include <sstream>

namespace kiln::tools {

Result<TopKFlag> parseTopK(const std::string &text) {
  TopKFlag flag;
  size_t comma = std::min(text.find(','), text.size());
  auto [end, error] = std::from_chars(text.data(), text.data() + comma, flag.count);
  if (error != std::errc() || end != text.data() + comma || flag.count == 0)
    return Status(Code::InvalidArgument,
                  fmt::format("'{}' is no count; expected N or N,FILE with N at least 1", text));
  if (comma < text.size())
    flag.labelFile = text.substr(comma + 1);
  if (comma < text.size() && flag.labelFile.empty())
    return Status(Code::InvalidArgument,
                  fmt::format("'{}': no file behind the comma; expected N or N,FILE", text));
  return flag;
}

Result<std::vector<std::string>> readLabels(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFile(path));
  std::istringstream text(std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  std::vector<std::string> labels;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r'))
      line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

std::vector<std::vector<TopEntry>> topEntries(const HostTensor &tensor, uint64_t count,
                                              const std::vector<std::string> &labels) {
  int64_t length = tensor.dims.empty() ? 1 : tensor.dims.back();
  std::vector<std::vector<TopEntry>> rows;
  for (int64_t begin = 0, n = tensor.elementCount(); begin < n; begin += length) {
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) {
      double x = tensor.element(begin + a), y = tensor.element(begin + b);
      if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
      return x != y ? x > y : a < b;
    };
    auto kept = std::min<uint64_t>(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), before);
    std::vector<TopEntry> &row = rows.emplace_back();
    for (uint64_t i = 0; i < kept; ++i)
      row.push_back({order[i], tensor.element(begin + order[i]),
                     static_cast<size_t>(order[i]) < labels.size() ? labels[order[i]] : ""});
  }
  return rows;
}

void printTopEntries(const std::string &output, const std::vector<std::vector<TopEntry>> &rows,
                     std::ostream &out, size_t maxRows) {
  for (size_t i = 0; i < std::min(rows.size(), maxRows); ++i) {
    std::string line;
    for (const TopEntry &entry : rows[i])
      line += fmt::format("{}{}{}: {:.6g}", line.empty() ? "" : ", ", entry.index,
                          entry.label.empty() ? "" : fmt::format(" ({})", entry.label), entry.value);
    out << fmt::format("  {}{} top {}: {}\n", output, rows.size() > 1 ? fmt::format(" row {}", i) : "",
                       rows[i].size(), line);
  }
  if (rows.size() > maxRows)
    out << fmt::format("  {}: {} rows more\n", output, rows.size() - maxRows);
}

} // namespace kiln::tools
