// ShapeFolding.cpp: one function an operator, each on lists of extents.
//
// A function returns false for what it does not cover, wrong attributes included: the tensor import then says
// so.
#include "frameworks/onnx/ShapeFolding.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/SliceBounds.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

using Predicate = arith::CmpIPredicate;
using FoldFn = bool (*)(Node &);

/// The element type's width is kept: known elements wrap.
Extent fit(Node &node, Type elementType, Extent extent) {
  auto known = IndexMath::known(extent);
  if (known && elementType.isInteger(32))
    return node.build.math().constant(static_cast<int32_t>(*known));
  return extent;
}

bool set(Node &node, ShapeValue value) {
  if (value.elements.size() > kMaxShapeElements)
    return false;
  for (Extent &extent : value.elements)
    extent = fit(node, value.elementType, extent);
  node.setOutput(0, std::move(value));
  return true;
}

/// Applies `compute` to the inputs' elements, broadcast; false if their lengths differ. `compute` returns a
/// null extent where it cannot.
template <typename Compute> bool elementwise(Node &node, Type elementType, Compute compute) {
  ShapeValue result{elementType, true, {}};
  size_t length = 1;
  SmallVector<const ShapeValue *> inputs;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    if (!node.hasInput(i))
      return false;
    const ShapeValue *input = node.shapeValue(i);
    inputs.push_back(input);
    result.isScalar &= input->isScalar;
    if (input->elements.size() != 1) {
      if (length != 1 && length != input->elements.size())
        return false;
      length = input->elements.size();
    }
  }
  for (size_t k = 0; k < length; ++k) {
    SmallVector<Extent> operands;
    for (const ShapeValue *input : inputs)
      operands.push_back(input->elements[input->elements.size() == 1 ? 0 : k]);
    Extent element = compute(operands);
    if (!element)
      return false;
    result.elements.push_back(element);
  }
  return set(node, std::move(result));
}

template <Extent (IndexMath::*function)(Extent, Extent)> bool foldVariadic(Node &node) {
  Type elementType = node.elementType(0);
  if (elementType.isInteger(1))
    return false;
  return elementwise(node, elementType, [&](ArrayRef<Extent> x) {
    Extent result = x.front();
    for (Extent operand : x.drop_front())
      result = (node.build.math().*function)(result, operand);
    return result;
  });
}

bool foldDiv(Node &node) {
  return elementwise(node, node.elementType(0), [&](ArrayRef<Extent> x) {
    return IndexMath::isKnown(x[1], 0) ? Extent() : node.build.math().div(x[0], x[1]);
  });
}

bool foldMod(Node &node) {
  Result<bool> signOfDividend = node.flagAttribute("fmod", false);
  if (!signOfDividend.ok() || *signOfDividend)
    return false;
  return elementwise(node, node.elementType(0), [&](ArrayRef<Extent> x) {
    auto divisor = IndexMath::known(x[1]);
    return divisor && *divisor > 0 ? node.build.math().mod(x[0], *divisor) : Extent();
  });
}

bool foldNeg(Node &node) {
  return elementwise(node, node.elementType(0), [&](ArrayRef<Extent> x) {
    return node.build.math().sub(node.build.math().constant(0), x[0]);
  });
}

template <Predicate predicate> bool foldCompare(Node &node) {
  return elementwise(node, node.build.builder().getI1Type(),
                     [&](ArrayRef<Extent> x) { return node.build.math().compare(predicate, x[0], x[1]); });
}

bool foldNot(Node &node) {
  return elementwise(node, node.elementType(0), [&](ArrayRef<Extent> x) {
    return node.build.math().compare(Predicate::eq, x[0], node.build.math().constant(0));
  });
}

bool foldWhere(Node &node) {
  return elementwise(node, node.elementType(1),
                     [&](ArrayRef<Extent> x) { return node.build.math().select(x[0], x[1], x[2]); });
}

bool foldCast(Node &node) {
  Result<int64_t> to = node.integerAttribute("to");
  node.ignoreAttribute("saturate");
  node.ignoreAttribute("round_mode");
  if (!to.ok())
    return false;
  Result<Type> type = toElementType(node.build.context(), static_cast<int>(*to));
  if (!type.ok() || !ShapeValue::canHold(RankedTensorType::get({}, *type)))
    return false;
  return elementwise(node, *type, [&](ArrayRef<Extent> x) {
    return type->isInteger(1) ? node.build.math().compare(Predicate::ne, x[0], node.build.math().constant(0))
                              : x[0];
  });
}

bool foldIdentity(Node &node) { return set(node, *node.shapeValue(0)); }

bool foldConcat(Node &node) {
  Result<int64_t> axis = node.integerAttribute("axis");
  if (!axis.ok() || (*axis != 0 && *axis != -1))
    return false;
  ShapeValue result{node.elementType(0), false, {}};
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    const ShapeValue *input = node.hasInput(i) ? node.shapeValue(i) : nullptr;
    if (!input || input->isScalar || input->elementType != result.elementType)
      return false;
    llvm::append_range(result.elements, input->elements);
  }
  return set(node, std::move(result));
}

bool foldGather(Node &node) {
  const ShapeValue *data = node.shapeValue(0), *indices = node.shapeValue(1);
  Result<int64_t> axis = node.integerAttribute("axis", 0);
  auto known = indices->known();
  if (!axis.ok() || (*axis != 0 && *axis != -1) || data->isScalar || !known)
    return false;
  ShapeValue result{data->elementType, indices->isScalar, {}};
  auto length = static_cast<int64_t>(data->elements.size());
  for (int64_t index : *known) {
    if (index < -length || index >= length)
      return false;
    result.elements.push_back(data->elements[index < 0 ? index + length : index]);
  }
  return set(node, std::move(result));
}

bool foldSlice(Node &node) {
  const ShapeValue *data = node.shapeValue(0);
  Result<SliceBounds> bounds = readSliceBounds(node);
  if (!bounds.ok() || data->isScalar || bounds->axes.size() != 1)
    return false;
  auto start = IndexMath::known(bounds->starts[0]), end = IndexMath::known(bounds->ends[0]);
  if (!start || !end)
    return false;
  auto length = static_cast<int64_t>(data->elements.size());
  auto range = clampSlice(*start, *end, bounds->steps[0], length);
  ShapeValue result{data->elementType, false, {}};
  for (int64_t k = 0; k < range.size; ++k)
    result.elements.push_back(data->elements[range.start + k * bounds->steps[0]]);
  return set(node, std::move(result));
}

/// Unsqueeze of a scalar, Squeeze to one.
bool foldAxisChange(Node &node) {
  const ShapeValue *data = node.shapeValue(0);
  bool inserts = node.op() == "Unsqueeze";
  auto axes = node.axes(1, 13);
  if (!axes.ok() || inserts != data->isScalar || data->elements.size() != 1)
    return false;
  bool first = axes->has_value() && (*axes)->size() == 1 && ((**axes)[0] == 0 || (**axes)[0] == -1);
  if (!first && (inserts || axes->has_value()))
    return false;
  ShapeValue result = *data;
  result.isScalar = !inserts;
  return set(node, std::move(result));
}

// ---- Matrices --------------------------------------------------------------------------------------------

/// Input 0, a list or a matrix.
const ShapeValue *listOrMatrix(Node &node) {
  const ShapeValue *matrix = node.shapeMatrix(0);
  return matrix ? matrix : node.shapeValue(0);
}

/// The columns of a matrix of `length` elements whose shape a Reshape states; 0 if it is not one.
int64_t columnsOf(ArrayRef<int64_t> shape, int64_t length) {
  int64_t rows = shape[0], columns = shape[1];
  if (rows == -1 && columns > 0)
    rows = length / columns;
  else if (columns == -1 && rows > 0)
    columns = length / rows;
  bool fits = rows > 0 && columns > 0 && rows <= length && columns <= length && rows * columns == length;
  return fits ? columns : 0;
}

bool foldReshape(Node &node) {
  const ShapeValue *data = listOrMatrix(node);
  auto shape = node.shapeValue(1)->known();
  node.ignoreAttribute("allowzero");
  if (!shape || shape->size() > 2)
    return false;
  auto length = static_cast<int64_t>(data->elements.size());
  ShapeValue result = *data;
  result.isScalar = shape->empty();
  result.columns = shape->size() == 2 ? columnsOf(*shape, length) : 0;
  if (shape->size() == 2 && result.columns == 0)
    return false;
  if (shape->empty() ? length != 1
                     : shape->size() == 1 && (*shape)[0] != -1 && ((*shape)[0] != length || length == 0))
    return false;
  return set(node, std::move(result));
}

/// Output 0: the matrix of the elements of `from`, or of its transpose, in these rows and columns.
bool setMatrix(Node &node, const ShapeValue &from, ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
               bool transposed = false) {
  if (rows.empty() || columns.empty())
    return false;
  ShapeValue result{from.elementType, false, {}};
  result.columns = static_cast<int64_t>(columns.size());
  for (int64_t row : rows)
    for (int64_t column : columns)
      result.elements.push_back(
          from.elements[transposed ? column * from.columns + row : row * from.columns + column]);
  return set(node, std::move(result));
}

SmallVector<int64_t> upTo(int64_t count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); }

bool sliceMatrix(Node &node, const ShapeValue &data) {
  Result<SliceBounds> bounds = readSliceBounds(node);
  if (!bounds.ok())
    return false;
  SmallVector<int64_t> kept[] = {upTo(static_cast<int64_t>(data.elements.size()) / data.columns),
                                 upTo(data.columns)};
  for (auto [i, axis] : llvm::enumerate(bounds->axes)) {
    auto start = IndexMath::known(bounds->starts[i]), end = IndexMath::known(bounds->ends[i]);
    if (!start || !end)
      return false;
    auto range = clampSlice(*start, *end, bounds->steps[i], static_cast<int64_t>(kept[axis].size()));
    kept[axis].clear();
    for (int64_t k = 0; k < range.size; ++k)
      kept[axis].push_back(range.start + k * bounds->steps[i]);
  }
  return setMatrix(node, data, kept[0], kept[1]);
}

bool transposeMatrix(Node &node, const ShapeValue &data) {
  auto order = node.integersAttribute("perm");
  if (!order.ok() || (*order && ArrayRef<int64_t>(**order) != ArrayRef<int64_t>{1, 0}))
    return false;
  return setMatrix(node, data, upTo(data.columns),
                   upTo(static_cast<int64_t>(data.elements.size()) / data.columns),
                   /*transposed=*/true);
}

/// Operators on a matrix as input 0.
bool foldMatrix(Node &node) {
  const ShapeValue &data = *node.shapeMatrix(0);
  if (node.op() == "Reshape" && node.shapeValue(1))
    return foldReshape(node);
  if (node.op() == "Slice")
    return sliceMatrix(node, data);
  if (node.op() == "Transpose")
    return transposeMatrix(node, data);
  return node.op() == "Identity" && set(node, data);
}

// ---- Lists -----------------------------------------------------------------------------------------------

template <Extent (IndexMath::*function)(Extent, Extent), int axesInputSince> bool foldReduce(Node &node) {
  const ShapeValue *data = node.shapeValue(0);
  auto axes = node.axes(1, axesInputSince);
  Result<bool> keepdims = node.flagAttribute("keepdims", true),
               noop = node.flagAttribute("noop_with_empty_axes", false);
  if (!axes.ok() || !keepdims.ok() || !noop.ok() || data->isScalar || data->elements.empty())
    return false;
  bool all = !axes->has_value() || (*axes)->empty();
  if (all ? *noop : (*axes)->size() != 1 || ((**axes)[0] != 0 && (**axes)[0] != -1))
    return false;
  Extent result = data->elements.front();
  for (Extent element : ArrayRef(data->elements).drop_front())
    result = (node.build.math().*function)(result, element);
  return set(node, ShapeValue{data->elementType, !*keepdims, {result}});
}

bool foldRange(Node &node) {
  auto start = node.shapeValue(0)->known(), limit = node.shapeValue(1)->known(),
       delta = node.shapeValue(2)->known();
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 || delta->size() != 1 ||
      (*delta)[0] == 0)
    return false;
  ShapeValue result{node.elementType(0), false, {}};
  int64_t step = (*delta)[0];
  for (int64_t k = (*start)[0]; step > 0 ? k < (*limit)[0] : k > (*limit)[0];) {
    result.elements.push_back(node.build.math().constant(k));
    if (result.elements.size() > kMaxShapeElements || llvm::AddOverflow(k, step, k))
      return false;
  }
  return set(node, std::move(result));
}

bool foldSplit(Node &node) {
  const ShapeValue *data = node.shapeValue(0);
  Result<int64_t> axis = node.integerAttribute("axis", 0);
  auto sizes = node.splitSizes(node.build.math().constant(static_cast<int64_t>(data->elements.size())));
  if (!axis.ok() || (*axis != 0 && *axis != -1) || data->isScalar || !sizes.ok() ||
      !llvm::all_of(*sizes, [](Extent size) { return IndexMath::known(size); }))
    return false;
  int64_t first = 0;
  for (auto [i, extent] : llvm::enumerate(*sizes)) {
    int64_t size = *IndexMath::known(extent);
    node.setOutput(
        static_cast<unsigned>(i),
        ShapeValue{data->elementType, false, Extents(ArrayRef(data->elements).slice(first, size))});
    first += size;
  }
  return true;
}

FoldFn foldFunction(StringRef op) {
  static const llvm::StringMap<FoldFn> table = {
      {"Add", foldVariadic<&IndexMath::add>},
      {"Cast", foldCast},
      {"Concat", foldConcat},
      {"Div", foldDiv},
      {"Equal", foldCompare<Predicate::eq>},
      {"Gather", foldGather},
      {"Greater", foldCompare<Predicate::sgt>},
      {"GreaterOrEqual", foldCompare<Predicate::sge>},
      {"Identity", foldIdentity},
      {"Less", foldCompare<Predicate::slt>},
      {"LessOrEqual", foldCompare<Predicate::sle>},
      {"Max", foldVariadic<&IndexMath::max>},
      {"Min", foldVariadic<&IndexMath::min>},
      {"Mod", foldMod},
      {"Mul", foldVariadic<&IndexMath::mul>},
      {"Neg", foldNeg},
      {"Not", foldNot},
      {"Range", foldRange},
      {"ReduceMax", foldReduce<&IndexMath::max, 18>},
      {"ReduceMin", foldReduce<&IndexMath::min, 18>},
      {"ReduceProd", foldReduce<&IndexMath::mul, 18>},
      {"ReduceSum", foldReduce<&IndexMath::add, 13>},
      {"Reshape", foldReshape},
      {"Slice", foldSlice},
      {"Split", foldSplit},
      {"Squeeze", foldAxisChange},
      {"Sub", foldVariadic<&IndexMath::sub>},
      {"Unsqueeze", foldAxisChange},
      {"Where", foldWhere},
  };
  auto it = table.find(op);
  return it == table.end() ? nullptr : it->second;
}

} // namespace

bool foldShapes(Node &node) {
  if (node.isOnnxDomain() && node.hasInput(0) && !node.input(0).isSequence() && node.shapeMatrix(0))
    return foldMatrix(node);
  FoldFn fold = node.isOnnxDomain() ? foldFunction(node.op()) : nullptr;
  if (!fold)
    return false;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    if (node.hasInput(i) && (node.input(i).isSequence() || !node.shapeValue(i)))
      return false;
  return fold(node);
}

} // namespace kiln::onnx
