// TopK.h: the largest elements along an output's last axis, with the names of their classes.
#ifndef KILN_TOOLS_LIB_TOPK_H
#define KILN_TOOLS_LIB_TOPK_H

#include "tools/lib/HostTensor.h"

#include <iosfwd>

namespace kiln::tools {

/// --topk=N[,FILE]: how many, and a file with a class name a line.
struct TopKFlag {
  uint64_t count = 0;
  std::string labelFile; // "": none
};
/// InvalidArgument: N is no count of at least 1, or the comma has no file behind it.
Result<TopKFlag> parseTopK(const std::string &text);
/// The lines of a file, without their ends.
Result<std::vector<std::string>> readLabels(const std::string &path);

struct TopEntry {
  int64_t index = 0; // along the last axis
  double value = 0;
  std::string label; // "": there is none
};
/// For each row of the last axis its `count` largest elements, the largest first; equal ones by index, NaN
/// last. A scalar is a row of one.
std::vector<std::vector<TopEntry>> topEntries(const HostTensor &tensor, uint64_t count,
                                              const std::vector<std::string> &labels);

/// A line for a row, at most `maxRows` of them.
void printTopEntries(const std::string &output, const std::vector<std::vector<TopEntry>> &rows,
                     std::ostream &out, size_t maxRows = 16);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TOPK_H
