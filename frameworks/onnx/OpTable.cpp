// OpTable.cpp: the families' tables together.
#include "frameworks/onnx/OpTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

using llvm::ArrayRef;
using llvm::StringRef;

namespace kiln::onnx {

namespace {

constexpr OpsetRange kOpsets[] = {{"", 1, 28}, {"ai.onnx.ml", 1, 5}};

/// Entries of one operator by version; made once, immutable after that.
const std::map<std::pair<StringRef, StringRef>, std::map<int, const OpEntry *>> &index() {
  static const auto *made = [] {
    auto *map = new std::map<std::pair<StringRef, StringRef>, std::map<int, const OpEntry *>>();
    // clang-format off
    for (ArrayRef<OpEntry> family : {
             attentionOps(),
             binaryOps(),
             classicalOps(),
             constantOps(),
             contractionOps(),
             contribAttentionOps(),
             controlFlowOps(),
             convTransposeOps(),
             cropOps(),
             einsumOps(),
             fusedOps(),
             indexingOps(),
             labelOps(),
             layoutOps(),
             legacyOps(),
             linearOps(),
             linearAlgebraOps(),
             normalizationOps(),
             poolingOps(),
             quantizationOps(),
             quantizedElementwiseOps(),
             quantizedProductOps(),
             randomOps(),
             recurrenceOps(),
             reductionOps(),
             regionOps(),
             resizeOps(),
             rotaryOps(),
             samplingOps(),
             scanOps(),
             selectionOps(),
             sequenceOps(),
             shapeOps(),
             signalOps(),
             sliceOps(),
             stateOps(),
             trainingOps(),
             treeOps(),
             unaryOps(),
         })
      // clang-format on
      for (const OpEntry &entry : family)
        (*map)[{entry.domain, entry.name}][entry.since] = &entry;
    return map;
  }();
  return *made;
}

} // namespace

ArrayRef<OpsetRange> opsetRanges() { return kOpsets; }

const OpEntry *findOp(StringRef domain, StringRef name, int64_t opset) {
  auto it = index().find({canonicalDomain(domain), name});
  if (it == index().end())
    return nullptr;
  auto version = it->second.upper_bound(static_cast<int>(std::min<int64_t>(opset, INT32_MAX)));
  return version == it->second.begin() ? nullptr : std::prev(version)->second;
}

std::vector<const OpEntry *> allOps() {
  std::vector<const OpEntry *> entries;
  for (const auto &[name, versions] : index())
    for (const auto &[since, entry] : versions)
      entries.push_back(entry);
  return entries;
}

std::string opTableMarkdown() {
  std::string out = "| operator | domain | versions | not supported |\n| --- | --- | --- | --- |\n";
  for (const auto &[name, versions] : index()) {
    const OpEntry &first = *versions.begin()->second, &last = *versions.rbegin()->second;
    out += ("| " + first.name + " | " + (first.domain.empty() ? "ai.onnx" : StringRef(first.domain)) + " | " +
            std::to_string(first.since) + "+ | " + last.limits + " |\n")
               .str();
  }
  return out;
}

} // namespace kiln::onnx
