// ImportResize.cpp: Resize and Upsample: scales, sizes and axes become the result's extents and a scale for
// each axis.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx {
namespace {

/// What a node asks for, by axis of its input.
struct Request {
  SmallVector<int64_t> axes; // that are resized
  Extents sizes;             // of the result
  std::optional<SmallVector<double>> knownScales;
  Value scales, roi; // f32; null: none
};

/// f32 constants.
Value scaleList(KilnBuilder &build, ArrayRef<double> values) {
  std::string bytes;
  for (double value : values) {
    auto single = static_cast<float>(value);
    bytes.append(reinterpret_cast<const char *>(&single), sizeof(single));
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, build.builder().getF32Type());
  return build.constant(TensorData::fromBytes(type, std::move(bytes)), "");
}

/// `list`, with an entry for each of `axes` from `offset` on, as one with an entry for each axis of `rank`.
Result<Value> spread(KilnBuilder &build, Value list, int64_t offset, ArrayRef<int64_t> axes, int64_t rank,
                     double otherwise) {
  IndexMath &math = build.math();
  KILN_ASSIGN_OR_RETURN(list, build.convert(list, build.builder().getF32Type()));
  if (llvm::equal(axes, llvm::seq<int64_t>(0, rank)))
    return build.sliceAxis(list, 0, math.constant(offset), math.constant(rank));
  SmallVector<Value> parts;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const auto *at = llvm::find(axes, axis);
    if (at == axes.end()) {
      parts.push_back(scaleList(build, otherwise));
      continue;
    }
    KILN_ASSIGN_OR_RETURN(
        Value part, build.sliceAxis(list, 0, math.constant(offset + (at - axes.begin())), math.constant(1)));
    parts.push_back(part);
  }
  return build.concat(parts, 0);
}

/// Whether an optional input is there and has elements.
bool hasElements(Node &node, unsigned i) {
  return node.hasInput(i) && !(node.type(i).hasStaticShape() && node.type(i).getNumElements() == 0);
}

Status checkLength(Node &node, unsigned i, StringRef name, size_t count) {
  if (node.rank(i) == 1 && node.type(i).getDimSize(0) == static_cast<int64_t>(count))
    return {};
  return invalid("'{0}' has the wrong shape; expected {1} elements", name, count);
}

/// Extents as f32 data.
Result<Value> realExtents(Node &node, const Extents &extents) {
  KilnBuilder &build = node.build;
  Value list = build.fromElements(extents, /*isScalar=*/false, build.builder().getI64Type());
  return build.convert(list, build.builder().getF32Type());
}

/// The sizes of the resized axes, read back from `numbers`, which has an entry for each axis, rounded down.
Status readSizes(Node &node, Value numbers, StringRef what, Request &request) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(numbers, build.make<FloorOp>(numbers));
  GraphValue rounded;
  KILN_ASSIGN_OR_RETURN(rounded.tensor, build.convert(numbers, build.builder().getI64Type()));
  KILN_ASSIGN_OR_RETURN(ShapeValue read, node.extents(rounded, what));
  for (int64_t axis : request.axes)
    request.sizes[axis] = read.elements[axis];
  return {};
}

/// Scales of input `i`, and extents rounded down: now, where they and the input's are known, else when the
/// model runs.
Status applyScales(Node &node, unsigned i, Request &request) {
  KILN_RETURN_IF_ERROR(checkLength(node, i, "scales", request.axes.size()));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  int64_t rank = node.rank(0);
  GraphValue &input = node.input(i);
  bool isComputed = !input.data;
  if (input.data) {
    request.knownScales.emplace(rank, 1.0);
    for (auto [axis, scale] : llvm::zip_equal(request.axes, input.data->doubles())) {
      if (!(scale > 0) || scale > 1e6)
        return invalid("'scales' holds {0}; expected > 0 and at most 1e6", scale);
      (*request.knownScales)[axis] = scale;
      Extent &size = request.sizes[axis];
      if (auto extent = IndexMath::known(size))
        size = math.constant(
            static_cast<int64_t>(std::floor(static_cast<float>(*extent) * static_cast<float>(scale))));
      else if (scale == std::floor(scale))
        size = scale == 1 ? size : math.mul(size, math.constant(static_cast<int64_t>(scale)));
      else
        isComputed = true;
    }
    request.scales = scaleList(build, *request.knownScales);
  } else {
    KILN_ASSIGN_OR_RETURN(request.scales, spread(build, node.tensor(i), 0, request.axes, rank, 1));
  }
  if (!isComputed)
    return {};
  KILN_ASSIGN_OR_RETURN(Value numbers, realExtents(node, node.shape(0)));
  KILN_ASSIGN_OR_RETURN(numbers, build.make<MulOp>({numbers, request.scales}));
  return readSizes(node, numbers, "the product of extents and 'scales'", request);
}

/// The same where sizes or extents are known when the model runs only: `kind` chooses the scale.
Status keepUnknownAspectRatio(Node &node, ReduceKind kind, Request &request) {
  KilnBuilder &build = node.build;
  Extents sizes, extents;
  for (int64_t axis : request.axes) {
    sizes.push_back(request.sizes[axis]);
    extents.push_back(node.dim(0, axis));
  }
  KILN_ASSIGN_OR_RETURN(Value wanted, realExtents(node, sizes));
  KILN_ASSIGN_OR_RETURN(Value given, realExtents(node, extents));
  KILN_ASSIGN_OR_RETURN(Value ratios, build.make<DivOp>({wanted, given}));
  KILN_ASSIGN_OR_RETURN(
      Value common,
      build.make<ReduceOp>(ratios, {build.named("kind", ReduceKindAttr::get(build.context(), kind)),
                                    build.integers("axes", {0}), build.flag("keepdims")}));
  KILN_ASSIGN_OR_RETURN(
      common, build.broadcast(common, {build.math().constant(static_cast<int64_t>(request.axes.size()))}));
  KILN_ASSIGN_OR_RETURN(request.scales, spread(build, common, 0, request.axes, node.rank(0), 1));
  KILN_ASSIGN_OR_RETURN(Value numbers, realExtents(node, node.shape(0)));
  KILN_ASSIGN_OR_RETURN(numbers, build.make<MulOp>({numbers, request.scales}));
  Value half = build.scalar(build.builder().getF32Type(), 0.5);
  KILN_ASSIGN_OR_RETURN(numbers, build.make<AddOp>({numbers, half}));
  return readSizes(node, numbers, "the product of extents and their common scale", request);
}

/// One scale for all axes, so that the result is not larger (or smaller) than the sizes.
Status keepAspectRatio(Node &node, StringRef policy, Request &request) {
  if (policy == "stretch")
    return {};
  if (policy != "not_larger" && policy != "not_smaller")
    return invalid(
        "attribute 'keep_aspect_ratio_policy' is '{0}'; expected stretch, not_larger or not_smaller", policy);
  std::optional<double> common;
  for (int64_t axis : request.axes) {
    auto size = IndexMath::known(request.sizes[axis]), extent = IndexMath::known(node.dim(0, axis));
    if (!size || !extent)
      return keepUnknownAspectRatio(node, policy == "not_larger" ? ReduceKind::Min : ReduceKind::Max,
                                    request);
    if (*extent == 0)
      return invalid("an axis of extent 0 has no aspect ratio");
    double scale = static_cast<double>(*size) / static_cast<double>(*extent);
    common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
  }
  request.knownScales.emplace(node.rank(0), 1.0);
  for (int64_t axis : request.axes) {
    (*request.knownScales)[axis] = *common;
    auto extent = static_cast<double>(*IndexMath::known(node.dim(0, axis)));
    request.sizes[axis] =
        node.build.math().constant(static_cast<int64_t>(std::floor(*common * extent + 0.5)));
  }
  request.scales = scaleList(node.build, *request.knownScales);
  return {};
}

/// The op; each of `axes` keeps its extent unless it is named.
Result<Value> resize(KilnBuilder &build, Value x, const Request &request,
                     ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> operands{x};
  SmallVector<int64_t> statics;
  for (Extent size : request.sizes)
    if (auto known = IndexMath::known(size); known && (*known < 0 || *known > kMaxElements))
      return invalid("extent {0}; expected 0 to {1}", *known, kMaxElements);
  dispatchIndexOpFoldResults(request.sizes, operands, statics);
  SmallVector<int32_t> segments{1, static_cast<int32_t>(operands.size() - 1), request.scales ? 1 : 0,
                                request.roi ? 1 : 0};
  for (Value operand : {request.scales, request.roi})
    if (operand)
      operands.push_back(operand);
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(build.integers("static_sizes", statics));
  all.push_back(build.named("operandSegmentSizes", build.builder().getDenseI32ArrayAttr(segments)));
  return build.make<ResizeOp>(operands, all);
}

NamedAttribute modeAttribute(KilnBuilder &build, ResizeMode mode) {
  return build.named("mode", ResizeModeAttr::get(build.context(), mode));
}
NamedAttribute coordinatesAttribute(KilnBuilder &build, ResizeCoordinates coordinates) {
  return build.named("coordinates", ResizeCoordinatesAttr::get(build.context(), coordinates));
}
NamedAttribute roundingAttribute(KilnBuilder &build, ResizeRounding rounding) {
  return build.named("rounding", ResizeRoundingAttr::get(build.context(), rounding));
}

Result<ResizeMode> readMode(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string name, node.stringAttribute("mode", "nearest"));
  std::optional<ResizeMode> mode = symbolizeResizeMode(name == "bilinear" ? "linear" : name);
  if (!mode)
    return invalid("attribute 'mode' is '{0}'; expected nearest, linear or cubic", name);
  return *mode;
}

Request requestAll(Node &node) {
  Request request;
  llvm::append_range(request.axes, llvm::seq<int64_t>(0, node.rank(0)));
  request.sizes = node.shape(0);
  return request;
}

/// Upsample, and Resize of opset 10: element i * scale, rounded down; up where an axis shrinks.
template <bool byInput> Status importUpsample(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(ResizeMode mode, readMode(node));
  Request request = requestAll(node);
  if (byInput) {
    KILN_RETURN_IF_ERROR(applyScales(node, 1, request));
  } else {
    KILN_ASSIGN_OR_RETURN(auto scales, node.realsAttribute("scales"));
    if (!scales || scales->size() != request.axes.size())
      return invalid("attribute 'scales' has {0} entries; expected {1}", scales ? scales->size() : 0,
                     request.axes.size());
    request.knownScales.emplace(scales->begin(), scales->end());
    for (int64_t axis : request.axes) {
      double scale = (*request.knownScales)[axis];
      auto extent = IndexMath::known(request.sizes[axis]);
      if (!(scale > 0) || scale > 1e6)
        return invalid("attribute 'scales' holds {0}; expected > 0 and at most 1e6", scale);
      if (!extent && scale != std::floor(scale))
        return unsupported("scale {0} of a dynamic extent is not supported; whole numbers are", scale);
      request.sizes[axis] =
          extent ? build.math().constant(static_cast<int64_t>(
                       std::floor(static_cast<float>(*extent) * static_cast<float>(scale))))
                 : build.math().mul(request.sizes[axis], build.math().constant(static_cast<int64_t>(scale)));
    }
    request.scales = scaleList(build, *request.knownScales);
  }
  auto shrinks = [&](int64_t axis) { return request.knownScales && (*request.knownScales)[axis] < 1; };
  auto rounding = llvm::any_of(request.axes, shrinks) ? ResizeRounding::Ceil : ResizeRounding::Floor;
  if (mode == ResizeMode::Nearest && rounding == ResizeRounding::Ceil &&
      llvm::any_of(request.axes, [&](int64_t axis) { return (*request.knownScales)[axis] > 1; }))
    return unsupported("scales below and above 1 together are not supported");
  return node.output(
      resize(build, node.tensor(0), request,
             {modeAttribute(build, mode), coordinatesAttribute(build, ResizeCoordinates::Asymmetric),
              roundingAttribute(build, rounding)}));
}

Status importResize(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(ResizeMode mode, readMode(node));
  KILN_ASSIGN_OR_RETURN(std::string placing,
                        node.stringAttribute("coordinate_transformation_mode", "half_pixel"));
  KILN_ASSIGN_OR_RETURN(std::string roundingName, node.stringAttribute("nearest_mode", "round_prefer_floor"));
  KILN_ASSIGN_OR_RETURN(std::string policy, node.stringAttribute("keep_aspect_ratio_policy", "stretch"));
  KILN_ASSIGN_OR_RETURN(double coefficient, node.realAttribute("cubic_coeff_a", -0.75));
  KILN_ASSIGN_OR_RETURN(double extrapolation, node.realAttribute("extrapolation_value", 0.0));
  KILN_ASSIGN_OR_RETURN(bool excludeOutside, node.flagAttribute("exclude_outside", false));
  KILN_ASSIGN_OR_RETURN(bool antialias, node.flagAttribute("antialias", false));
  std::optional<ResizeCoordinates> coordinates = symbolizeResizeCoordinates(placing);
  if (!coordinates)
    return invalid("attribute 'coordinate_transformation_mode' is '{0}'; expected one that ONNX names",
                   placing);
  std::optional<ResizeRounding> rounding = symbolizeResizeRounding(roundingName);
  if (!rounding)
    return invalid("attribute 'nearest_mode' is '{0}'; expected one that ONNX names", roundingName);
  Request request = requestAll(node);
  KILN_ASSIGN_OR_RETURN(auto axes, node.integersAttribute("axes"));
  if (axes) {
    request.axes.clear();
    for (int64_t axis : *axes) {
      KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, node.rank(0)));
      if (llvm::is_contained(request.axes, axis))
        return invalid("attribute 'axes' holds axis {0} twice", axis);
      request.axes.push_back(axis);
    }
  }
  bool byScales = hasElements(node, 2), bySizes = hasElements(node, 3);
  if (byScales == bySizes)
    return invalid("{0} of 'scales' and 'sizes'; expected one of them", byScales ? "both" : "none");
  if (byScales) {
    KILN_RETURN_IF_ERROR(applyScales(node, 2, request));
  } else {
    KILN_RETURN_IF_ERROR(checkLength(node, 3, "sizes", request.axes.size()));
    KILN_ASSIGN_OR_RETURN(ShapeValue sizes, node.extents(3, "'sizes'"));
    for (auto [axis, size] : llvm::zip_equal(request.axes, sizes.elements))
      request.sizes[axis] = size;
    KILN_RETURN_IF_ERROR(keepAspectRatio(node, policy, request));
  }
  if (coordinates == ResizeCoordinates::TfCropAndResize) {
    if (!hasElements(node, 1))
      return invalid("'roi' is missing; tf_crop_and_resize needs it");
    auto count = static_cast<int64_t>(request.axes.size());
    KILN_RETURN_IF_ERROR(checkLength(node, 1, "roi", static_cast<size_t>(2 * count)));
    KILN_ASSIGN_OR_RETURN(Value starts, spread(build, node.tensor(1), 0, request.axes, node.rank(0), 0));
    KILN_ASSIGN_OR_RETURN(Value ends, spread(build, node.tensor(1), count, request.axes, node.rank(0), 1));
    KILN_ASSIGN_OR_RETURN(request.roi, build.concat({starts, ends}, 0));
  }
  SmallVector<NamedAttribute> attributes{
      modeAttribute(build, mode), coordinatesAttribute(build, *coordinates),
      roundingAttribute(build, *rounding), build.real("cubic_coefficient", coefficient),
      build.real("extrapolation", extrapolation)};
  if (antialias)
    attributes.push_back(build.flag("antialias"));
  if (excludeOutside && mode != ResizeMode::Nearest)
    attributes.push_back(build.flag("exclude_outside"));
  return node.output(resize(build, node.tensor(0), request, attributes));
}

constexpr StringLiteral kLimits = "strings";
constexpr OpEntry kResizeOps[] = {
    {"Resize", 10, 2, 2, importUpsample<true>, kLimits},
    {"Resize", 11, 1, 4, importResize, kLimits},
    {"Upsample", 7, 1, 1, importUpsample<false>, "scales below and above 1 together"},
    {"Upsample", 9, 2, 2, importUpsample<true>, "scales below and above 1 together"},
};

} // namespace

llvm::ArrayRef<OpEntry> resizeOps() { return kResizeOps; }

} // namespace kiln::onnx
