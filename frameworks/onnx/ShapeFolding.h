// ShapeFolding.h: ops on shape values that need no tensor.
#ifndef KILN_ONNX_SHAPEFOLDING_H
#define KILN_ONNX_SHAPEFOLDING_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// Computes the node on extents if its inputs are shape values and it is one of the operators that models
/// compute shapes with. False, with nothing changed, where the node has to be imported as a tensor op.
bool foldShapes(Node &node);

} // namespace kiln::onnx
#endif // KILN_ONNX_SHAPEFOLDING_H
