// CompilerTest.cpp: the C table from import to kernel objects, with a backend that lives in the test.
#include "tests/unit/jit/ToyCompiler.h"

#include "kiln/IR/Kiln.h"
#include "kiln/schema/Program_generated.h"
#include "runtime/KernelMetadata.h"
#include "runtime/ProgramVerifier.h"

#include <filesystem>

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::jit::testing;
using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
constexpr const char *kMlp = R"mlir(
  func.func @main(%x: tensor<?x8xf32> {kiln.name = "x", kiln.dim_names = ["N", ""]}) -> (tensor<?x4xf32> {kiln.name = "y"}) {
    %w = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<8x4xf32>
    %b = kiln.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = kiln.matmul %x, %w : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32> loc("m.onnx: node 'fc1' (Gemm)")
    %1 = kiln.add %0, %b : tensor<?x4xf32>, tensor<4xf32> -> tensor<?x4xf32> loc("m.onnx: node 'fc1' (Gemm)")
    %2 = kiln.relu %1 : tensor<?x4xf32> loc("m.onnx: node 'act' (Relu)")
    %3 = kiln.softmax %2 axis -1 : tensor<?x4xf32> loc("m.onnx: node 'prob' (Softmax)")
    return %3 : tensor<?x4xf32>
})mlir";

/// Stands in for the whole of stage graph: leaves relu out, which no pass of Kiln does.
struct DropRelu : mlir::PassWrapper<DropRelu, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropRelu)
  llvm::StringRef getArgument() const override { return "toy-drop-relu"; }
  void runOnOperation() override {
    getOperation().walk([](ReluOp op) {
      op->replaceAllUsesWith(mlir::ValueRange(op->getOperand(0)));
      op->erase();
    });
  }
};
Status registerToyWithGraph(CompilerRegistrar &registrar) {
  KILN_RETURN_IF_ERROR(registerToy(registrar));
  registrar.addStage("toy", Stage::Graph, [](mlir::OpPassManager &pm, const Target &) {
    pm.addPass(std::make_unique<DropRelu>());
  });
  return registrar.status();
}

std::vector<std::string> passesOf(const KilnCompiler &table) {
  std::vector<std::string> passes;
  auto visit = [](void *arg, const KilnPassEntry *entry) {
    if (toView(entry->target) == "toy")
      static_cast<std::vector<std::string> *>(arg)->push_back(std::string(toView(entry->stage)) + ":" +
                                                              std::string(toView(entry->pass)));
  };
  EXPECT_EQ(table.visit_passes(table.self, visit, &passes), nullptr);
  return passes;
}

class CompilerTest : public ::testing::Test {
protected:
  /// The program as the runtime sees it: verified.
  const schema::Program &verified(const std::string &bytes) {
    kept = copyBytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
    auto program = verifyProgram(kept);
    EXPECT_OK(program);
    return *schema::GetProgram(kept.bytes.data());
  }
  Status fromC(KilnStatus status) { return Status::fromC(*host.table.host, status); }
  FakeHost host;
  ToyCompiler compiler{host};
  OwnedBytes kept;
};
} // namespace

TEST_F(CompilerTest, BuildsAStaticProgram) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{2, 8}}));
  const schema::Program &program = verified(bytes);
  EXPECT_EQ(program.register_count(), 0u) << "everything is static";
  ASSERT_EQ(program.body()->instructions()->size(), 2u);
  const schema::Launch &first = *program.body()->instructions()->Get(0)->action_as_Launch();
  EXPECT_EQ(program.kernels()->Get(first.kernel())->name()->str(), "matmul_add_relu_2x4xf32");
  EXPECT_EQ(first.name()->str(), "fc1+act");
  EXPECT_EQ(first.op_locations()->Get(2)->str(), "m.onnx: node 'act' (Relu)");
  EXPECT_EQ(first.bindings()->size(), 4u) << "x, w, bias, result";
  EXPECT_EQ(first.constants() ? first.constants()->size() : 0, 0u);
  EXPECT_EQ(program.arena_bytes()->value(), 64) << "one temporary of 32 bytes";
  EXPECT_EQ(program.outputs()->Get(0)->name()->str(), "y");
  EXPECT_EQ(program.outputs()->Get(0)->dims()->Get(0)->value(), 2);
  EXPECT_EQ(program.target()->features()->str(), "+a,+b") << "sorted";
}

TEST_F(CompilerTest, KeepsAnExtentDynamicWhenAsked) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{-1, 8}}));
  const schema::Program &program = verified(bytes);
  EXPECT_TRUE(program.inputs()->Get(0)->dims()->Get(0)->is_register());
  EXPECT_TRUE(program.outputs()->Get(0)->dims()->Get(0)->is_register());
  int launches = 0, allocations = 0, releases = 0;
  for (const schema::Instruction *instruction : *program.body()->instructions()) {
    if (const schema::Launch *launch = instruction->action_as_Launch()) {
      ++launches;
      ASSERT_EQ(launch->constants()->size(), 2u) << "the argument's extent and the result's";
      EXPECT_TRUE(launch->constants()->Get(0)->is_register());
    }
    allocations += instruction->action_type() == schema::Action::Allocate;
    releases += instruction->action_type() == schema::Action::Free;
  }
  EXPECT_EQ(launches, 2);
  EXPECT_EQ(allocations, 1) << "the value between the kernels";
  EXPECT_EQ(releases, 1);
}

TEST_F(CompilerTest, CompilesTheKernelsOfAProgram) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{2, 8}}));
  const schema::KernelRef &kernel = *verified(bytes).kernels()->Get(0);
  std::string_view ir(reinterpret_cast<const char *>(kernel.ir()->data()), kernel.ir()->size());
  ASSERT_OK_AND_ASSIGN(std::string object, compiler.compile(ir, kernel.key()->str(), kernel.name()->str()));
  auto parsed = CompiledKernel::parse(
      copyBytes({reinterpret_cast<const uint8_t *>(object.data()), object.size()}), "k");
  ASSERT_OK(parsed);
  const KernelMetadata &metadata = (*parsed)->metadata();
  EXPECT_EQ(metadata.format, "toy");
  EXPECT_EQ(metadata.bindings.size(), 4u);
  EXPECT_EQ(metadata.symbol, "matmul_add_relu_2x4xf32_" + kernel.key()->str().substr(0, 16));
}

TEST_F(CompilerTest, EqualKernelsAreOne) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %0 = kiln.exp %x : tensor<4xf32>
      %1 = kiln.exp %y : tensor<4xf32>
      %2 = kiln.log %y : tensor<4xf32>
      return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{4}, {4}}));
  EXPECT_EQ(verified(bytes).kernels()->size(), 2u);
  EXPECT_EQ(verified(bytes).body()->instructions()->size(), 3u);
}

TEST_F(CompilerTest, CopiesWhereAnOutputIsNoNewValue) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
      %0 = kiln.exp %x : tensor<4xf32>
      %1 = kiln.reshape %0 [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
      %c = kiln.constant dense<[1.0, 2.0]> : tensor<2xf32>
      return %x, %1, %1, %c : tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{4}}));
  const schema::Program &program = verified(bytes);
  EXPECT_EQ(program.arena_bytes()->value(), 0) << "exp writes output 1 itself";
  std::vector<std::pair<uint32_t, uint32_t>> copies;
  for (const schema::Instruction *instruction : *program.body()->instructions())
    if (const schema::Copy *copy = instruction->action_as_Copy())
      copies.emplace_back(copy->to()->buffer(), copy->from()->buffer());
  auto output = [&](int i) { return program.outputs()->Get(i)->buffer(); };
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0], std::make_pair(output(0), program.inputs()->Get(0)->buffer()));
  EXPECT_EQ(copies[1], std::make_pair(output(2), output(1)));
  EXPECT_EQ(copies[2].first, output(3));
}

TEST_F(CompilerTest, WeightsAreComputedInThePrologue) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %w = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<8x8xf16>
      %0 = kiln.convert %w : tensor<8x8xf16> to tensor<8x8xf32>
      %1 = kiln.softmax %0 axis 0 : tensor<8x8xf32>
      %2 = kiln.matmul %x, %1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      return %2 : tensor<4x8xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{4, 8}}));
  const schema::Program &program = verified(bytes);
  EXPECT_EQ(program.body()->instructions()->size(), 1u);
  int launches = 0;
  for (const schema::Instruction *instruction : *program.prologue()->instructions())
    launches += instruction->action_type() == schema::Action::Launch;
  EXPECT_EQ(launches, 2);
  int persistent = 0;
  for (const schema::Buffer *buffer : *program.buffers())
    persistent += buffer->kind() == schema::BufferKind::Persistent;
  EXPECT_EQ(persistent, 1) << "the softmax's result; what it reads is freed again";
}

TEST_F(CompilerTest, ChecksGetOutputsOfTheirOwn) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main() -> tensor<2xf32> {
      %x = kiln.constant dense<[1.0, 4.0]> : tensor<2xf32>
      %b = kiln.optimization_barrier %x : tensor<2xf32>
      %y = kiln.sqrt %b : tensor<2xf32>
      %want = kiln.constant dense<[1.0, 2.0]> : tensor<2xf32>
      kiln.check_close %y, %want atol 1.0e-6 rtol 0.0 : tensor<2xf32>
      return %y : tensor<2xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {}));
  const schema::Program &program = verified(bytes);
  ASSERT_EQ(program.checks()->size(), 1u);
  EXPECT_EQ(program.checks()->Get(0)->got(), 0u);
  EXPECT_EQ(program.checks()->Get(0)->want(), 1u);
  EXPECT_EQ(program.outputs()->Get(1)->name()->str(), "check0.want");
  EXPECT_EQ(program.body()->instructions()->size(), 2u) << "sqrt is launched behind the barrier; one copy";
}

TEST_F(CompilerTest, ShapesMustFitTheModel) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  EXPECT_THAT(compiler.build(model.get(), {{2, 7}}),
              StatusIs(Code::InvalidArgument, HasSubstr("input 'x': shape 2x7; expected ?x8")));
  EXPECT_THAT(compiler.build(model.get(), {{2, 8}, {1}}),
              StatusIs(Code::InvalidArgument, HasSubstr("shapes of 2 inputs; the model has 1")));
  ASSERT_OK_AND_ASSIGN(auto two, compiler.import(R"mlir(
    func.func @main(%x: tensor<?xf32> {kiln.name = "a", kiln.dim_names = ["N"]},
                    %y: tensor<?xf32> {kiln.name = "b", kiln.dim_names = ["N"]}) -> tensor<?xf32> {
      %0 = kiln.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir"));
  EXPECT_THAT(
      compiler.build(two.get(), {{4}, {5}}),
      StatusIs(Code::InvalidArgument, HasSubstr("input 'b': shape 5; expected N = 4 as in input 'a'")));
}

TEST_F(CompilerTest, AModelThatTakesEveryShapeIsItsOwnImport) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  const int64_t dims[] = {2, 8};
  const uint32_t rank = 2;
  KilnImportedModel *found = nullptr;
  ASSERT_OK(
      fromC(compiler.table().model_for_shapes(compiler.table().self, model.get(), dims, &rank, 1, &found)));
  EXPECT_EQ(found, model.get());
}

TEST_F(CompilerTest, AMlirFileIsNotImportedForShapes) {
  KilnImportArgs args = {};
  args.struct_size = sizeof(args);
  args.name = toStr("test.mlir");
  args.data = kMlp;
  args.bytes = std::strlen(kMlp);
  const int64_t dims[] = {2, 8};
  const uint32_t rank = 2;
  const KilnStr name = toStr("x");
  args.input_names = &name, args.dims = dims, args.ranks = &rank, args.input_count = 1;
  KilnImportedModel *model = nullptr;
  const KilnCompiler &table = compiler.table();
  EXPECT_THAT(fromC(table.import_model(table.self, &args, &model)),
              StatusIs(Code::InvalidArgument, HasSubstr("test.mlir: shapes for the import of a .mlir file")));
  args.struct_size = offsetof(KilnImportArgs, input_names); // of a caller that knows no shapes
  ASSERT_OK(fromC(table.import_model(table.self, &args, &model)));
  table.model_release(model);
}

TEST_F(CompilerTest, RequirementsOfAModelAreCheckedInTheProgram) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %flag = tensor.extract %c[] : tensor<i1>
      cf.assert %flag, "the other branch" loc("m.onnx: node 'if' (If)")
      %y = kiln.relu %x : tensor<4xf32>
      return %y : tensor<4xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{}, {4}}));
  const schema::Require *require = nullptr;
  for (const schema::Instruction *instruction : *verified(bytes).body()->instructions())
    if (instruction->action_as_Require())
      require = instruction->action_as_Require();
  ASSERT_NE(require, nullptr);
  EXPECT_EQ(require->message()->str(), "the other branch");
  EXPECT_EQ(require->location()->str(), "m.onnx: node 'if' (If)");
  EXPECT_TRUE(require->condition()->is_register());
}

TEST_F(CompilerTest, ContradictionsInTheModelAreItsOwnErrors) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = kiln.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32> loc("m.onnx: node 'sum' (Add)")
      return %0 : tensor<?xf32>
    })mlir"));
  EXPECT_THAT(compiler.build(model.get(), {{4}, {5}}),
              StatusIs(Code::InvalidArgument, HasSubstr("m.onnx: node 'sum' (Add)")));
}

TEST_F(CompilerTest, ExtentsThatMeetAreComparedInSetup) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %0 = kiln.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32> loc("m.onnx: node 'sum' (Add)")
      %1 = kiln.mul %0, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32> loc("m.onnx: node 'product' (Mul)")
      return %0, %1 : tensor<?xf32>, tensor<?xf32>
    })mlir"));
  ASSERT_OK_AND_ASSIGN(std::string bytes, compiler.build(model.get(), {{-1}, {-1}}));
  std::vector<const schema::Require *> requires_;
  for (const schema::Instruction *instruction : *verified(bytes).setup()->instructions())
    if (auto *require = instruction->action_as_Require())
      requires_.push_back(require);
  ASSERT_EQ(requires_.size(), 1u) << "one comparison is made once";
  EXPECT_EQ(requires_[0]->message()->str(), "expects operands of one extent along axis 0");
  EXPECT_EQ(requires_[0]->location()->str(), "m.onnx: node 'sum' (Add)");
  EXPECT_EQ(requires_[0]->values()->size(), 2u);
}

TEST_F(CompilerTest, ImportSaysWhatIsWrongWhere) {
  EXPECT_THAT(compiler.import("func.func @main("),
              StatusIs(Code::InvalidArgument, HasSubstr("test.mlir:1:")));
  EXPECT_THAT(compiler.import("module {}"), StatusIs(Code::InvalidArgument, HasSubstr("no function")));
  EXPECT_THAT(compiler.import("func.func @f() { return }\nfunc.func @g() { return }"),
              StatusIs(Code::InvalidArgument, HasSubstr("choose one of 'f', 'g'")));
  EXPECT_THAT(compiler.import("func.func @f() { return }", "h"),
              StatusIs(Code::NotFound, HasSubstr("no function 'h'; it has 'f'")));
  EXPECT_THAT(compiler.import("func.func @f(%x: index) { return }"),
              StatusIs(Code::InvalidArgument, HasSubstr("argument 0: type index; expected a ranked tensor")));
  EXPECT_THAT(compiler.import("func.func @f() { return }", "", "tflite"),
              StatusIs(Code::NotFound, HasSubstr("unknown format 'tflite'")));
  EXPECT_THAT(compiler.import("func.func @f() { return }", "", "../x"),
              StatusIs(Code::InvalidArgument, HasSubstr("unknown format '../x'")));
  EXPECT_THAT(compiler.import("what is this", "", ""),
              StatusIs(Code::InvalidArgument, HasSubstr("known formats are")));
}

// MLIR's parser takes a call a level: unchecked, it would overflow the stack.
TEST_F(CompilerTest, IrThatNestsTooDeepIsRefused) {
  auto many = [](std::string_view part) {
    std::string text;
    for (int i = 0; i < 20000; ++i)
      text += part;
    return text;
  };
  const std::string before = "func.func @main() attributes {a = ";
  for (const std::string &text :
       {many("module {"), before + many("["), before + "affine_map<(d0) -> (" + many("("),
        before + "affine_map<(d0) -> (" + many("- "), before + many("tuple<")})
    EXPECT_THAT(compiler.import(text),
                StatusIs(Code::InvalidArgument,
                         ::testing::ContainsRegex("test.mlir:1:[0-9]+: nested more than 256 deep")));
  EXPECT_OK(compiler.import("func.func @main() attributes {a = \"" + many("[") + "\\\"(\"} {\n  return // " +
                            many("{") + "\n}"));
}

// Both grow with two to the power of the depth where each use is followed on its own.
TEST_F(CompilerTest, DoublingIsLinear) {
  std::string text = R"mlir(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w0 = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<4xf32>
)mlir";
  for (int i = 0; i < 60; ++i)
    text += "%w" + std::to_string(i + 1) + " = kiln.add %w" + std::to_string(i) + ", %w" + std::to_string(i) +
            " : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n";
  text +=
      "%y = kiln.add %x, %w60 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n return %y : tensor<4xf32>\n}";
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(text));
  EXPECT_OK(compiler.emit(model.get(), {{4}}, "form"));
}

TEST_F(CompilerTest, EmitKnowsStagesAndEmitters) {
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  EXPECT_THAT(compiler.emit(model.get(), {{2, 8}}, "graph"), IsOkAndHolds(HasSubstr("kiln.softmax")));
  EXPECT_THAT(compiler.emit(model.get(), {{2, 8}}, "form"),
              IsOkAndHolds(HasSubstr("kiln.launch @softmax_2x4xf32")));
  EXPECT_THAT(compiler.emit(model.get(), {{2, 8}}, "text"),
              IsOkAndHolds(AllOf(HasSubstr("toy text of matmul_add_relu_2x4xf32_"),
                                 HasSubstr("toy text of softmax"))));
  EXPECT_THAT(compiler.emit(model.get(), {{2, 8}}, "object"), IsOkAndHolds(HasSubstr("!<arch>")));
  EXPECT_THAT(
      compiler.emit(model.get(), {{2, 8}}, "asm"),
      StatusIs(Code::InvalidArgument,
               HasSubstr("'asm' is no stage or emitter of 'toy'; expected one of graph, form, tensor, tile, "
                         "buffer, lower, emit, object, text")));
}

TEST_F(CompilerTest, DumpsAndTimesStages) {
  std::string dir = ::testing::TempDir() + "kiln-dumps";
  std::filesystem::remove_all(dir);
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(kMlp));
  ASSERT_OK(compiler.build(model.get(), {{2, 8}}, dir));
  std::vector<std::string> files, stages;
  for (const auto &entry : std::filesystem::directory_iterator(dir))
    files.push_back(entry.path().filename());
  EXPECT_THAT(files, ::testing::UnorderedElementsAre("000-main-graph.mlir", "001-main-form.mlir"));
  auto visit = [](void *arg, const KilnStageRecord *record) {
    EXPECT_LE(record->start_ns, record->end_ns);
    static_cast<std::vector<std::string> *>(arg)->emplace_back(toView(record->stage));
  };
  const KilnCompiler &table = compiler.table();
  EXPECT_EQ(table.visit_stages(table.self, visit, &stages), nullptr);
  EXPECT_THAT(stages, ElementsAre("graph", "form", "program"));
  stages.clear();
  EXPECT_EQ(table.visit_stages(table.self, visit, &stages), nullptr);
  EXPECT_TRUE(stages.empty()) << "each record is handed out once";
}

TEST_F(CompilerTest, PassesAreListedByStage) {
  std::vector<std::string> passes = passesOf(compiler.table());
  EXPECT_THAT(passes, ::testing::Contains("graph:kiln-refine-shapes"));
  EXPECT_THAT(passes, ::testing::Contains("form:kiln-form-kernels"));
}

TEST(ReplacedStageTest, ABackendsGraphRunsInsteadOfKilns) {
  FakeHost host;
  host.backends["toy"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerToyWithGraph>(out, "toy");
  };
  ToyCompiler compiler(host);
  std::vector<std::string> passes = passesOf(compiler.table());
  std::erase_if(passes, [](const std::string &pass) { return pass.rfind("graph:", 0) != 0; });
  EXPECT_THAT(passes, ElementsAre("graph:toy-drop-relu"));
  ASSERT_OK_AND_ASSIGN(auto model, compiler.import(R"mlir(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = kiln.relu %x : tensor<4xf32>
      %1 = kiln.exp %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    })mlir"));
  EXPECT_THAT(compiler.emit(model.get(), {{4}}, "graph"),
              IsOkAndHolds(AllOf(HasSubstr("kiln.exp"), Not(HasSubstr("kiln.relu")))));
  EXPECT_THAT(compiler.emit(model.get(), {{4}}, "form"), IsOkAndHolds(HasSubstr("kiln.launch @exp_4xf32")));
}
