// ControlFlowTest.cpp: scf and index arithmetic as instructions of a program that the runtime's verifier
// accepts.
#include "tests/unit/jit/ToyCompiler.h"

#include "kiln/schema/Program_generated.h"
#include "runtime/ProgramVerifier.h"

using namespace kiln;
using namespace kiln::jit::testing;
using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
class ControlFlowTest : public ::testing::Test {
protected:
  Result<const schema::Program *> build(std::string_view text,
                                        const std::vector<std::vector<int64_t>> &shapes) {
    KILN_ASSIGN_OR_RETURN(ModelHandle model, compiler.import(text));
    KILN_ASSIGN_OR_RETURN(std::string bytes, compiler.build(model.get(), shapes));
    kept = copyBytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
    KILN_ASSIGN_OR_RETURN(VerifiedProgram program, verifyProgram(kept));
    return program.root;
  }
  /// "Launch Copy ..." of a block.
  static std::vector<std::string> actions(const schema::Block *block) {
    std::vector<std::string> names;
    if (block && block->instructions())
      for (const schema::Instruction *instruction : *block->instructions())
        names.push_back(schema::EnumNameAction(instruction->action_type()));
    return names;
  }
  FakeHost host;
  ToyCompiler compiler{host};
  OwnedBytes kept;
};
} // namespace

TEST_F(ControlFlowTest, BranchesCopyIntoTheResult) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %p = tensor.extract %c[] : tensor<i1>
      %0 = scf.if %p -> tensor<4xf32> {
        %1 = kiln.exp %x : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      } else {
        scf.yield %x : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    })mlir",
                                                             {{}, {4}}));
  EXPECT_THAT(actions(program->body()), ElementsAre("ReadScalar", "If"));
  const schema::If &branch = *program->body()->instructions()->Get(1)->action_as_If();
  EXPECT_THAT(actions(branch.then()), ElementsAre("Launch", "Copy"));
  EXPECT_THAT(actions(branch.otherwise()), ElementsAre("Copy"));
}

TEST_F(ControlFlowTest, ALoopThatSwapsPutsAValueAside) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %e = tensor.extract %n[] : tensor<i64>
      %count = arith.index_cast %e : i64 to index
      %0:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
        scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
      }
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    })mlir",
                                                             {{}, {4}, {4}}));
  // The initial values are copied, then the loop runs; its results are the outputs themselves.
  const auto &body = *program->body()->instructions();
  const schema::Loop *loop = nullptr;
  for (const schema::Instruction *instruction : body)
    if (instruction->action_type() == schema::Action::Loop)
      loop = instruction->action_as_Loop();
  ASSERT_TRUE(loop);
  EXPECT_TRUE(loop->count()->is_register());
  std::vector<std::string> names = actions(loop->body());
  ASSERT_THAT(names, ElementsAre("Copy", "Copy", "Copy", "Copy"));
  // Aside, aside, then both into place: no copy reads what another has overwritten.
  std::vector<uint32_t> written;
  for (const schema::Instruction *instruction : *loop->body()->instructions()) {
    const schema::Copy &copy = *instruction->action_as_Copy();
    EXPECT_EQ(std::count(written.begin(), written.end(), copy.from()->buffer()), written.size() >= 2 ? 1 : 0);
    written.push_back(copy.to()->buffer());
  }
}

TEST_F(ControlFlowTest, ALoopWritesSlicesOfWhatItCarriesInPlace) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%x: tensor<1x4xf32>) -> tensor<6x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %e = tensor.empty() : tensor<6x4xf32>
      %0:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %x, %y = %e) -> (tensor<1x4xf32>, tensor<6x4xf32>) {
        %b = kiln.exp %a : tensor<1x4xf32>
        %z = tensor.insert_slice %b into %y[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
        scf.yield %b, %z : tensor<1x4xf32>, tensor<6x4xf32>
      }
      return %0#1 : tensor<6x4xf32>
    })mlir",
                                                             {{1, 4}}));
  // Only the state is copied into the loop: nothing has been written to the slices yet.
  EXPECT_THAT(actions(program->body()), ElementsAre("Copy", "Loop"));
  const schema::Loop &loop = *program->body()->instructions()->Get(1)->action_as_Loop();
  EXPECT_THAT(actions(loop.body()), ElementsAre("Launch", "Arith", "Arith", "Copy", "Copy"));
  const schema::Copy &slice = *loop.body()->instructions()->Get(3)->action_as_Copy();
  EXPECT_EQ(slice.to()->buffer(), program->outputs()->Get(0)->buffer()) << "the output itself is written";
  EXPECT_TRUE(slice.to()->offset().is_register());
  EXPECT_EQ(slice.bytes()->value(), 16);
}

TEST_F(ControlFlowTest, SlicesThatCannotBeWrittenInPlaceAreNamed) {
  constexpr std::string_view loop = R"mlir(
    func.func @main(%x: tensor<4x1xf32>, %start: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%y = %start) -> (tensor<4x6xf32>) {
        %z = tensor.insert_slice %x into %y[0, %i] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x6xf32>
        scf.yield %z : tensor<4x6xf32>
      }
      return %0 : tensor<4x6xf32>
    })mlir";
  EXPECT_THAT(
      build(loop, {{4, 1}, {4, 6}}),
      StatusIs(Code::Unimplemented, HasSubstr("elements are not consecutive; expected whole inner axes")));
  constexpr std::string_view alone = R"mlir(
    func.func @main(%x: tensor<1x4xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
      %z = tensor.insert_slice %x into %y[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
      return %z : tensor<6x4xf32>
    })mlir";
  EXPECT_THAT(build(alone, {{1, 4}, {6, 4}}),
              StatusIs(Code::Unimplemented, HasSubstr("expected a value that the loop carries")));
  constexpr std::string_view empty = R"mlir(
    func.func @main() -> tensor<6x4xf32> {
      %y = tensor.empty() : tensor<6x4xf32>
      return %y : tensor<6x4xf32>
    })mlir";
  EXPECT_THAT(build(empty, {}),
              StatusIs(Code::Unimplemented, HasSubstr("a tensor without contents is read")));
}

TEST_F(ControlFlowTest, AWhileLoopReadsItsConditionInEachRound) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%x: tensor<1xf32>, %limit: tensor<1xf32>) -> tensor<1xf32> {
      %c0 = arith.constant 0 : index
      %r = scf.while (%a = %x) : (tensor<1xf32>) -> tensor<1xf32> {
        %less = kiln.compare lt %a, %limit : tensor<1xf32>, tensor<1xf32> -> tensor<1xi1>
        %p = tensor.extract %less[%c0] : tensor<1xi1>
        scf.condition(%p) %a : tensor<1xf32>
      } do {
      ^bb0(%a: tensor<1xf32>):
        %b = kiln.add %a, %a : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
        scf.yield %b : tensor<1xf32>
      }
      return %r : tensor<1xf32>
    })mlir",
                                                             {{1}, {1}}));
  EXPECT_THAT(actions(program->body()), ElementsAre("Copy", "Launch", "ReadScalar", "Arith", "Loop", "Copy"));
  const schema::Loop &loop = *program->body()->instructions()->Get(4)->action_as_Loop();
  EXPECT_GE(loop.condition_register(), 0);
  EXPECT_THAT(actions(loop.body()), ElementsAre("Launch", "Copy", "Launch", "ReadScalar", "Arith"));
}

TEST_F(ControlFlowTest, ShapeArithmeticGoesToSetup) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %m = arith.muli %n, %c4 : index
      %0 = kiln.reshape %x [%m] : tensor<?x4xf32> -> tensor<?xf32>
      %1 = kiln.exp %0 : tensor<?xf32>
      return %1 : tensor<?xf32>
    })mlir",
                                                             {{-1, 4}}));
  EXPECT_THAT(actions(program->body()), ElementsAre("Launch"))
      << "the output's size is known before the body runs";
  EXPECT_THAT(actions(program->setup()), ElementsAre("Arith"));
  EXPECT_TRUE(program->outputs()->Get(0)->dims()->Get(0)->is_register());
}

TEST_F(ControlFlowTest, AnExtentFromDataIsAllocatedInTheBody) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%n: tensor<i64>, %x: tensor<1xf32>) -> tensor<?xf32> {
      %e = tensor.extract %n[] : tensor<i64>
      %m = arith.index_cast %e : i64 to index
      %0 = kiln.broadcast %x [%m] : tensor<1xf32> -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir",
                                                             {{}, {1}}));
  std::vector<std::string> names = actions(program->body());
  EXPECT_THAT(names, ::testing::Contains("Allocate"));
  EXPECT_EQ(names.front(), "ReadScalar");
  EXPECT_EQ(names.back(), "Launch");
}

TEST_F(ControlFlowTest, WhatProgramsCannotDoIsNamed) {
  EXPECT_THAT(build(R"mlir(
    func.func @main(%x: tensor<f32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %f = tensor.extract %x[] : tensor<f32>
      %z = arith.constant 0.0 : f32
      %p = arith.cmpf ogt, %f, %z : f32
      %0 = scf.if %p -> tensor<4xf32> {
        scf.yield %y : tensor<4xf32>
      } else {
        %1 = kiln.exp %y : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    })mlir",
                    {{}, {4}}),
              StatusIs(Code::Unimplemented, HasSubstr("test.mlir:3:12: reads a scalar that is no integer")));
}

// A list grows by copies of the entries alone; a carried tensor of changing extents is allocated anew.
TEST_F(ControlFlowTest, LoopsCarryTensorsOfUnknownExtents) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%n: tensor<i64>, %x: tensor<?xf32>, %l: tensor<?x4xf32>, %e: tensor<4xf32>)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = tensor.extract %n[] : tensor<i64>
      %count = arith.index_cast %t : i64 to index
      %0:3 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x, %b = %x, %list = %l)
          -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>) {
        %u = kiln.exp %a : tensor<?xf32>
        %v = kiln.concat %b, %b axis 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
        %w = kiln.append %list, %e : tensor<?x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
        scf.yield %u, %v, %w : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>
      }
      return %0#0, %0#1, %0#2 : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>
    })mlir",
                                                             {{}, {-1}, {-1, 4}, {4}}));
  const schema::Loop *loop = nullptr;
  for (const schema::Instruction *instruction : *program->body()->instructions())
    if (instruction->action_type() == schema::Action::Loop)
      loop = instruction->action_as_Loop();
  ASSERT_TRUE(loop);
  std::map<std::string, int> counts;
  for (const std::string &name : actions(loop->body()))
    ++counts[name];
  EXPECT_EQ(counts["Grow"], 1);
  EXPECT_EQ(counts["Copy"], 3) << "the entry, and both carried tensors into place";
  EXPECT_EQ(counts["Allocate"], 3) << "both kernels' results, and the carried tensor that changes";
  EXPECT_EQ(counts["Free"], counts["Allocate"]);
}

TEST_F(ControlFlowTest, AListThatIsStillReadIsCopied) {
  ASSERT_OK_AND_ASSIGN(const schema::Program *program, build(R"mlir(
    func.func @main(%l: tensor<3x4xf32>, %e: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<3x4xf32>) {
      %0 = kiln.append %l, %e : tensor<3x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
      %1 = kiln.exp %l : tensor<3x4xf32>
      return %0, %1 : tensor<4x4xf32>, tensor<3x4xf32>
    })mlir",
                                                             {{3, 4}, {4}}));
  EXPECT_THAT(actions(program->body()), ElementsAre("Copy", "Copy", "Launch"));
}
