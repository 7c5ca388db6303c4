// TestModel.h: small ONNX models for tests, and what they are imported as.
#ifndef KILN_TESTS_UNIT_ONNX_TESTMODEL_H
#define KILN_TESTS_UNIT_ONNX_TESTMODEL_H

#include "frameworks/onnx/schema/onnx.pb.h"
#include "kiln/jit/Importer.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <cstring>
#include <initializer_list>

namespace kiln::onnx::testing {

/// Sets attributes of a node in a row: Attributes(node).set("axis", 1).set("mode", "edge").
class Attributes {
public:
  explicit Attributes(NodeProto &node) : node(&node) {}
  Attributes &set(const char *name, int64_t value);
  Attributes &set(const char *name, int value) { return set(name, static_cast<int64_t>(value)); }
  Attributes &set(const char *name, float value);
  Attributes &set(const char *name, const char *value);
  Attributes &set(const char *name, std::initializer_list<int64_t> values);
  Attributes &setFloats(const char *name, std::initializer_list<float> values);
  NodeProto &proto() { return *node; }

private:
  AttributeProto &add(const char *name, AttributeProto::AttributeType type);
  NodeProto *node;
};

/// A dimension of an input: a number, or a name for a dynamic one.
struct Dim {
  Dim(int value) : value(value) {}
  Dim(const char *name) : name(name) {}
  int64_t value = 0;
  const char *name = nullptr;
};

/// A model under construction. Everything that it makes can be changed through the protos before the import.
class TestModel {
public:
  explicit TestModel(int64_t opset = 21);

  TestModel &input(const char *name, std::initializer_list<Dim> dims, int type = TensorProto::FLOAT);
  /// An output whose type is not declared.
  TestModel &output(const char *name);
  Attributes node(const char *op, std::initializer_list<const char *> inputs,
                  std::initializer_list<const char *> outputs, const char *domain = "");
  TensorProto &initializer(const char *name, std::initializer_list<int64_t> dims, int type);
  TestModel &integers(const char *name, std::initializer_list<int64_t> values); // int64, rank 1
  TestModel &integer(const char *name, int64_t value);                          // int64, rank 0
  TestModel &floats(const char *name, std::initializer_list<int64_t> dims,
                    std::initializer_list<float> values);

  GraphProto &graph() { return *proto.mutable_graph(); }
  std::string bytes() const { return proto.SerializeAsString(); }

  /// The imported function, printed; or the error's message.
  std::string text() const;
  /// The error's code and message; OK if it was imported. A model that needs shapes: why, as an error.
  Status status() const;

  ModelProto proto;
};

/// A context with the dialects that an importer needs.
std::unique_ptr<mlir::MLIRContext> makeContext();
/// Imports bytes as "model.onnx", for these shapes.
Result<jit::ImportedModule> importBytes(mlir::MLIRContext &context, const std::string &bytes,
                                        const std::string &path = "",
                                        std::vector<jit::InputShape> shapes = {});

} // namespace kiln::onnx::testing

/// Expects InvalidArgument, placed at the only node of an operator, with the text.
#define EXPECT_NODE_ERROR(model, op, text)                                                                   \
  EXPECT_THAT((model).status(),                                                                              \
              kiln::testing::StatusIs(                                                                       \
                  kiln::Code::InvalidArgument,                                                               \
                  ::testing::AllOf(::testing::HasSubstr("model.onnx: node 'the_" op "' (" op "): "),         \
                                   ::testing::HasSubstr(text))))

#endif // KILN_TESTS_UNIT_ONNX_TESTMODEL_H
