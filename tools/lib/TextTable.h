// TextTable.h: columns for people: a header line, then rows, each column as wide as its widest cell.
#ifndef KILN_TOOLS_LIB_TEXTTABLE_H
#define KILN_TOOLS_LIB_TEXTTABLE_H

#include <iosfwd>
#include <string>
#include <vector>

namespace kiln::tools {

/// Cells are plain text without line ends. A value; not thread-safe while it changes.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header) : rows{std::move(header)} {}
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  bool empty() const { return rows.size() == 1; }
  /// Two blanks between columns, none at the end of a line.
  void print(std::ostream &out) const;

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TEXTTABLE_H
