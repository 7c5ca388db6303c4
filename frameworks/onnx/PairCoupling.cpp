// PairCoupling.cpp: coordinates of the optimum one after the other, for all rows at once; rows that are done
// stay.
#include "frameworks/onnx/PairCoupling.h"

#include "frameworks/onnx/Classification.h"
#include "frameworks/onnx/Formula.h"
#include "frameworks/onnx/LoopBuilder.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int64_t kMostRounds = 100;
constexpr double kLeastProbability = 1e-7; // of one of a pair

/// Minimizes p' Q p over the probabilities p of each row.
class Coupling {
public:
  Coupling(Formula &f, int64_t classes) : f(f), classes(classes) {}

  /// Q from `pairs` [rows, classes, classes]: how probable class i is, beside j. Its diagonal counts for
  /// nothing.
  void setPairs(Value pairs) {
    Extents every = f.shape(pairs);
    Value diagonal =
        f.convert(f.compare("eq", f.iota(f.i64(), square(), 0), f.iota(f.i64(), square(), 1)), f.f32());
    Value others = f.sub(f.like(diagonal, 1), diagonal);
    Value turned = f.transpose(pairs, {0, 2, 1});
    Value squares = f.reduce(ReduceKind::Sum, f.mul(f.square(pairs), others), {1}); // [rows, 1, classes]
    q = f.sub(f.mul(f.broadcast(squares, every), diagonal), f.mul(f.mul(pairs, turned), others));
  }

  Value run(Value start) {
    GraphValue initial;
    initial.tensor = start;
    auto round = [&](Extent, ArrayRef<GraphValue> carried, Block *) -> Result<Round> {
      GraphValue next, goesOn;
      std::tie(next.tensor, goesOn.tensor) = step(carried.front().tensor);
      KILN_RETURN_IF_ERROR(f.status());
      Round made{{next}, {}, {}};
      KILN_ASSIGN_OR_RETURN(made.goesOn, f.node.condition(goesOn, "whether a row is not done"));
      return made;
    };
    if (!f.ok())
      return {};
    Result<LoopResult> result = buildLoop(f.build, {f.constant(kMostRounds), f.constant(1)}, initial, round);
    return result.ok() ? result->carried.front().tensor : f.fail(result.status());
  }

private:
  Extents square() { return {f.constant(classes), f.constant(classes)}; }
  Value column(Value matrix, int64_t i) { return f.slice(matrix, 1, f.constant(i), f.constant(1)); }

  /// One round over the classes, and whether any row was not done before it.
  std::pair<Value, Value> step(Value before) {
    Value p = before;
    Value gradient = f.reduce(ReduceKind::Sum, f.mul(q, f.unsqueeze(p, 1)), {2}, /*keepdims=*/false);
    Value sum = f.reduce(ReduceKind::Sum, f.mul(p, gradient), {1});
    Value error = f.reduce(ReduceKind::Max, f.make<AbsOp>(f.sub(gradient, sum)), {1});
    Value isOff = f.compare("ge", error, f.like(error, 0.005 / static_cast<double>(classes)));
    for (int64_t i = 0; i < classes; ++i) {
      Value row = f.squeeze(column(q, i), 1); // [rows, classes]
      Value own = column(row, i), slope = column(gradient, i);
      Value change = f.div(f.sub(sum, slope), own), scale = f.add(change, 1);
      Value only = f.convert(f.compare("eq", f.iota(f.i64(), {f.constant(classes)}, 0),
                                       f.build.scalar(f.i64(), static_cast<double>(i))),
                             f.f32());
      p = f.div(f.add(p, f.mul(change, only)), scale);
      sum = f.div(f.add(sum, f.mul(change, f.add(f.mul(change, own), f.mul(slope, 2)))), f.square(scale));
      gradient = f.div(f.add(gradient, f.mul(change, row)), scale);
    }
    Value anyIsOff = f.reduce(ReduceKind::Max, f.convert(isOff, f.build.builder().getI32Type()), {0, 1},
                              /*keepdims=*/false);
    return {f.select(isOff, p, before), f.convert(anyIsOff, f.build.builder().getI1Type())};
  }

  Formula &f;
  int64_t classes;
  Value q; // [rows, classes, classes]
};

} // namespace

Result<Value> coupledProbabilities(Node &node, Value scores, int64_t classes, ArrayRef<float> a,
                                   ArrayRef<float> b) {
  Formula f(node);
  Value x = f.add(f.mul(scores, floats(f.build, a)), floats(f.build, b));
  Value first = f.sigmoid(f.neg(x));
  first = f.max(f.min(first, f.like(first, 1 - kLeastProbability)), f.like(first, kLeastProbability));
  Value second = f.sub(f.like(first, 1), first);
  // Column i * classes + j: the pair's probability, or the other's, or (on the diagonal) any.
  Value both = f.concat({first, second}, 1);
  auto pairs = static_cast<int64_t>(a.size());
  std::vector<int64_t> source(static_cast<size_t>(classes * classes));
  for (int64_t i = 0, pair = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      source[i * classes + j] = pair;
      source[j * classes + i] = pairs + pair;
    }
  Value table = f.make<GatherOp>({both, f.build.vector(source)}, f.build.integer("axis", 1));
  Extent rows = f.dim(scores, 0), count = f.constant(classes);
  Coupling coupling(f, classes);
  coupling.setPairs(f.reshape(table, {rows, count, count}));
  Value result =
      coupling.run(f.broadcast(f.scalar(f.f32(), 1.0 / static_cast<double>(classes)), {rows, count}));
  KILN_RETURN_IF_ERROR(f.status());
  return result;
}

} // namespace kiln::onnx
