// CApiRefusalTest.cpp: kiln.h: what is refused, and with which words.
#include "runtime/Sha256.h"
#include "tests/unit/runtime/CApiFixture.h"
#include "tests/unit/runtime/ProgramMaker.h"

#include <functional>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;

struct InputRefusal {
  const char *name;
  std::function<void(KilnTensor &)> damage;
  const char *message;
};
void PrintTo(const InputRefusal &refusal, std::ostream *os) { *os << refusal.name; }

class CApiInputRefusal : public CApiTest, public ::testing::WithParamInterface<InputRefusal> {};

TEST_P(CApiInputRefusal, NamesTheInput) {
  std::vector<float> values = {1, 2, 3};
  KilnTensor tensor = tensorOf(values);
  GetParam().damage(tensor);
  EXPECT_THAT(run(tensor), StatusIs(Code::InvalidArgument, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, CApiInputRefusal,
    ::testing::Values(
        InputRefusal{"name", [](KilnTensor &t) { t.name = toStr("z"); },
                     "input 'z': the model has none of this name; expected 'x'"},
        InputRefusal{"dtype", [](KilnTensor &t) { t.dtype = KILN_I64; },
                     "input 'x': element type i64; expected f32"},
        InputRefusal{"rank",
                     [](KilnTensor &t) {
                       t.rank = 2;
                       t.dims[1] = 1;
                     },
                     "input 'x': shape 3x1 of rank 2; expected ? of rank 1"},
        InputRefusal{"rankLimit", [](KilnTensor &t) { t.rank = 40; }, "input 'x': rank 40; at most 16"},
        InputRefusal{"negative", [](KilnTensor &t) { t.dims[0] = -3; }, "input 'x': extent 0 is -3"},
        InputRefusal{"huge", [](KilnTensor &t) { t.dims[0] = INT64_MAX; }, "has no size in 64 bits"},
        InputRefusal{"bytes", [](KilnTensor &t) { t.data_bytes = 8; },
                     "input 'x': 8 bytes; shape 3 of f32 needs 12"},
        InputRefusal{"nothing", [](KilnTensor &t) { t.data = nullptr; }, "neither data nor buffer"},
        InputRefusal{"stride", [](KilnTensor &t) { t.strides[0] = 5; },
                     "input 'x': 12 bytes; shape 3 of f32 needs 44"},
        InputRefusal{"negativeStride", [](KilnTensor &t) { t.strides[0] = -1; }, "input 'x': strides -1"},
        InputRefusal{"structSize", [](KilnTensor &t) { t.struct_size = 8; }, "input 0: struct_size 8"}),
    [](const auto &info) { return std::string(info.param.name); });

TEST_F(CApiTest, ReferencesNeedTheirLibraryAndAVisitor) {
  std::vector<float> values = {1, 2, 3};
  KilnTensor tensor = tensorOf(values);
  auto visit = [](void *, const KilnReference *) {};
  EXPECT_THAT(fromC(kiln_model_reference(model, &tensor, 1, nullptr, nullptr)),
              StatusIs(Code::InvalidArgument, HasSubstr("argument 'visit': null")));
  EXPECT_THAT(fromC(kiln_model_reference(model, nullptr, 0, visit, nullptr)),
              StatusIs(Code::InvalidArgument, HasSubstr("input 'x': missing")));
  // The fake compiler is part of this program, beside which no libkiln_reference lies.
  EXPECT_THAT(fromC(kiln_model_reference(model, &tensor, 1, visit, nullptr)),
              StatusIs(Code::FailedPrecondition, HasSubstr("the reference: ")));
  KilnStr test = {};
  EXPECT_THAT(fromC(kiln_model_test(model, &test)),
              StatusIs(Code::FailedPrecondition, HasSubstr("libkiln_reference.so")));
}

TEST_F(CApiTest, MissingAndSurplusInputsAreNamed) {
  KilnRun *result = nullptr;
  EXPECT_THAT(fromC(kiln_session_run(session, model, nullptr, 0, nullptr, &result)),
              StatusIs(Code::InvalidArgument, "input 'x': missing; expected f32 of shape ?"));
  std::vector<float> values = {1};
  KilnTensor tensors[] = {tensorOf(values), tensorOf(values)};
  EXPECT_THAT(fromC(kiln_session_run(session, model, tensors, 2, nullptr, &result)),
              StatusIs(Code::InvalidArgument, "input 'x': given twice"));
  tensors[0].name = tensors[1].name = {};
  EXPECT_THAT(fromC(kiln_session_run(session, model, tensors, 2, nullptr, &result)),
              StatusIs(Code::InvalidArgument, "input 1: the model has 1: 'x'"));
}

TEST_F(CApiTest, ATimeOutGivesUpAndKeepsTheMemoryAlive) {
  runtime.device.neverEnds = true;
  auto options = sized<KilnRunOptions>();
  options.timeout_ns = 1'000'000;
  EXPECT_THAT(run({1, 2, 3}, options),
              StatusIs(Code::DeadlineExceeded, HasSubstr("run of 'model in memory': timeout of 1 ms")));
  EXPECT_THAT(fromC(kiln_session_synchronize(session, 1)),
              StatusIs(Code::DeadlineExceeded, HasSubstr("1 ns")));
  runtime.device.neverEnds = false;
  EXPECT_OK(fromC(kiln_session_synchronize(session, KILN_WAIT_FOREVER)));
  EXPECT_EQ(runtime.device.launches, 1u);
}

TEST_F(CApiTest, AFaultNamesTheLaunchPoisonsAndIsHealedByReset) {
  ASSERT_OK(run({1, 2, 3}));
  ProgramMaker faulty = smallProgram();
  faulty.body(launch(faulty.kernel(kernelObject("fault", {"out"})), {range(1)}, {}, "conv_1", "m: node 'c'"));
  std::vector<uint8_t> bytes = pack(faulty.program);
  runtime.device.kernels["add"] = runtime.device.kernels["mul"];
  KilnModel *second = nullptr;
  ASSERT_OK(fromC(kiln_model_load_memory(&runtime.instance, bytes.data(), bytes.size(), nullptr, &second)));
  std::swap(model, second);
  auto fault = StatusIs(Code::Internal, HasSubstr("launch 'conv_1' (m: node 'c')"));
  EXPECT_THAT(run({1, 2, 3, 4}), fault);
  std::swap(model, second);
  EXPECT_THAT(run({1, 2, 3}), fault) << "the queue stays poisoned";
  ASSERT_OK(fromC(kiln_session_reset(session)));
  EXPECT_OK(run({1, 2, 3}));
  kiln_model_release(second);
}

TEST_F(CApiTest, AProgramFileIsNotImportedForShapesOrAPrecision) {
  ProgramMaker maker = smallProgram();
  std::vector<uint8_t> bytes = pack(maker.program);
  auto input = sized<KilnTensor>();
  auto options = sized<KilnModelOptions>();
  options.inputs = &input;
  options.input_count = 1;
  KilnModel *loaded = nullptr;
  EXPECT_THAT(
      fromC(kiln_model_load_memory(&runtime.instance, bytes.data(), bytes.size(), &options, &loaded)),
      StatusIs(Code::InvalidArgument, HasSubstr("a program file, with input shapes to import it for")));
  options.input_count = 0;
  options.precision = KILN_F16;
  EXPECT_THAT(
      fromC(kiln_model_load_memory(&runtime.instance, bytes.data(), bytes.size(), &options, &loaded)),
      StatusIs(Code::InvalidArgument, HasSubstr("a program file, with precision f16 to import it in")));
}

// An op's number in the kernel becomes its place in the model; a number that means no op stays.
TEST_F(CApiTest, CompileFailuresNameTheModelsOps) {
  runtime.fakeCompiler.compileFailure =
      unimplemented("kernel:1:0: 'kiln.exp' on f64\nkernel:9:0: x\nkernel:y");
  EXPECT_THAT(run({1, 2, 3}),
              StatusIs(Code::Unimplemented, HasSubstr("kernel 'mul': fake.onnx: node 'mul_1': 'kiln.exp' "
                                                      "on f64\nkernel:9:0: x\nkernel:y")));
}

TEST_F(CApiTest, CompileFailuresNameKernelAndLaunch) {
  runtime.fakeCompiler.compileFailure = unimplemented("op 'kiln.nms': no lowering for 'fake'");
  EXPECT_THAT(run({1, 2, 3}),
              StatusIs(Code::Unimplemented,
                       "launch 'mul_1' (fake.onnx: node 'mul_1'): kernel 'mul': op 'kiln.nms': no "
                       "lowering for 'fake'"));
  runtime.fakeCompiler.importFailure = invalidArgument("model.onnx: byte 7: no protobuf");
  KilnModel *second = nullptr;
  EXPECT_THAT(fromC(kiln_model_load_memory(&runtime.instance, "x", 1, nullptr, &second)),
              StatusIs(Code::InvalidArgument, "model.onnx: byte 7: no protobuf"));
}

TEST_F(CApiTest, AKernelThatTheDeviceCannotRunIsRefusedBeforeItIsLoaded) {
  ProgramMaker maker = smallProgram();
  schema::KernelObjectT object = kernelObject("mul", {"out"});
  object.required_features = "+a,+avx9";
  object.key = Sha256::of(std::string_view("other"));
  maker.body(launch(maker.kernel(object), {range(1)}));
  std::vector<uint8_t> bytes = pack(maker.program);
  runtime.device.kernels["add"] = runtime.device.kernels["mul"];
  KilnModel *program = nullptr;
  ASSERT_OK(fromC(kiln_model_load_memory(&runtime.instance, bytes.data(), bytes.size(), nullptr, &program)));
  std::swap(model, program);
  EXPECT_THAT(run({1, 2, 3, 4}),
              StatusIs(Code::FailedPrecondition, HasSubstr("kernel 'mul': needs +avx9; 'fake:0' has +a,+b")));
  kiln_model_release(program);
}

TEST_F(CApiTest, FilesThatAreNotThereAreNamed) {
  KilnModel *none = nullptr;
  EXPECT_THAT(fromC(kiln_model_load_file(&runtime.instance, toStr("/no/such.onnx"), nullptr, &none)),
              StatusIs(Code::NotFound, "model '/no/such.onnx': no such file"));
  EXPECT_THAT(fromC(kiln_model_load_file(&runtime.instance, toStr("/tmp"), nullptr, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("is a directory")));
  EXPECT_THAT(
      fromC(kiln_model_load_file(&runtime.instance, toStr("/dev/zero"), nullptr, &none)),
      StatusIs(Code::InvalidArgument, HasSubstr("a device, pipe or socket; expected a regular file")));
  EXPECT_THAT(fromC(kiln_model_load_file(&runtime.instance, toStr(""), nullptr, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("'path'")));
  EXPECT_THAT(fromC(kiln_model_load_memory(&runtime.instance, nullptr, 0, nullptr, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("'data'")));
}

TEST_F(CApiTest, NullArgumentsAreNamed) {
  KilnRun *result = nullptr;
  EXPECT_THAT(fromC(kiln_session_run(nullptr, model, nullptr, 0, nullptr, &result)),
              StatusIs(Code::InvalidArgument, "argument 'session': null; expected an object"));
  EXPECT_THAT(fromC(kiln_session_run(session, nullptr, nullptr, 0, nullptr, &result)),
              StatusIs(Code::InvalidArgument, HasSubstr("'model'")));
  EXPECT_THAT(fromC(kiln_session_run(session, model, nullptr, 2, nullptr, &result)),
              StatusIs(Code::InvalidArgument, HasSubstr("'inputs'")));
  EXPECT_THAT(fromC(kiln_buffer_allocate(session, 1, nullptr)),
              StatusIs(Code::InvalidArgument, HasSubstr("'out_buffer'")));
  kiln_session_release(nullptr);
  kiln_run_release(nullptr);
}

TEST_F(CApiTest, SessionOptionsAreChecked) {
  KilnSession *none = nullptr;
  auto options = sized<KilnSessionOptions>();
  options.device = toStr("gpu");
  EXPECT_THAT(fromC(kiln_session_open(&runtime.instance, &options, &none)),
              StatusIs(Code::NotFound, "unknown device 'gpu'; 'fake' is ready"));
  options.device = {};
  options.device_options = toStr("wrong=1");
  EXPECT_THAT(fromC(kiln_session_open(&runtime.instance, &options, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("no option 'wrong=1'")));
  options.device_options = {};
  options.parallel.run = [](void *, size_t, KilnParallelFn, void *) {};
  EXPECT_THAT(fromC(kiln_session_open(&runtime.instance, &options, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("concurrency 0")));
  options.parallel.concurrency = 2;
  options.allocator.allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  EXPECT_THAT(fromC(kiln_session_open(&runtime.instance, &options, &none)),
              StatusIs(Code::InvalidArgument, HasSubstr("expected both or none")));
}

} // namespace
} // namespace kiln
