// KernelTestAttr.cpp: attributes to JSON by kind; element types by MLIR's type replacer.
#include "jit/KernelTestAttr.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr int64_t kMaxLiteralElements = 64; // of a constant that a person has written

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Result<llvm::json::Value> toJson(Attribute attribute) {
  if (auto string = dyn_cast<StringAttr>(attribute))
    return llvm::json::Value(llvm::json::fixUTF8(string.getValue()));
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1) ? llvm::json::Value(integer.getValue().getBoolValue())
                                          : llvm::json::Value(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return llvm::json::Value(number.getValueAsDouble());
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return llvm::json::Value(textOf(type.getValue()));
  if (isa<UnitAttr>(attribute))
    return llvm::json::Value(true);
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    llvm::json::Array list;
    for (Attribute element : array) {
      KILN_ASSIGN_OR_RETURN(llvm::json::Value value, toJson(element));
      list.push_back(std::move(value));
    }
    return llvm::json::Value(std::move(list));
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary) {
      KILN_ASSIGN_OR_RETURN(object[llvm::json::fixUTF8(entry.getName().getValue())],
                            toJson(entry.getValue()));
    }
    return llvm::json::Value(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return invalidArgument("'" + text + "'; expected strings, numbers, types, lists and dictionaries");
}

Attribute converted(Attribute value, Type to) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (auto type = dyn_cast<FloatType>(to))
      return FloatAttr::get(type, number.getValueAsDouble());
    return IntegerAttr::get(
        to, APInt(to.getIntOrFloatBitWidth(), static_cast<int64_t>(number.getValueAsDouble()), true));
  }
  APInt bits = cast<IntegerAttr>(value).getValue();
  if (auto type = dyn_cast<FloatType>(to))
    return FloatAttr::get(type, static_cast<double>(bits.getSExtValue()));
  return IntegerAttr::get(to, bits.sextOrTrunc(to.getIntOrFloatBitWidth()));
}

/// Tensors of `from` and the types that ops name become ones of `to`; numbers in attributes keep theirs.
void retype(func::FuncOp function, Type from, Type to) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](RankedTensorType type) -> std::optional<Type> {
    return type.getElementType() == from ? RankedTensorType::get(type.getShape(), to) : type;
  });
  replacer.addReplacement([=](TypeAttr attribute) -> AttrTypeReplacer::ReplaceFnResult<Attribute> {
    if (attribute.getValue() == from)
      return {{TypeAttr::get(to), WalkResult::skip()}};
    return std::nullopt;
  });
  auto keep = [](Attribute attribute) { return std::make_pair(attribute, WalkResult::skip()); };
  replacer.addReplacement(
      [=](FloatAttr number) -> AttrTypeReplacer::ReplaceFnResult<Attribute> { return keep(number); });
  replacer.addReplacement(
      [=](IntegerAttr number) -> AttrTypeReplacer::ReplaceFnResult<Attribute> { return keep(number); });
  replacer.addReplacement([=](DenseElementsAttr elements) -> AttrTypeReplacer::ReplaceFnResult<Attribute> {
    if (elements.getElementType() != from)
      return keep(elements);
    SmallVector<Attribute> values;
    for (Attribute value : elements.getValues<Attribute>())
      values.push_back(converted(value, to));
    auto type = RankedTensorType::get(elements.getType().getShape(), to);
    return keep(elements.isSplat() ? DenseElementsAttr::get(type, values.front())
                                   : DenseElementsAttr::get(type, values));
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

ArrayAttr typesOf(func::FuncOp function) {
  auto test = function->getAttrOfType<DictionaryAttr>(kTestAttr);
  return test ? test.getAs<ArrayAttr>("types") : ArrayAttr();
}
} // namespace

StringRef kiln::jit::variantFunction(StringRef variant) { return variant.take_front(variant.find('[')); }

std::vector<std::string> kiln::jit::testVariants(func::FuncOp function) {
  std::vector<std::string> variants;
  if (ArrayAttr types = typesOf(function))
    for (Attribute type : types)
      if (auto element = dyn_cast<TypeAttr>(type))
        variants.push_back((function.getName() + "[" + textOf(element.getValue()) + "]").str());
  if (variants.empty())
    variants.push_back(function.getName().str());
  return variants;
}

Status kiln::jit::refuseRecordings(func::FuncOp function) {
  auto test = function->getAttrOfType<DictionaryAttr>(kTestAttr);
  if (test && test.getAs<StringAttr>("golden"))
    return {};
  Status status;
  function.walk([&](Operation *op) {
    if (!isa<CheckCloseOp, CheckEqualOp>(op))
      return WalkResult::advance();
    auto want = op->getOperand(1).getDefiningOp<ConstantOp>();
    if (!want || want.getValue().isSplat() || want.getValue().getNumElements() <= kMaxLiteralElements)
      return WalkResult::advance();
    status = invalidArgument(
        locationText(op->getLoc()) + ": compares with " + Twine(want.getValue().getNumElements()) +
        " recorded numbers; expected a result, which the reference judges, a property, or golden = "
        "\"why\" in kiln.test");
    return WalkResult::interrupt();
  });
  return status;
}

Result<std::string> kiln::jit::applyTestAttr(func::FuncOp function, StringRef variant) {
  std::string what = locationText(function.getLoc()) + ": '" + function.getName().str() + "': kiln.test: ";
  Attribute attribute = function->getAttr(kTestAttr);
  if (attribute && !isa<DictionaryAttr>(attribute))
    return invalidArgument(what + "expected a dictionary");
  StringRef wanted = variant.drop_front(variantFunction(variant).size());
  Type to;
  if (ArrayAttr types = typesOf(function); types && wanted.consume_front("[") && wanted.consume_back("]"))
    for (Attribute type : types)
      if (auto element = dyn_cast<TypeAttr>(type); element && textOf(element.getValue()) == wanted)
        to = element.getValue();
  if (!wanted.empty() && !to)
    return invalidArgument(what + "no type '" + wanted + "' in its 'types'");
  function->removeAttr(kTestAttr);
  if (to) {
    if (function.getNumArguments() == 0 || !isa<RankedTensorType>(function.getArgumentTypes().front()))
      return invalidArgument(what + "'types' need a tensor as first argument");
    retype(function, cast<RankedTensorType>(function.getArgumentTypes().front()).getElementType(), to);
  }
  llvm::json::Object object;
  if (attribute) {
    Result<llvm::json::Value> json = toJson(attribute);
    if (!json.ok())
      return invalidArgument(what + json.status().message());
    object = std::move(*json->getAsObject());
  }
  object["results"] = static_cast<int64_t>(function.getNumResults());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}
