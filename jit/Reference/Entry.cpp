// Entry.cpp: the table of libkiln_reference: bytes of a model's inputs to tensors, results back.
#include "kiln/reference.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "jit/KernelTestAttr.h"
#include "jit/Model.h"
#include "jit/Reference/Reference.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;
using namespace kiln::reference;

namespace {
Status evaluateModel(KilnImportedModel &model, const KilnReferenceArgs &args,
                     llvm::function_ref<void(const KilnReferenceResult &)> visit) {
  if (!model.needsShapes.empty())
    return failedPrecondition(model.name + ": not imported for these shapes yet; " + model.needsShapes);
  std::lock_guard lock(model.mutex); // types live in its context
  auto main = model.module->lookupSymbol<func::FuncOp>("main");
  if (args.input_count != main.getNumArguments())
    return invalidArgument(model.name + ": " + Twine(args.input_count) + " inputs; expected " +
                           Twine(main.getNumArguments()));
  std::vector<TensorRef> inputs;
  const int64_t *dims = args.dims;
  for (size_t i = 0; i < args.input_count; ++i) {
    llvm::ArrayRef<int64_t> shape(dims, args.ranks[i]);
    dims += args.ranks[i];
    auto type = cast<RankedTensorType>(main.getArgument(i).getType());
    bool fits = shape.size() == static_cast<size_t>(type.getRank());
    for (size_t axis = 0; axis < shape.size() && fits; ++axis)
      fits = type.isDynamicDim(axis) || type.getDimSize(axis) == shape[axis];
    if (!fits)
      return invalidArgument(model.name + ": input '" + model.inputs[i].name +
                             "': a shape that the model does not take");
    auto bytes = static_cast<size_t>(byteSize(elementDType(type.getElementType()), elementCount(shape)));
    inputs.push_back(std::make_shared<const Tensor>(
        fromBytes(type.getElementType(), shape, {static_cast<const char *>(args.data[i]), bytes})));
  }
  auto weights = [&](StringRef digest) -> Result<ArrayRef<char>> {
    auto weight = model.weights.find(digest);
    if (weight == model.weights.end())
      return makeError(Code::NotFound, "no weight " + digest);
    return weight->second.bytes;
  };
  auto results = evaluate(main, inputs, weights);
  if (!results.ok())
    return Status(results.status().code(), model.name + ": reference: " + results.status().message());
  for (const TensorRef &tensor : *results) {
    KilnReferenceResult result = {};
    result.dtype = elementDType(tensor->element);
    result.rank = static_cast<uint32_t>(tensor->shape.size());
    result.dims = tensor->shape.data();
    result.values = tensor->isFloat() ? tensor->values.data() : nullptr;
    result.integers = tensor->isFloat() ? nullptr : tensor->integers.data();
    result.errors = tensor->errors.empty() ? nullptr : tensor->errors.data();
    result.count = static_cast<size_t>(tensor->size());
    visit(result);
  }
  return {};
}

KilnStatus evaluateC(KilnImportedModel *model, const KilnReferenceArgs *args,
                     void (*visit)(void *, const KilnReferenceResult *), void *arg) {
  return evaluateModel(*model, *args, [&](const KilnReferenceResult &result) { visit(arg, &result); })
      .toC(*model->host);
}

KilnStr modelTest(KilnImportedModel *model) {
  auto test = (*model->module)->getAttrOfType<StringAttr>(kTestAttr);
  return test ? KilnStr{test.getValue().data(), test.getValue().size()} : KilnStr{};
}
} // namespace

void kiln_reference_open_v1(KilnReferenceTable *out) {
  KilnReferenceTable table = {std::min(out->struct_size, sizeof(table)), modelTest, evaluateC};
  std::memcpy(out, &table, table.struct_size);
}
