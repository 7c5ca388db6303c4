// CompileShapes.h: the shapes for which --compile-only and --bundle compile.
#ifndef KILN_TOOLS_LIB_COMPILESHAPES_H
#define KILN_TOOLS_LIB_COMPILESHAPES_H

#include "tools/lib/KilnApi.h"
#include "tools/lib/ShapeFlag.h"

namespace kiln::tools {

/// One shape for each input of a model, without data; extents of -1 are any but 1. Names are borrowed from
/// the model.
using InputShapes = std::vector<KilnTensor>;

/// What to compile for a run of --shape: of several, those that the model can have. Where flags and model
/// leave extents open, nobody can say which will come: all of them 1, the first of each input 1 (a batch of
/// one), none 1.
Result<std::vector<InputShapes>> shapesToCompile(const ShapeFlags &shapes, size_t run, KilnModel *model);

/// "x=1x3x?x?".
std::string inputShapesText(const InputShapes &shapes);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_COMPILESHAPES_H
