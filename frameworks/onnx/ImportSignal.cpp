// ImportSignal.cpp: Fourier transforms and what goes with them.
//
// A transform is one product with a matrix of cosines and sines made at import; that of a sliding window is a
// convolution with them. Complex numbers are pairs along the last axis, which the matrices interleave
// likewise.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Larger matrices are refused: 1 GiB of f64.
constexpr int64_t kMaxMatrixElements = int64_t(1) << 27;

Result<Type> outputType(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t dtype, node.integerAttribute("output_datatype", TensorProto::FLOAT));
  Result<Type> type = toElementType(node.build.context(), static_cast<int>(dtype));
  if (!type.ok())
    return at("attribute 'output_datatype'", type.status());
  return type;
}

/// A constant of the element type, computed in double.
Value constantOf(Formula &f, ArrayRef<int64_t> shape, ArrayRef<double> values, Type element) {
  std::string bytes(values.size() * sizeof(float), '\0');
  bool isDouble = element.isF64();
  if (isDouble) {
    bytes.resize(values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
  } else {
    for (auto [i, value] : llvm::enumerate(values)) {
      auto rounded = static_cast<float>(value);
      std::memcpy(bytes.data() + i * sizeof(float), &rounded, sizeof(float));
    }
  }
  Type stored = isDouble ? element : f.f32();
  Value constant =
      f.build.constant(TensorData::fromBytes(RankedTensorType::get(shape, stored), std::move(bytes)), "");
  return f.convert(constant, element);
}

// ---- Windows
// ------------------------------------------------------------------------------------------------

/// Coefficients of a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N).
struct Cosines {
  double a0, a1, a2;
};
constexpr Cosines kHann{0.5, 0.5, 0}, kHamming{25.0 / 46, 21.0 / 46, 0}, kBlackman{0.42, 0.5, 0.08};

/// N is the size, less one unless periodic.
template <const Cosines &cosines> Status importWindow(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool periodic, node.flagAttribute("periodic", true));
  KILN_ASSIGN_OR_RETURN(Type element, outputType(node));
  KILN_ASSIGN_OR_RETURN(ShapeValue size, node.extents(0, "'size'"));
  if (size.elements.size() != 1)
    return invalid("'size' has {0} elements; expected one", size.elements.size());
  Formula f(node);
  Type compute = f.build.builder().getF64Type();
  Extent count = size.elements.front();
  Value divisor = f.convert(f.reshape(node.tensor(0), {}), compute);
  if (!periodic)
    divisor = f.sub(divisor, 1);
  Value angle = f.div(f.mul(f.iota(compute, count, 0), 2 * M_PI), divisor);
  Value window = f.sub(f.scalar(compute, cosines.a0), f.mul(f.cos(angle), cosines.a1));
  if (cosines.a2 != 0)
    window = f.add(window, f.mul(f.cos(f.mul(angle, 2)), cosines.a2));
  return f.output(0, f.convert(window, element));
}

// ---- Mel scale
// ----------------------------------------------------------------------------------------------

double toMel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double toHertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// Triangles on the mel scale, [dft_length / 2 + 1, num_mel_bins].
Status importMelWeightMatrix(Node &node) {
  KILN_ASSIGN_OR_RETURN(Type element, outputType(node));
  double inputs[5];
  constexpr const char *names[] = {"num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz",
                                   "upper_edge_hertz"};
  for (auto [i, name] : llvm::enumerate(names)) {
    std::optional<double> known = node.knownNumber(static_cast<unsigned>(i));
    if (!known)
      return unsupported("'{0}' is not known before the model runs", name);
    inputs[i] = *known;
  }
  auto bins = static_cast<int64_t>(inputs[0]), length = static_cast<int64_t>(inputs[1]);
  int64_t rows = length / 2 + 1;
  if (bins < 0 || length < 0 || inputs[2] <= 0 || bins > kMaxMatrixElements / std::max<int64_t>(rows, 1))
    return invalid(
        "{0} mel bins, transforms of {1}, {2} samples a second; expected fewer, and a positive rate", bins,
        length, inputs[2]);
  double lowest = toMel(inputs[3]), step = (toMel(inputs[4]) - lowest) / static_cast<double>(bins + 2);
  SmallVector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    double hertz = toHertz(lowest + step * static_cast<double>(i));
    edges.push_back(static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * hertz / inputs[2])));
    if (edges.back() < 0 || edges.back() >= rows)
      return invalid("edge {0} lies in row {1} of the spectrum; expected one of {2}", i, edges.back(), rows);
  }
  std::vector<double> weights(static_cast<size_t>(rows * bins));
  for (int64_t bin = 0; bin < bins; ++bin) {
    int64_t low = edges[bin], center = edges[bin + 1], high = edges[bin + 2];
    auto weight = [&](int64_t row) -> double & { return weights[static_cast<size_t>(row * bins + bin)]; };
    if (low == center)
      weight(center) = 1;
    else
      for (int64_t row = low; row <= center; ++row)
        weight(row) = static_cast<double>(row - low) / static_cast<double>(center - low);
    for (int64_t row = center; row < high; ++row)
      weight(row) = static_cast<double>(high - row) / static_cast<double>(high - center);
  }
  Formula f(node);
  return f.output(0, constantOf(f, {rows, bins}, weights, element));
}

// ---- DFT
// ----------------------------------------------------------------------------------------------------

/// One transform: `inputs` numbers of `inputParts` (1: real, 2: complex) give `outputs` numbers likewise.
struct Transform {
  int64_t length, inputs, inputParts, outputs, outputParts;
  bool inverse;
};

/// The part of e^(+-2 pi i n k / N) that takes input part `from` to output part `to`.
double coefficient(const Transform &t, int64_t n, int64_t k, int64_t from, int64_t to) {
  double angle = 2 * M_PI * static_cast<double>(n * k % t.length) / static_cast<double>(t.length);
  double cosine = std::cos(angle), sine = t.inverse ? std::sin(angle) : -std::sin(angle);
  double value = from == to ? cosine : from == 0 ? sine : -sine;
  if (!t.inverse)
    return value;
  // To real numbers: the half of the spectrum that was left out is the conjugate of the other.
  bool isReal = t.outputParts == 1, isAlone = n == 0 || 2 * n == t.length;
  return value * (isReal && !isAlone ? 2 : 1) / static_cast<double>(t.length);
}

/// [inputs * inputParts, outputs * outputParts]
Value matrixOf(Formula &f, const Transform &t, Type element) {
  int64_t rows = t.inputs * t.inputParts, columns = t.outputs * t.outputParts;
  if (columns != 0 && rows > kMaxMatrixElements / columns)
    return f.fail(unsupported("a transform of {0} numbers is not supported; expected fewer", t.length));
  std::vector<double> values(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      values[static_cast<size_t>(row * columns + column)] = coefficient(
          t, row / t.inputParts, column / t.outputParts, row % t.inputParts, column % t.outputParts);
  return constantOf(f, {rows, columns}, values, element);
}

/// Extents of a transform whose length may only be known when the model runs.
struct TransformExtents {
  Extent length, inputs, outputs;
};

/// The same where extents are not known: `rows` of the inputs' are there.
Value computedMatrix(Formula &f, const Transform &t, const TransformExtents &extents, Extent rows,
                     Type element) {
  Type compute = element.isF64() ? element : f.f32();
  Extent one = f.constant(1);
  Value n = f.iota(f.i64(), {rows, one}, 0), k = f.iota(f.i64(), {one, extents.outputs}, 1);
  Value count = f.scalarOf(extents.length), length = f.convert(count, compute);
  Value turns = f.div(f.convert(f.make<RemOp>({f.mul(n, k), count}), compute), length);
  Value angle = f.mul(turns, 2 * M_PI), cosine = f.cos(angle), sine = f.sin(angle);
  if (t.inverse) {
    // To real numbers: the half of the spectrum that was left out is the conjugate of the other.
    Value weight = f.div(f.like(length, 1), length);
    if (t.outputParts == 1) {
      Value isAlone =
          f.make<OrOp>({f.compare("eq", n, f.like(n, 0)), f.compare("eq", f.mul(n, f.like(n, 2)), count)});
      weight = f.mul(weight, f.select(isAlone, f.like(length, 1), f.like(length, 2)));
    }
    cosine = f.mul(cosine, weight), sine = f.mul(sine, weight);
  } else {
    sine = f.neg(sine);
  }
  SmallVector<Value> inputParts;
  for (int64_t from = 0; from < t.inputParts; ++from) {
    SmallVector<Value> parts;
    for (int64_t to = 0; to < t.outputParts; ++to) {
      Value part = from == to ? cosine : from == 0 ? sine : f.neg(sine);
      parts.push_back(f.reshape(part, {rows, one, extents.outputs, one}));
    }
    inputParts.push_back(f.concat(parts, 3));
  }
  IndexMath &math = f.build.math();
  Value matrix = f.reshape(f.concat(inputParts, 1), {math.mul(rows, f.constant(t.inputParts)),
                                                     math.mul(extents.outputs, f.constant(t.outputParts))});
  return f.convert(matrix, element);
}

/// The transform along the axis before the last.
Value transformed(Formula &f, Value x, const Transform &t, const TransformExtents &extents) {
  int64_t axis = f.rank(x) - 2;
  Extents shape = f.shape(x);
  if (!f.ok())
    return {};
  // What is missing is 0: its rows of the matrix are left out.
  IndexMath &math = f.build.math();
  Extent used = math.min(shape[axis], extents.inputs);
  if (used != shape[axis])
    x = f.slice(x, axis, f.constant(0), used);
  Extents flat(ArrayRef(shape).take_front(axis)), result(flat);
  flat.push_back(math.mul(used, f.constant(t.inputParts)));
  result.push_back(extents.outputs);
  result.push_back(f.constant(t.outputParts));
  Type element = f.elementType(x);
  Value matrix;
  if (IndexMath::known(extents.length) && IndexMath::known(used)) {
    Transform known = t;
    known.inputs = *IndexMath::known(used);
    matrix = matrixOf(f, known, element);
  } else {
    matrix = computedMatrix(f, t, extents, used, element);
  }
  return f.reshape(f.matmul(f.reshape(x, flat), matrix), result);
}

Status importDft(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(bool inverse, node.flagAttribute("inverse", false));
  KILN_ASSIGN_OR_RETURN(bool onesided, node.flagAttribute("onesided", false));
  int64_t rank = node.rank(0), axis = 0;
  if (node.opset() < 20) {
    KILN_ASSIGN_OR_RETURN(axis, node.integerAttribute("axis", 1));
  } else {
    axis = -2;
    if (node.hasInput(2)) {
      KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> given, node.knownIntegers(2, "'axis'"));
      if (given.size() != 1)
        return invalid("'axis' has {0} elements; expected one", given.size());
      axis = given.front();
    }
  }
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, rank));
  std::optional<int64_t> parts = IndexMath::known(node.dim(0, rank - 1));
  if (rank < 2 || axis == rank - 1 || (parts && *parts != 1 && *parts != 2))
    return invalid(
        "an input of type {0}, axis {1}; expected a last axis of 1 or 2, another axis to transform",
        node.type(0), axis);
  if (!parts)
    return unsupported("the extent of the last axis is not known before the model runs");
  Formula f(node);
  IndexMath &math = f.build.math();
  Extent extent = node.dim(0, axis), length = extent;
  if (inverse && onesided)
    length = math.mul(f.constant(2), math.sub(extent, f.constant(1)));
  if (node.hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(1, "'dft_length'"));
    if (given.elements.size() != 1)
      return invalid("'dft_length' has {0} elements; expected one", given.elements.size());
    length = given.elements.front();
  }
  if (IndexMath::known(length).value_or(1) < 1)
    return invalid("a transform of {0} numbers; expected 1 or more", *IndexMath::known(length));
  Extent half = math.add(math.div(length, f.constant(2)), f.constant(1));
  TransformExtents extents{length, inverse && onesided ? half : length, !inverse && onesided ? half : length};
  Transform t{.length = IndexMath::known(length).value_or(0),
              .inputs = IndexMath::known(extents.inputs).value_or(0),
              .inputParts = *parts,
              .outputs = IndexMath::known(extents.outputs).value_or(0),
              .outputParts = inverse && onesided ? 1 : 2,
              .inverse = inverse};
  SmallVector<int64_t> permutation; // the axis to the last place but one, and back
  for (int64_t i = 0; i < rank - 1; ++i)
    if (i != axis)
      permutation.push_back(i);
  permutation.push_back(axis);
  permutation.push_back(rank - 1);
  Value y = transformed(f, f.transpose(node.tensor(0), permutation), t, extents);
  return f.output(0, f.transpose(y, invertPermutationVector(permutation)));
}

/// Frames of `length` numbers, a step apart, each transformed: filters of a convolution, two a frequency.
Status importStft(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(bool onesided, node.flagAttribute("onesided", true));
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> step, node.knownIntegers(1, "'frame_step'"));
  std::optional<int64_t> length;
  if (node.hasInput(3)) {
    KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> given, node.knownIntegers(3, "'frame_length'"));
    if (given.size() == 1)
      length = given.front();
  } else if (node.hasInput(2)) {
    length = IndexMath::known(node.dim(2, 0));
  }
  if (step.size() != 1 || step.front() < 1 || !length || *length < 1)
    return invalid("no 'frame_step' and frame length that are known and positive");
  Formula f(node);
  Value x = node.tensor(0);
  if (f.rank(x) == 2)
    x = f.unsqueeze(x, 2);
  std::optional<int64_t> parts = f.rank(x) == 3 ? IndexMath::known(f.dim(x, 2)) : std::nullopt;
  if (!parts || (*parts != 1 && *parts != 2))
    return invalid("a signal of type {0}; expected [batch, length, 1 or 2]", node.type(0));
  Transform t{.length = *length,
              .inputs = *length,
              .inputParts = *parts,
              .outputs = onesided ? *length / 2 + 1 : *length,
              .outputParts = 2,
              .inverse = false};
  Type element = f.elementType(x);
  int64_t filters = t.outputs * t.outputParts;
  Value basis =
      f.reshape(matrixOf(f, t, element), {f.constant(*length), f.constant(*parts), f.constant(filters)});
  if (node.hasInput(2)) {
    Value window = f.reshape(f.convert(node.tensor(2), element),
                             {f.dim(node.tensor(2), 0), f.constant(1), f.constant(1)});
    basis = f.mul(basis, window);
  }
  Value signal = f.transpose(x, {0, 2, 1});
  Value frames = f.make<ConvOp>(
      {signal, f.transpose(basis, {2, 1, 0})},
      {f.build.integers("strides", step), f.build.integers("pads", {0, 0}), f.build.integers("dilations", 1),
       f.build.named("operandSegmentSizes", f.build.builder().getDenseI32ArrayAttr({1, 1, 0}))});
  Value rows = f.transpose(frames, {0, 2, 1});
  return f.output(0, f.reshape(rows, {f.dim(rows, 0), f.dim(rows, 1), f.constant(t.outputs), f.constant(2)}));
}

constexpr OpEntry kSignalOps[] = {
    {"BlackmanWindow", 17, 1, 1, importWindow<kBlackman>},
    {"DFT", 17, 1, 2, importDft, "a last axis of dynamic extent"},
    {"DFT", 20, 1, 3, importDft, "a last axis of dynamic extent"},
    {"HammingWindow", 17, 1, 1, importWindow<kHamming>},
    {"HannWindow", 17, 1, 1, importWindow<kHann>},
    {"MelWeightMatrix", 17, 5, 5, importMelWeightMatrix, "inputs computed from data"},
    {"STFT", 17, 2, 4, importStft, "steps and lengths computed from data"},
};

} // namespace

llvm::ArrayRef<OpEntry> signalOps() { return kSignalOps; }

} // namespace kiln::onnx
