// KernelObjectWriter.cpp: through flatc's object API, so that absent fields stay absent.
#include "jit/KernelObjectWriter.h"

#include "kiln/schema/Kernel_generated.h"

using namespace kiln;
using namespace kiln::jit;

namespace {
std::unique_ptr<schema::ExprT> toExpr(const LaunchExpr &expression) {
  if (expression.empty())
    return nullptr;
  auto result = std::make_unique<schema::ExprT>();
  // The two enums list the same operations in the same order.
  static_assert(static_cast<int>(LaunchExpr::Op::Max) == static_cast<int>(schema::ExprOp::Max));
  for (const LaunchExpr::Node &node : expression.nodes())
    result->nodes.emplace_back(node.value, static_cast<schema::ExprOp>(node.op));
  return result;
}

std::unique_ptr<schema::BindingInfoT> toBinding(const KernelObjectBuilder::Binding &binding) {
  auto result = std::make_unique<schema::BindingInfoT>();
  static_assert(static_cast<int>(KernelObjectBuilder::BindingKind::InOut) ==
                static_cast<int>(schema::BindingKind::InOut));
  result->kind = static_cast<schema::BindingKind>(binding.kind);
  result->dtype = static_cast<schema::DType>(binding.dtype);
  result->alignment_bytes = binding.alignmentBytes;
  result->bytes = toExpr(binding.bytes);
  return result;
}
} // namespace

std::string kiln::jit::writeKernelObject(const KernelObjectBuilder &kernel, const Target &target,
                                         const std::string &key, const std::string &name,
                                         uint64_t compileUs) {
  schema::KernelObjectT object;
  object.key = key;
  object.name = name;
  object.format = kernel.format;
  object.symbol = kernel.symbol;
  object.target = std::make_unique<schema::TargetT>();
  object.target->device_type = target.deviceType;
  object.target->triple = target.triple;
  object.target->arch = target.arch;
  object.target->features = target.featureString();
  object.target->options = target.optionString();
  object.required_features = kernel.requiredFeatures;
  for (const KernelObjectBuilder::Binding &binding : kernel.bindings)
    object.bindings.push_back(toBinding(binding));
  object.constant_count = kernel.constantCount;
  object.workspace_bytes = toExpr(kernel.workspaceBytes);
  for (const LaunchExpr &extent : kernel.grid)
    object.grid.push_back(toExpr(extent));
  object.template_ = kernel.codeTemplate;
  object.flops = toExpr(kernel.flops);
  object.traffic_bytes = toExpr(kernel.trafficBytes);
  for (auto [pc, op] : kernel.pcTable)
    object.pc_table.emplace_back(pc, op);
  object.compile_us = compileUs;
  object.object = kernel.object;
  flatbuffers::FlatBufferBuilder builder(kernel.object.size() + 4096);
  schema::FinishKernelObjectBuffer(builder, schema::KernelObject::Pack(builder, &object));
  return std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
}
