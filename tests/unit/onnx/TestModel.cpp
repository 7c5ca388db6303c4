// TestModel.cpp: fills protos, calls the importer through its one entry.
#include "tests/unit/onnx/TestModel.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

extern "C" const kiln::jit::ImporterInfo *kiln_importer_query_v1();

namespace kiln::onnx::testing {

AttributeProto &Attributes::add(const char *name, AttributeProto::AttributeType type) {
  AttributeProto &attribute = *node->add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

Attributes &Attributes::set(const char *name, int64_t value) {
  add(name, AttributeProto::INT).set_i(value);
  return *this;
}
Attributes &Attributes::set(const char *name, float value) {
  add(name, AttributeProto::FLOAT).set_f(value);
  return *this;
}
Attributes &Attributes::set(const char *name, const char *value) {
  add(name, AttributeProto::STRING).set_s(value);
  return *this;
}
Attributes &Attributes::set(const char *name, std::initializer_list<int64_t> values) {
  AttributeProto &attribute = add(name, AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
  return *this;
}
Attributes &Attributes::setFloats(const char *name, std::initializer_list<float> values) {
  AttributeProto &attribute = add(name, AttributeProto::FLOATS);
  attribute.mutable_floats()->Add(values.begin(), values.end());
  return *this;
}

TestModel::TestModel(int64_t opset) {
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(opset);
  proto.mutable_graph()->set_name("test");
}

TestModel &TestModel::input(const char *name, std::initializer_list<Dim> dims, int type) {
  ValueInfoProto &info = *graph().add_input();
  info.set_name(name);
  TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const Dim &dim : dims) {
    TensorShapeProto::Dimension &added = *tensor.mutable_shape()->add_dim();
    if (dim.name)
      added.set_dim_param(dim.name);
    else
      added.set_dim_value(dim.value);
  }
  return *this;
}

TestModel &TestModel::output(const char *name) {
  graph().add_output()->set_name(name);
  return *this;
}

Attributes TestModel::node(const char *op, std::initializer_list<const char *> inputs,
                           std::initializer_list<const char *> outputs, const char *domain) {
  NodeProto &node = *graph().add_node();
  node.set_op_type(op);
  node.set_domain(domain);
  node.set_name(std::string("the_") + op);
  for (const char *name : inputs)
    node.add_input(name);
  for (const char *name : outputs)
    node.add_output(name);
  return Attributes(node);
}

TensorProto &TestModel::initializer(const char *name, std::initializer_list<int64_t> dims, int type) {
  TensorProto &tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  return tensor;
}

TestModel &TestModel::integers(const char *name, std::initializer_list<int64_t> values) {
  TensorProto &tensor = initializer(name, {static_cast<int64_t>(values.size())}, TensorProto::INT64);
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return *this;
}

TestModel &TestModel::integer(const char *name, int64_t value) {
  initializer(name, {}, TensorProto::INT64).add_int64_data(value);
  return *this;
}

TestModel &TestModel::floats(const char *name, std::initializer_list<int64_t> dims,
                             std::initializer_list<float> values) {
  TensorProto &tensor = initializer(name, dims, TensorProto::FLOAT);
  tensor.mutable_float_data()->Add(values.begin(), values.end());
  return *this;
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<KilnDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                       mlir::tensor::TensorDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect>();
  return context;
}

Result<jit::ImportedModule> importBytes(mlir::MLIRContext &context, const std::string &bytes,
                                        const std::string &path, std::vector<jit::InputShape> shapes) {
  jit::ImportRequest request;
  request.shapes = std::move(shapes);
  request.path = path;
  request.name = "model.onnx";
  auto owner = std::make_shared<const std::string>(bytes);
  request.bytes = llvm::ArrayRef<char>(owner->data(), owner->size());
  request.owner = owner;
  return kiln_importer_query_v1()->import(context, request);
}

std::string TestModel::text() const {
  auto context = makeContext();
  Result<jit::ImportedModule> imported = importBytes(*context, bytes());
  if (!imported.ok())
    return imported.status().message();
  if (!imported->needsShapes.empty())
    return imported->needsShapes;
  std::string out;
  llvm::raw_string_ostream stream(out);
  imported->module->print(stream);
  return out;
}

Status TestModel::status() const {
  auto context = makeContext();
  Result<jit::ImportedModule> imported = importBytes(*context, bytes());
  if (imported.ok() && !imported->needsShapes.empty())
    return Status(Code::Unimplemented, imported->needsShapes);
  return imported.status();
}

} // namespace kiln::onnx::testing
