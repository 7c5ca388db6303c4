// ShapeFlag.h: --shape NAME=DIMS: the extents of inputs that the user gives no data for.
#ifndef KILN_TOOLS_LIB_SHAPEFLAG_H
#define KILN_TOOLS_LIB_SHAPEFLAG_H

#include "tools/lib/KilnApi.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::tools {

/// What all --shape flags say. NAME is an input ("x=1x3x8x8") or a dimension ("batch=4"); several shapes,
/// separated by commas, are several runs of the same loaded model. A value; immutable after parse().
class ShapeFlags {
public:
  /// InvalidArgument: no '=', an extent that is no number, a name twice, lists of different lengths.
  static Result<ShapeFlags> parse(const std::vector<std::string> &flags);

  /// How many runs they ask for; 1 if there are none.
  size_t runCount() const { return runs; }
  bool names(std::string_view input) const { return shapes.find(input) != shapes.end(); }
  /// InvalidArgument: a name that is neither an input nor a dimension of the model; lists both.
  Status checkNames(KilnModel *model) const;
  /// The extents of an input in a run: as given, else as declared, dynamic ones `unknown`. InvalidArgument:
  /// another rank.
  Result<std::vector<int64_t>> dims(const KilnPortInfo &port, size_t run, int64_t unknown = 1) const;

private:
  std::map<std::string, std::vector<std::vector<int64_t>>, std::less<>>
      shapes; // a shape a run, or one for all
  size_t runs = 1;
};

/// "2x?x4"; "scalar" for rank 0.
std::string portShapeText(const KilnPortInfo &port);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_SHAPEFLAG_H
