// TextTable.cpp: measures, then prints.
#include "tools/lib/TextTable.h"

#include <algorithm>
#include <ostream>

namespace kiln::tools {

void TextTable::print(std::ostream &out) const {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

} // namespace kiln::tools
