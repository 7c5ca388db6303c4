// ImportLegacy.cpp: ONNX's experimental operators of old, which converters wrote and ONNX Runtime still
// takes.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// alpha * x + beta
Status importAffine(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 0.0));
  Formula f(node);
  return f.output(0, f.add(f.mul(node.tensor(0), alpha), beta));
}

/// scale * x + bias, with a bias for each channel.
Status importImageScaler(Node &node) {
  KILN_ASSIGN_OR_RETURN(double scale, node.realAttribute("scale", 1.0));
  KILN_ASSIGN_OR_RETURN(auto bias, node.realsAttribute("bias"));
  if (node.rank(0) != 4)
    return invalid("input 0 has rank {0}; expected 4", node.rank(0));
  Formula f(node);
  Value x = f.mul(node.tensor(0), scale);
  if (!bias)
    return f.output(0, x);
  auto channels = static_cast<int64_t>(bias->size());
  if (std::optional<int64_t> known = IndexMath::known(node.dim(0, 1)); known && *known != channels)
    return invalid("attribute 'bias' has {0} entries for {1} channels", channels, *known);
  SmallVector<Value> parts; // images have few channels
  for (float each : *bias)
    parts.push_back(f.reshape(f.like(x, static_cast<double>(each)), f.build.math().constants({1, 1, 1, 1})));
  return f.output(0, f.add(x, f.concat(parts, 1)));
}

/// alpha * log(1 + exp(beta * x))
Status importParametricSoftplus(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 1.0));
  Formula f(node);
  return f.output(0, f.mul(f.make<SoftplusOp>(f.mul(node.tensor(0), beta)), alpha));
}

/// alpha * tanh(beta * x)
Status importScaledTanh(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 1.0));
  Formula f(node);
  return f.output(0, f.mul(f.tanh(f.mul(node.tensor(0), beta)), alpha));
}

Status importScale(Node &node) {
  KILN_ASSIGN_OR_RETURN(double scale, node.realAttribute("scale", 1.0));
  Formula f(node);
  return f.output(0, f.mul(node.tensor(0), scale));
}

/// Images without their borders, or `scale` elements from a corner on.
Status importCrop(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto border, node.integersAttribute("border"));
  KILN_ASSIGN_OR_RETURN(auto scale, node.integersAttribute("scale"));
  if (node.rank(0) != 4 || !border || border->size() != 4 || (scale && scale->size() != 2))
    return invalid("input 0 has rank {0}, 'border' {1} and 'scale' {2} entries; expected 4, 4 and none or 2",
                   node.rank(0), border ? border->size() : 0, scale ? scale->size() : 0);
  Formula f(node);
  IndexMath &math = f.build.math();
  Value x = node.tensor(0);
  for (size_t i : {size_t(0), size_t(1)}) { // border is left, top, right, bottom
    int64_t low = (*border)[1 - i], high = (*border)[3 - i];
    Extent extent = node.dim(0, static_cast<int64_t>(2 + i));
    Extent size = scale ? f.constant((*scale)[i]) : math.sub(extent, f.constant(low + high));
    std::optional<int64_t> known = IndexMath::known(size), whole = IndexMath::known(extent);
    if (low < 0 || high < 0 || (known && *known < 0) || (known && whole && low + *known > *whole))
      return invalid("attributes 'border' and 'scale' leave {0} elements of axis {1} from {2} on",
                     known ? *known : 0, 2 + i, low);
    x = f.slice(x, static_cast<int64_t>(2 + i), f.constant(low), size);
  }
  return f.output(0, x);
}

constexpr OpEntry kLegacyOps[] = {
    {"Affine", 1, 1, 1, importAffine},
    {"Crop", 1, 1, 1, importCrop},
    {"ImageScaler", 1, 1, 1, importImageScaler},
    {"ParametricSoftplus", 1, 1, 1, importParametricSoftplus},
    {"Scale", 1, 1, 1, importScale},
    {"ScaledTanh", 1, 1, 1, importScaledTanh},
};

} // namespace

llvm::ArrayRef<OpEntry> legacyOps() { return kLegacyOps; }

} // namespace kiln::onnx
