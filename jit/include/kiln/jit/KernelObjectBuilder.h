// kiln/jit/KernelObjectBuilder.h: what an object emitter fills in; written out as a KernelObject
// (Kernel.fbs).
#ifndef KILN_JIT_KERNELOBJECTBUILDER_H
#define KILN_JIT_KERNELOBJECTBUILDER_H

#include "kiln/backend.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kiln::jit {

/// A postfix expression over a launch's constants (Expr of Kernel.fbs).
class LaunchExpr {
public:
  enum class Op : uint8_t { Literal, Constant, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
  struct Node {
    Op op;
    int64_t value;
  };
  LaunchExpr() = default; // absent
  static LaunchExpr literal(int64_t value) { return LaunchExpr({{Op::Literal, value}}); }
  static LaunchExpr constant(int64_t index) { return LaunchExpr({{Op::Constant, index}}); }
  static LaunchExpr binary(Op op, LaunchExpr lhs, const LaunchExpr &rhs) {
    lhs.theNodes.insert(lhs.theNodes.end(), rhs.theNodes.begin(), rhs.theNodes.end());
    lhs.theNodes.push_back({op, 0});
    return lhs;
  }
  bool empty() const { return theNodes.empty(); }
  const std::vector<Node> &nodes() const { return theNodes; }

private:
  explicit LaunchExpr(std::vector<Node> nodes) : theNodes(std::move(nodes)) {}
  std::vector<Node> theNodes;
};

/// Plain data; one per kernel compilation, used by one thread.
struct KernelObjectBuilder {
  enum class BindingKind : uint8_t { In, Out, InOut };
  struct Binding {
    BindingKind kind = BindingKind::In;
    KilnDType dtype = KILN_DTYPE_INVALID;
    uint32_t alignmentBytes = 1;
    LaunchExpr bytes;
  };
  std::string format, symbol; // required
  std::string requiredFeatures, codeTemplate;
  std::vector<Binding> bindings;
  uint32_t constantCount = 0;
  LaunchExpr workspaceBytes, flops, trafficBytes;
  std::vector<LaunchExpr> grid;
  std::vector<std::pair<uint32_t, uint32_t>> pcTable; // (pc, op number), sorted
  std::vector<uint8_t> object;
};

} // namespace kiln::jit
#endif // KILN_JIT_KERNELOBJECTBUILDER_H
