// ImportEinsum.cpp: Einsum of one or two tensors as transposes, a reduction and a matrix product.
//
// Labels that only one operand has and the result has not are summed first. Of two operands the labels in
// both and in the result are batch axes, those in both but not in the result are contracted; each group
// becomes one axis.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// An operand and what its axes are called. The axes of `...` are called '0', '1' ... from the last one
/// backwards.
struct Term {
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

Result<Value> transposeTo(Node &node, const Term &term, StringRef labels) {
  SmallVector<int64_t> permutation;
  for (char label : labels)
    permutation.push_back(static_cast<int64_t>(term.labels.find(label)));
  return node.build.transpose(term.value, permutation);
}

/// Sums the axes whose labels do not go on.
Status sumOut(Node &node, Term &term, StringRef kept) {
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

/// Two terms as one whose labels are batch, left and right.
Result<Term> contract(Node &node, const Term &a, const Term &b, StringRef result) {
  std::string batch = select(a.labels, [&](char l) { return has(b.labels, l) && has(result, l); });
  std::string inner = select(a.labels, [&](char l) { return has(b.labels, l) && !has(result, l); });
  std::string left = select(a.labels, [&](char l) { return !has(b.labels, l); });
  std::string right = select(b.labels, [&](char l) { return !has(a.labels, l); });
  KILN_ASSIGN_OR_RETURN(Value x, transposeTo(node, a, batch + left + inner));
  KILN_ASSIGN_OR_RETURN(Value y, transposeTo(node, b, batch + inner + right));
  IndexMath &math = node.build.math();
  Extents shapeX = node.build.shape(x), shapeY = node.build.shape(y),
          shape(ArrayRef(shapeX).take_front(batch.size()));
  for (size_t i = 0; i < batch.size(); ++i)
    if (auto m = IndexMath::known(shapeX[i]), n = IndexMath::known(shapeY[i]); m && n && *m != *n)
      return unsupported("label '{0}' has extents {1} and {2}: broadcasting is not supported", batch[i], *m,
                         *n);
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
  return Term{product, batch + left + right};
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
  if (parts.size() > 2)
    return unsupported("{0} operands are not supported; 1 and 2 are", parts.size());

  int64_t widest = 0;
  SmallVector<Term> terms;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto index = static_cast<unsigned>(i);
    if (!node.hasInput(index))
      return invalid("input {0} is left out; expected a tensor", i);
    int64_t ellipsis = part.contains("...") ? node.rank(index) - static_cast<int64_t>(part.size()) + 3 : 0;
    KILN_ASSIGN_OR_RETURN(std::string labels, expand(part, ellipsis));
    if (static_cast<int64_t>(labels.size()) != node.rank(index))
      return invalid("attribute 'equation' gives operand {0} {1} axes; it has {2}", i, labels.size(),
                     node.rank(index));
    for (char label : labels)
      if (StringRef(labels).count(label) > 1)
        return unsupported("label '{0}' twice in one operand is not supported", label);
    widest = std::max(widest, ellipsis);
    terms.push_back({node.tensor(index), labels});
  }
  KILN_ASSIGN_OR_RETURN(std::string result, expand(resultLabels, widest));
  for (char label : result)
    if (StringRef(result).count(label) > 1 ||
        llvm::none_of(terms, [&](const Term &term) { return has(term.labels, label); }))
      return invalid("attribute 'equation': label '{0}' of the result is not in one operand, once", label);

  for (auto [i, term] : llvm::enumerate(terms))
    KILN_RETURN_IF_ERROR(sumOut(node, term, result + (terms.size() == 2 ? terms[1 - i].labels : "")));
  Term whole = terms[0];
  if (terms.size() == 2) {
    KILN_ASSIGN_OR_RETURN(whole, contract(node, terms[0], terms[1], result));
  }
  return node.output(transposeTo(node, whole, result));
}

constexpr OpEntry kOps[] = {
    {"Einsum", 12, 1, kAnyNumber, importEinsum, "more than two operands; a label twice in one; broadcasting"},
};

} // namespace

llvm::ArrayRef<OpEntry> einsumOps() { return kOps; }

} // namespace kiln::onnx
