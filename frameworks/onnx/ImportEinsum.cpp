// ImportEinsum.cpp: Einsum as transposes, reductions and matrix products.
//
// A label twice in one operand takes its diagonal; an extent of 1 beside a larger one goes. Labels that only
// one operand has and the result has not are summed first. Then the operands are joined from left to right:
// labels in both that are needed later are batch axes, those in both that are not are contracted; each group
// becomes one axis.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// An operand and what its axes are called. The axes of `...` are called '0', '1' ... from the last one
/// backwards.
struct EinsumTerm {
  Value value;
  std::string labels;
};

/// "i...j" for a rank of 4 is "i10j"; without a rank (the result) `ellipsis` says how many axes `...` stands
/// for.
Result<std::string> expand(StringRef labels, int64_t ellipsis) {
  std::string out;
  while (!labels.empty()) {
    if (labels.consume_front("...")) {
      if (ellipsis < 0 || ellipsis > 10)
        return invalid("'...' stands for {0} axes; expected 0 to 10", ellipsis);
      for (int64_t i = ellipsis; i > 0; --i)
        out.push_back(static_cast<char>('0' + i - 1));
      continue;
    }
    char label = labels.front();
    if (!llvm::isAlpha(label))
      return invalid("attribute 'equation' holds '{0}'; expected letters, '...', ',' and '->'", label);
    out.push_back(label);
    labels = labels.drop_front();
  }
  return out;
}

bool has(StringRef labels, char label) { return labels.contains(label); }

std::string select(StringRef labels, llvm::function_ref<bool(char)> wanted) {
  std::string out;
  llvm::copy_if(labels, std::back_inserter(out), wanted);
  return out;
}

Result<Value> transposeTo(Node &node, const EinsumTerm &term, StringRef labels) {
  SmallVector<int64_t> permutation;
  for (char label : labels)
    permutation.push_back(static_cast<int64_t>(term.labels.find(label)));
  return node.build.transpose(term.value, permutation);
}

/// Sums the axes whose labels do not go on.
Status sumOut(Node &node, EinsumTerm &term, StringRef kept) {
  SmallVector<int64_t> axes;
  for (auto [axis, label] : llvm::enumerate(term.labels))
    if (!has(kept, label))
      axes.push_back(static_cast<int64_t>(axis));
  if (axes.empty())
    return {};
  auto kind = ReduceKindAttr::get(node.build.context(), ReduceKind::Sum);
  KILN_ASSIGN_OR_RETURN(term.value,
                        node.build.make<ReduceOp>(
                            term.value, {node.build.named("kind", kind), node.build.integers("axes", axes)}));
  term.labels = select(term.labels, [&](char label) { return has(kept, label); });
  return {};
}

/// Keeps the elements whose indices along both axes of a repeated label are equal, until none is repeated.
Status takeDiagonals(Node &node, EinsumTerm &term) {
  Formula f(node);
  for (size_t second = 1; second < term.labels.size(); ++second) {
    size_t first = term.labels.find(term.labels[second]);
    if (first == second)
      continue;
    auto along = [&](size_t axis) {
      Extents shape(term.labels.size(), f.constant(1));
      shape[axis] = f.dim(term.value, static_cast<int64_t>(axis));
      return f.iota(f.i64(), shape, static_cast<int64_t>(axis));
    };
    Value isEqual = f.compare("eq", along(first), along(second));
    Value diagonal = f.select(isEqual, term.value, f.like(term.value, 0));
    term.value = f.reduce(ReduceKind::Sum, diagonal, static_cast<int64_t>(second), /*keepdims=*/false);
    term.labels.erase(second--, 1);
  }
  return f.status();
}

/// Drops the axes of extent 1 that another term repeats.
Status dropBroadcast(Node &node, MutableArrayRef<EinsumTerm> terms) {
  Formula f(node);
  auto isOne = [&](const EinsumTerm &term, char label) {
    size_t axis = term.labels.find(label);
    return IndexMath::isKnown(f.dim(term.value, static_cast<int64_t>(axis)), 1);
  };
  for (EinsumTerm &term : terms)
    for (size_t axis = term.labels.size(); axis-- > 0;) {
      char label = term.labels[axis];
      bool isRepeated = isOne(term, label) && llvm::any_of(terms, [&](const EinsumTerm &other) {
                          return &other != &term && has(other.labels, label) && !isOne(other, label);
                        });
      if (!isRepeated)
        continue;
      term.value = f.squeeze(term.value, static_cast<int64_t>(axis));
      term.labels.erase(axis, 1);
    }
  return f.status();
}

/// Two terms as one whose labels are batch, left and right; `kept` labels are needed later.
Result<EinsumTerm> contract(Node &node, const EinsumTerm &a, const EinsumTerm &b, StringRef kept) {
  std::string batch = select(a.labels, [&](char l) { return has(b.labels, l) && has(kept, l); });
  std::string inner = select(a.labels, [&](char l) { return has(b.labels, l) && !has(kept, l); });
  std::string left = select(a.labels, [&](char l) { return !has(b.labels, l); });
  std::string right = select(b.labels, [&](char l) { return !has(a.labels, l); });
  KILN_ASSIGN_OR_RETURN(Value x, transposeTo(node, a, batch + left + inner));
  KILN_ASSIGN_OR_RETURN(Value y, transposeTo(node, b, batch + inner + right));
  IndexMath &math = node.build.math();
  Extents shapeX = node.build.shape(x), shapeY = node.build.shape(y),
          shape(ArrayRef(shapeX).take_front(batch.size()));
  for (size_t i = 0; i < batch.size(); ++i)
    if (auto m = IndexMath::known(shapeX[i]), n = IndexMath::known(shapeY[i]); m && n && *m != *n)
      return invalid("label '{0}' has extents {1} and {2}", batch[i], *m, *n);
  auto merged = [&](Extents all, size_t first, size_t second) -> Result<Value> {
    Extents three = shape;
    auto rest = ArrayRef(all).drop_front(batch.size());
    three.push_back(math.product(rest.take_front(first)));
    three.push_back(math.product(rest.drop_front(first)));
    return node.build.reshape(second ? y : x, three);
  };
  KILN_ASSIGN_OR_RETURN(x, merged(shapeX, left.size(), 0));
  KILN_ASSIGN_OR_RETURN(y, merged(shapeY, inner.size(), 1));
  KILN_ASSIGN_OR_RETURN(Value product, node.build.make<MatmulOp>({x, y}));
  KILN_ASSIGN_OR_RETURN(product, node.build.convert(product, node.elementType(0)));
  llvm::append_range(shape, ArrayRef(shapeX).slice(batch.size(), left.size()));
  llvm::append_range(shape, ArrayRef(shapeY).drop_front(batch.size() + inner.size()));
  KILN_ASSIGN_OR_RETURN(product, node.build.reshape(product, shape));
  return EinsumTerm{product, batch + left + right};
}

/// Without an arrow: `...`, then the letters that occur once, in alphabetical order.
std::string impliedResult(StringRef operands) {
  std::string letters =
      select(operands, [&](char label) { return llvm::isAlpha(label) && operands.count(label) == 1; });
  llvm::sort(letters);
  return (operands.contains("...") ? "..." : "") + letters;
}

Status importEinsum(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string equation, node.stringAttribute("equation"));
  llvm::erase(equation, ' ');
  auto [operands, arrow] = StringRef(equation).split("->");
  std::string resultLabels = StringRef(equation).contains("->") ? arrow.str() : impliedResult(operands);
  SmallVector<StringRef> parts;
  operands.split(parts, ',');
  if (parts.size() != node.numInputs())
    return invalid("attribute 'equation' has {0} operands; the node has {1}", parts.size(), node.numInputs());

  int64_t widest = 0;
  SmallVector<EinsumTerm> terms;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto index = static_cast<unsigned>(i);
    if (!node.hasInput(index))
      return invalid("input {0} is left out; expected a tensor", i);
    int64_t ellipsis = part.contains("...") ? node.rank(index) - static_cast<int64_t>(part.size()) + 3 : 0;
    KILN_ASSIGN_OR_RETURN(std::string labels, expand(part, ellipsis));
    if (static_cast<int64_t>(labels.size()) != node.rank(index))
      return invalid("attribute 'equation' gives operand {0} {1} axes; it has {2}", i, labels.size(),
                     node.rank(index));
    widest = std::max(widest, ellipsis);
    terms.push_back({node.tensor(index), labels});
    KILN_RETURN_IF_ERROR(takeDiagonals(node, terms.back()));
  }
  KILN_ASSIGN_OR_RETURN(std::string result, expand(resultLabels, widest));
  for (char label : result)
    if (StringRef(result).count(label) > 1 ||
        llvm::none_of(terms, [&](const EinsumTerm &term) { return has(term.labels, label); }))
      return invalid("attribute 'equation': label '{0}' of the result is not in one operand, once", label);

  KILN_RETURN_IF_ERROR(dropBroadcast(node, terms));
  auto keptBeside = [&](size_t first, size_t last) { // what the result and the terms outside of a range need
    std::string kept = result;
    for (auto [i, term] : llvm::enumerate(terms))
      if (i < first || i > last)
        kept += term.labels;
    return kept;
  };
  for (auto [i, term] : llvm::enumerate(terms))
    KILN_RETURN_IF_ERROR(sumOut(node, term, keptBeside(i, i)));
  EinsumTerm whole = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    KILN_ASSIGN_OR_RETURN(whole, contract(node, whole, terms[i], keptBeside(0, i)));
  }
  return node.output(transposeTo(node, whole, result));
}

constexpr OpEntry kEinsumOps[] = {
    {"Einsum", 12, 1, kAnyNumber, importEinsum},
};

} // namespace

llvm::ArrayRef<OpEntry> einsumOps() { return kEinsumOps; }

} // namespace kiln::onnx
