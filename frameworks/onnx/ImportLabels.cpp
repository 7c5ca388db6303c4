// ImportLabels.cpp: the operators of ai.onnx.ml that look up, replace and arrange features; numbers only.
#include "frameworks/onnx/Classification.h"
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::onnx {
namespace {

template <typename T> TensorData vectorOf(Type element, ArrayRef<T> values, bool isScalar = false) {
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return TensorData::fromBytes(RankedTensorType::get(shape, element), std::move(bytes));
}

/// A list that comes as attribute PREFIX_int64s, _floats or (version 4) _tensor.
Result<TensorData> listAttribute(Node &node, StringRef prefix) {
  OpBuilder &builder = node.build.builder();
  std::string tensor = (prefix + "_tensor").str(), floats = (prefix + "_floats").str();
  if (node.hasAttribute(tensor))
    return node.tensorAttribute(tensor);
  if (node.hasAttribute(floats)) {
    KILN_ASSIGN_OR_RETURN(auto values, node.realsAttribute(floats));
    return vectorOf<float>(builder.getF32Type(), *values);
  }
  KILN_ASSIGN_OR_RETURN(auto values, node.integersAttribute((prefix + "_int64s").str()));
  if (values)
    return vectorOf<int64_t>(builder.getI64Type(), *values);
  if (node.hasAttribute((prefix + "_strings").str()))
    return unsupported("attribute '{0}_strings' is not supported", prefix);
  return invalid("attribute '{0}_int64s', '{0}_floats' or '{0}_tensor' is missing", prefix);
}

/// What stands for a key that is not in the list.
Result<TensorData> defaultValue(Node &node, Type element) {
  OpBuilder &builder = node.build.builder();
  KILN_ASSIGN_OR_RETURN(double real, node.realAttribute("default_float", -0.0));
  KILN_ASSIGN_OR_RETURN(int64_t integer, node.integerAttribute("default_int64", -1));
  node.ignoreAttribute("default_string");
  if (node.hasAttribute("default_tensor"))
    return node.tensorAttribute("default_tensor");
  if (isa<FloatType>(element))
    return vectorOf<float>(builder.getF32Type(), static_cast<float>(real), true);
  return vectorOf<int64_t>(builder.getI64Type(), integer, true);
}

/// Compares with every key: the value of the one that is equal, else the default. NaN is a key like others.
Status importLabelEncoder(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(TensorData keys, listAttribute(node, "keys"));
  KILN_ASSIGN_OR_RETURN(TensorData values, listAttribute(node, "values"));
  Type element = values.type.getElementType();
  KILN_ASSIGN_OR_RETURN(TensorData otherwise, defaultValue(node, element));
  if (keys.type.getRank() != 1 || values.type != RankedTensorType::get(keys.type.getShape(), element))
    return invalid("{0} keys and {1} values; expected as many of each", keys.numElements(),
                   values.numElements());
  if (keys.type.getElementType() != node.elementType(0))
    return invalid("keys of type '{0}' for an input of type '{1}'",
                   dataTypeName(toDataType(keys.type.getElementType())),
                   dataTypeName(toDataType(node.elementType(0))));
  Extents shape = node.shape(0);
  auto last = static_cast<int64_t>(shape.size());
  shape.push_back(build.math().constant(1));
  KILN_ASSIGN_OR_RETURN(Value x, build.reshape(node.tensor(0), shape));
  Value list = build.constant(keys, "keys");
  KILN_ASSIGN_OR_RETURN(Value isKey, build.compare("eq", x, list));
  if (isa<FloatType>(keys.type.getElementType())) {
    KILN_ASSIGN_OR_RETURN(Value xIsNan, build.compare("ne", x, x));
    KILN_ASSIGN_OR_RETURN(Value keyIsNan, build.compare("ne", list, list));
    KILN_ASSIGN_OR_RETURN(Value both, build.make<AndOp>({xIsNan, keyIsNan}));
    KILN_ASSIGN_OR_RETURN(isKey, build.make<OrOp>({isKey, both}));
  }
  auto reduce = [&](Value value, ReduceKind kind) {
    return build.make<ReduceOp>(value, {build.named("kind", ReduceKindAttr::get(build.context(), kind)),
                                        build.integers("axes", {last})});
  };
  KILN_ASSIGN_OR_RETURN(Value picked, build.make<SelectOp>({isKey, build.constant(values, "values"),
                                                            build.scalar(element, 0)}));
  KILN_ASSIGN_OR_RETURN(picked, reduce(picked, ReduceKind::Sum));
  KILN_ASSIGN_OR_RETURN(Value found, reduce(isKey, ReduceKind::Any));
  KILN_ASSIGN_OR_RETURN(Value fallback, build.reshape(build.constant(otherwise, ""), {}));
  KILN_ASSIGN_OR_RETURN(fallback, build.convert(fallback, element));
  return node.output(build.make<SelectOp>({found, picked, fallback}));
}

/// A column a category, 1 where the element is it.
Status importOneHotEncoder(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(bool zeros, node.flagAttribute("zeros", true));
  KILN_ASSIGN_OR_RETURN(auto categories, node.integersAttribute("cats_int64s"));
  if (!categories)
    return unsupported("attribute 'cats_strings' is not supported");
  if (!zeros)
    return unsupported("'zeros' 0 (an error for an unknown category) is not supported");
  Type i64 = build.builder().getI64Type();
  KILN_ASSIGN_OR_RETURN(Value x, build.convert(node.tensor(0), i64));
  Extents shape = node.shape(0);
  shape.push_back(build.math().constant(1));
  KILN_ASSIGN_OR_RETURN(x, build.reshape(x, shape));
  KILN_ASSIGN_OR_RETURN(Value isOn, build.compare("eq", x, build.vector(*categories)));
  return node.output(build.convert(isOn, build.builder().getF32Type()));
}

/// One value, or one for each feature, in place of another (NaN by default).
Status importImputer(Node &node) {
  KilnBuilder &build = node.build;
  Type element = node.elementType(0);
  bool isFloat = isa<FloatType>(element);
  StringRef list = isFloat ? "imputed_value_floats" : "imputed_value_int64s";
  Value with, isReplaced, x = node.tensor(0);
  size_t count = 0;
  if (isFloat) {
    KILN_ASSIGN_OR_RETURN(auto values, node.realsAttribute(list));
    KILN_ASSIGN_OR_RETURN(double replaced, node.realAttribute("replaced_value_float", std::nan("")));
    count = values ? values->size() : 0;
    if (count)
      with = floats(build, *values);
    KILN_ASSIGN_OR_RETURN(isReplaced, std::isnan(replaced)
                                          ? build.compare("ne", x, x)
                                          : build.compare("eq", x, build.scalar(element, replaced)));
  } else {
    KILN_ASSIGN_OR_RETURN(auto values, node.integersAttribute(list));
    KILN_ASSIGN_OR_RETURN(int64_t replaced, node.integerAttribute("replaced_value_int64", 0));
    count = values ? values->size() : 0;
    if (count)
      with = build.vector(*values);
    Value old = build.constant(TensorData::fromIntegers(RankedTensorType::get({}, element), replaced), "");
    KILN_ASSIGN_OR_RETURN(isReplaced, build.compare("eq", x, old));
  }
  if (!count)
    return invalid("attribute '{0}' is missing", list);
  KILN_ASSIGN_OR_RETURN(with, build.convert(with, element));
  return node.output(build.make<SelectOp>({isReplaced, with, x}));
}

/// Inputs side by side, as float.
Status importFeatureVectorizer(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(auto sizes, node.integersAttribute("inputdimensions"));
  if (sizes && sizes->size() != node.numInputs())
    return invalid("attribute 'inputdimensions' has {0} entries; expected {1}", sizes->size(),
                   node.numInputs());
  SmallVector<Value> parts;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    if (!node.hasInput(i))
      return invalid("input {0} is left out; expected a tensor", i);
    if (node.rank(i) != 1 && node.rank(i) != 2)
      return invalid("input {0} has rank {1}; expected [rows, features]", i, node.rank(i));
    KILN_ASSIGN_OR_RETURN(Value part, build.convert(node.tensor(i), build.builder().getF32Type()));
    Extents shape = node.shape(i);
    if (shape.size() == 1)
      shape.insert(shape.begin(), build.math().constant(1));
    KILN_ASSIGN_OR_RETURN(part, build.reshape(part, shape));
    auto width = IndexMath::known(shape[1]);
    if (sizes && width && *width != (*sizes)[i])
      return invalid("input {0} has {1} features; expected {2}", i, *width, (*sizes)[i]);
    parts.push_back(part);
  }
  return node.output(build.concat(parts, 1));
}

/// Columns of the last axis, by position.
Status importFeatureExtractor(Node &node) {
  KilnBuilder &build = node.build;
  if (node.rank(0) == 0)
    return invalid("input 0 has rank 0; expected 1 or more");
  Extents shape = node.shape(0);
  if (shape.size() == 1)
    shape.insert(shape.begin(), build.math().constant(1));
  KILN_ASSIGN_OR_RETURN(Value x, build.reshape(node.tensor(0), shape));
  KILN_ASSIGN_OR_RETURN(Value columns, build.reshape(node.tensor(1), build.math().product(node.shape(1))));
  return node.output(
      build.make<GatherOp>({x, columns}, build.integer("axis", static_cast<int64_t>(shape.size()) - 1)));
}

/// The map's values as they come: a column a label, in the labels' order.
Status importZipMap(Node &node) {
  node.ignoreAttribute("classlabels_int64s");
  node.ignoreAttribute("classlabels_strings");
  node.setOutput(0, node.input(0));
  return {};
}

constexpr OpEntry kLabelsOps[] = {
    {"ArrayFeatureExtractor", 1, 2, 2, importFeatureExtractor, "strings", kMlDomain},
    {"FeatureVectorizer", 1, 1, kAnyNumber, importFeatureVectorizer, "", kMlDomain},
    {"Imputer", 1, 1, 1, importImputer, "", kMlDomain},
    {"LabelEncoder", 2, 1, 1, importLabelEncoder, "strings", kMlDomain},
    {"OneHotEncoder", 1, 1, 1, importOneHotEncoder, "strings; an error for unknown categories", kMlDomain},
    {"ZipMap", 1, 1, 1, importZipMap, "maps: their values come as a tensor, a column a label", kMlDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> labelOps() { return kLabelsOps; }

} // namespace kiln::onnx
