// CApiTest.cpp: kiln.h over a fake device and compiler: models, runs, buffers, profiles, saving.
#include "tests/unit/runtime/CApiFixture.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(CApiTest, ValuesHaveNames) {
  EXPECT_STREQ(kiln_code_name(KILN_NOT_FOUND), "NOT_FOUND");
  EXPECT_STREQ(kiln_dtype_name(KILN_BF16), "bf16");
  EXPECT_EQ(kiln_dtype_bits(KILN_I4), 4u);
  EXPECT_EQ(std::string(kiln_version()).find("0."), 0u);
  EXPECT_EQ(toView(kiln_session_device(session)), "fake:0");
}

TEST_F(CApiTest, DevicesAreListed) {
  std::vector<std::string> names;
  ASSERT_OK(fromC(kiln_instance_devices(
      &runtime.instance,
      [](void *arg, const KilnDeviceEntry *entry) {
        static_cast<std::vector<std::string> *>(arg)->push_back(capi::text(entry->name));
      },
      &names)));
  EXPECT_THAT(names, ElementsAre("fake:0", "fake:1"));
}

TEST_F(CApiTest, TargetsTellTheirTypesWithNoDeviceOpen) {
  KilnTargetInfo target = {};
  target.struct_size = sizeof(target);
  ASSERT_OK(fromC(kiln_instance_target(&runtime.instance, toStr("fake"), {}, &target)));
  EXPECT_EQ(toView(target.features), "+a,+b");
  EXPECT_EQ(target.storage_types, KILN_TYPES_ALL);
  EXPECT_EQ(target.arithmetic_types, KILN_TYPE_BIT(KILN_F32));
  EXPECT_THAT(fromC(kiln_instance_target(&runtime.instance, toStr("fake"), toStr("bad"), &target)),
              StatusIs(Code::InvalidArgument, HasSubstr("target 'fake': option 'bad'")));
  EXPECT_THAT(fromC(kiln_instance_target(&runtime.instance, toStr("nosuch"), {}, &target)),
              StatusIs(Code::NotFound, HasSubstr("nosuch")));
  target.struct_size = 0;
  EXPECT_THAT(fromC(kiln_instance_target(&runtime.instance, toStr("fake"), {}, &target)),
              StatusIs(Code::InvalidArgument, HasSubstr("struct_size 0")));
}

TEST_F(CApiTest, CompileStagesNeedAVisitorAndACompilerThatKeepsThem) {
  EXPECT_THAT(fromC(kiln_instance_compile_stages(&runtime.instance, nullptr, nullptr)).message(),
              HasSubstr("argument 'visit': null"));
  size_t stages = 0; // the fake compiler keeps none
  ASSERT_OK(fromC(kiln_instance_compile_stages(
      &runtime.instance, [](void *arg, const KilnCompileStage *) { ++*static_cast<size_t *>(arg); },
      &stages)));
  EXPECT_EQ(stages, 0u);
}

TEST_F(CApiTest, PortsAreDescribed) {
  EXPECT_EQ(kiln_model_input_count(model), 1u);
  EXPECT_EQ(kiln_model_output_count(model), 1u);
  auto info = sized<KilnPortInfo>();
  ASSERT_OK(fromC(kiln_model_input(model, 0, &info)));
  EXPECT_EQ(toView(info.name), "x");
  EXPECT_EQ(info.dims[0], -1);
  EXPECT_EQ(toView(info.dim_names[0]), "N");
  EXPECT_THAT(fromC(kiln_model_output(model, 3, &info)),
              StatusIs(Code::OutOfRange, "output 3; the model has 1"));
  info.struct_size = 0;
  EXPECT_THAT(fromC(kiln_model_output(model, 0, &info)),
              StatusIs(Code::InvalidArgument, HasSubstr("struct_size 0")));
}

TEST_F(CApiTest, RunsAndCompilesOnce) {
  ASSERT_OK(run({1, 2, 3}));
  EXPECT_THAT(got, ElementsAre(2, 4, 6));
  ASSERT_OK(run({4, 5, 6}));
  EXPECT_THAT(got, ElementsAre(8, 10, 12));
  EXPECT_EQ(runtime.fakeCompiler.programs, 1);
  EXPECT_EQ(runtime.fakeCompiler.compiles, 1);
  EXPECT_EQ(stats().kernels_compiled, 1u);
  EXPECT_EQ(stats().misses, 1u);
}

TEST_F(CApiTest, AModelThatNeedsShapesHasAProgramForEachOfThem) {
  runtime.fakeCompiler.needsShapes = true;
  for (size_t length : {3, 2, 5, 3, 2}) {
    ASSERT_OK(run(std::vector<float>(length, 1)));
    EXPECT_EQ(got, std::vector<float>(length, 2));
  }
  EXPECT_EQ(runtime.fakeCompiler.dynamicRequests, 0);
  EXPECT_EQ(runtime.fakeCompiler.programs, 3);
  EXPECT_EQ(runtime.fakeCompiler.shapedImports, 3) << "programs are kept by shapes";
  EXPECT_EQ(runtime.fakeCompiler.imports, 1);
}

TEST_F(CApiTest, AModelIsImportedForShapesAndPrecisionOfItsOptions) {
  KilnTensor inputs[] = {sized<KilnTensor>(), sized<KilnTensor>()};
  inputs[0].name = toStr("x");
  inputs[0].rank = 2;
  inputs[0].dims[0] = 4, inputs[0].dims[1] = 5;
  auto options = sized<KilnModelOptions>();
  options.inputs = inputs;
  options.input_count = 2;
  options.precision = KILN_BF16;
  KilnModel *shaped = nullptr;
  ASSERT_OK(fromC(kiln_model_load_memory(&runtime.instance, "model", 5, &options, &shaped)));
  EXPECT_EQ(runtime.fakeCompiler.importShapes, "x=4x5 = ");
  EXPECT_EQ(runtime.fakeCompiler.importPrecision, KILN_BF16);
  kiln_model_release(shaped);

  auto refused = [&](const char *message) {
    EXPECT_THAT(fromC(kiln_model_load_memory(&runtime.instance, "model", 5, &options, &shaped)),
                StatusIs(Code::InvalidArgument, HasSubstr(message)));
  };
  inputs[1].rank = 17;
  refused("input 1: rank 17; at most 16");
  inputs[1] = {};
  refused("input 1: struct_size 0; expected");
  options.inputs = nullptr;
  refused("argument 'options.inputs': null");
  options.precision = KILN_F64;
  refused("options.precision: element type f64; expected f16 or bf16");
}

TEST_F(CApiTest, ASecondValueOfADynamicExtentMakesItDynamic) {
  ASSERT_OK(run({1, 2, 3}));
  ASSERT_OK(run({1, 2}));
  EXPECT_THAT(got, ElementsAre(2, 4));
  ASSERT_OK(run({1, 2, 3, 4, 5}));
  EXPECT_THAT(got, ElementsAre(2, 4, 6, 8, 10));
  EXPECT_EQ(runtime.fakeCompiler.dynamicRequests, 1);
  EXPECT_EQ(runtime.fakeCompiler.programs, 2) << "one static, one dynamic for all later shapes";
  ASSERT_OK(run(std::vector<float>{7}));
  EXPECT_THAT(got, ElementsAre(14));
  EXPECT_EQ(runtime.fakeCompiler.programs, 3)
      << "an extent of 1 may mean broadcasting: it has its own program";
  EXPECT_EQ(runtime.fakeCompiler.dynamicRequests, 1);
}

TEST_F(CApiTest, ADynamicProgramThatCannotBeIsReplacedByStaticOnes) {
  runtime.fakeCompiler.refusesDynamic = true;
  for (const std::vector<float> &values : {std::vector<float>{1}, {1, 2}, {1, 2, 3}, {5, 6}})
    ASSERT_OK(run(values));
  EXPECT_THAT(got, ElementsAre(10, 12));
  EXPECT_EQ(runtime.fakeCompiler.dynamicRequests, 1) << "asked once";
  EXPECT_EQ(runtime.fakeCompiler.programs, 3);
}

TEST_F(CApiTest, SessionsShareProgramsAndKernels) {
  ASSERT_OK(run({1, 2, 3}));
  KilnSession *second = nullptr;
  ASSERT_OK(fromC(kiln_session_open(&runtime.instance, nullptr, &second)));
  std::swap(session, second);
  ASSERT_OK(run({1, 2, 3}));
  EXPECT_EQ(runtime.fakeCompiler.programs, 1);
  EXPECT_EQ(runtime.fakeCompiler.compiles, 1);
  EXPECT_EQ(stats().memory_hits, 1u);
  kiln_session_release(second);
}

TEST_F(CApiTest, StridedHostInputsAreGathered) {
  std::vector<float> values = {1, 9, 2, 9, 3};
  KilnTensor tensor = tensorOf(values);
  tensor.dims[0] = 3;
  tensor.strides[0] = 2;
  ASSERT_OK(run(tensor));
  EXPECT_THAT(got, ElementsAre(2, 4, 6));
}

TEST_F(CApiTest, EmptyTensorsRun) {
  ASSERT_OK(run(std::vector<float>{}));
  EXPECT_TRUE(got.empty());
}

TEST_F(CApiTest, ADeviceWithItsOwnMemoryGivesTheSameResults) {
  KilnSession *hostMemory = session;
  runtime.device.isHostMemory = false;
  ASSERT_OK(fromC(kiln_session_open(&runtime.instance, nullptr, &session)));
  kiln_session_release(hostMemory);
  ASSERT_OK(run({1, 2, 3}));
  EXPECT_THAT(got, ElementsAre(2, 4, 6));
  std::vector<float> values = {1, 9, 2, 9};
  KilnTensor tensor = tensorOf(values);
  tensor.dims[0] = 2;
  tensor.strides[0] = 2;
  ASSERT_OK(run(tensor));
  EXPECT_THAT(got, ElementsAre(2, 4));
}

TEST_F(CApiTest, RunIntoFillsHostMemoryAndBuffers) {
  std::vector<float> in = {1, 2, 3};
  KilnTensor input = tensorOf(in);
  for (size_t misalignment :
       {0, 1}) { // aligned memory is written to by the device, other memory is copied to
    auto *memory = static_cast<float *>(std::aligned_alloc(64, 128));
    auto output = sized<KilnTensor>();
    output.name = toStr("y");
    output.data = memory + misalignment;
    output.data_bytes = 12;
    KilnRun *result = nullptr;
    ASSERT_OK(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)));
    EXPECT_EQ(output.rank, 1u);
    EXPECT_EQ(output.dims[0], 3);
    EXPECT_EQ(output.dtype, KILN_F32);
    const float *values = memory + misalignment;
    EXPECT_THAT(std::vector<float>(values, values + 3), ElementsAre(2, 4, 6));
    kiln_run_release(result);
    output.data_bytes = 8;
    EXPECT_THAT(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)),
                StatusIs(Code::InvalidArgument, "output 'y': 8 bytes were given; it needs 12"));
    std::free(memory);
  }
  KilnBuffer *buffer = nullptr;
  ASSERT_OK(fromC(kiln_buffer_allocate(session, 76, &buffer)));
  auto output = sized<KilnTensor>();
  output.buffer = buffer;
  output.buffer_offset = 64;
  KilnRun *result = nullptr;
  ASSERT_OK(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)));
  float values[3];
  ASSERT_OK(fromC(kiln_buffer_read(buffer, 64, values, 12)));
  EXPECT_THAT(values, ElementsAre(2, 4, 6));
  kiln_run_release(result);
  output.buffer_offset = 68;
  EXPECT_THAT(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)),
              StatusIs(Code::InvalidArgument, "output 'y': a buffer with 8 bytes was given; it needs 12"));
  output.buffer_offset = 100;
  EXPECT_THAT(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)),
              StatusIs(Code::InvalidArgument, HasSubstr("offset 100 in a buffer of 76 bytes")));
  output.buffer = nullptr;
  EXPECT_THAT(fromC(kiln_session_run_into(session, model, &input, 1, &output, 1, nullptr, &result)),
              StatusIs(Code::InvalidArgument, HasSubstr("exactly one of data and buffer")));
  kiln_buffer_release(buffer);
}

TEST_F(CApiTest, BuffersAreInputsAndOutputsWithoutACopy) {
  KilnBuffer *buffer = nullptr, *part = nullptr;
  float in[3] = {1, 2, 3};
  ASSERT_OK(fromC(kiln_buffer_allocate(session, 128, &buffer)));
  ASSERT_OK(fromC(kiln_buffer_subrange(buffer, 64, 12, &part)));
  EXPECT_EQ(kiln_buffer_address(part), kiln_buffer_address(buffer) + 64);
  EXPECT_EQ(kiln_buffer_bytes(part), 12u);
  ASSERT_OK(fromC(kiln_buffer_write(part, 0, in, 12)));
  KilnBuffer *found = nullptr;
  ASSERT_OK(fromC(kiln_buffer_at(session, kiln_buffer_address(part) + 4, 8, &found)));
  float second = 0;
  ASSERT_OK(fromC(kiln_buffer_read(found, 0, &second, 4)));
  EXPECT_EQ(second, 2);
  kiln_buffer_release(found);
  EXPECT_THAT(fromC(kiln_buffer_at(session, kiln_buffer_address(buffer) + 64, 128, &found)),
              StatusIs(Code::NotFound, HasSubstr("no allocation holds 128 bytes")));
  KilnTensor input = tensorOf({1, 2, 3});
  input.data = nullptr;
  input.buffer = part;
  KilnRun *result = nullptr;
  ASSERT_OK(fromC(kiln_session_run(session, model, &input, 1, nullptr, &result)));
  auto output = sized<KilnTensor>();
  ASSERT_OK(fromC(kiln_run_output_buffer(result, 0, &output)));
  kiln_run_release(result); // the buffer is a reference of its own
  float out[3];
  ASSERT_OK(fromC(kiln_buffer_read(output.buffer, 0, out, 12)));
  EXPECT_THAT(out, ElementsAre(2, 4, 6));
  EXPECT_THAT(fromC(kiln_buffer_read(output.buffer, 8, out, 8)),
              StatusIs(Code::OutOfRange, HasSubstr("it has 12")));
  EXPECT_THAT(fromC(kiln_buffer_subrange(part, 8, 8, &buffer)),
              StatusIs(Code::OutOfRange, HasSubstr("it has 12")));
  input.buffer_offset = 4;
  EXPECT_THAT(run(input),
              StatusIs(Code::InvalidArgument, "input 'x': buffer of 12 bytes at offset 4; shape 3 needs 12"));
  input.dims[0] = 2; // not aligned: copied on the device
  ASSERT_OK(run(input));
  EXPECT_THAT(got, ElementsAre(4, 6));
  EXPECT_EQ(runtime.device.copiedBytes, 8u);
  input.data = in;
  EXPECT_THAT(run(input), StatusIs(Code::InvalidArgument, HasSubstr("both data and buffer")));
  kiln_buffer_release(output.buffer);
  kiln_buffer_release(part);
  kiln_buffer_release(buffer);
}

TEST_F(CApiTest, ImportedMemoryIsReleasedByItsLastUser) {
  alignas(64) float in[16] = {1, 2, 3};
  bool released = false;
  KilnBuffer *buffer = nullptr;
  ASSERT_OK(fromC(kiln_buffer_import_host(
      session, in, sizeof(in), [](void *arg) { *static_cast<bool *>(arg) = true; }, &released, &buffer)));
  KilnTensor input = tensorOf({1, 2, 3});
  input.data = nullptr;
  input.buffer = buffer;
  ASSERT_OK(run(input));
  EXPECT_THAT(got, ElementsAre(2, 4, 6));
  EXPECT_FALSE(released);
  kiln_buffer_release(buffer);
  EXPECT_TRUE(released);
}

TEST_F(CApiTest, AsynchronousRunsCopyTheirInputsAndAreWaitedFor) {
  auto options = sized<KilnRunOptions>();
  options.asynchronous = 1;
  std::vector<float> values = {1, 2, 3};
  KilnTensor input = tensorOf(values);
  KilnRun *first = nullptr, *second = nullptr;
  ASSERT_OK(fromC(kiln_session_run(session, model, &input, 1, &options, &first)));
  values = {10, 20, 30};
  ASSERT_OK(fromC(kiln_session_run(session, model, &input, 1, &options, &second)));
  values = {0, 0, 0};
  EXPECT_EQ(runtime.device.launches, 0u) << "queued, not run";
  ASSERT_OK(fromC(kiln_run_wait(second, KILN_WAIT_FOREVER)));
  auto output = sized<KilnTensor>();
  ASSERT_OK(fromC(kiln_run_output(first, 0, &output)));
  EXPECT_EQ(static_cast<float *>(output.data)[2], 6);
  ASSERT_OK(fromC(kiln_run_output(second, 0, &output)));
  EXPECT_EQ(static_cast<float *>(output.data)[2], 60);
  kiln_run_release(first);
  kiln_run_release(second);
  ASSERT_OK(fromC(kiln_session_run(session, model, &input, 1, &options, &first)));
  kiln_run_release(first); // waits by itself
  EXPECT_EQ(runtime.device.launches, 3u);
}

TEST_F(CApiTest, ProfilesCarryKernelAndLocation) {
  auto options = sized<KilnRunOptions>();
  options.profile = 1;
  std::vector<float> values = {1, 2, 3};
  KilnTensor input = tensorOf(values);
  KilnRun *result = nullptr;
  ASSERT_OK(fromC(kiln_session_run(session, model, &input, 1, &options, &result)));
  ASSERT_EQ(kiln_run_launch_count(result), 1u);
  auto record = sized<KilnLaunchRecord>();
  ASSERT_OK(fromC(kiln_run_launch(result, 0, &record)));
  EXPECT_EQ(toView(record.name), "mul_1");
  EXPECT_EQ(toView(record.code_template), "fake-template");
  EXPECT_EQ(toView(record.location), "fake.onnx: node 'mul_1'");
  EXPECT_EQ(record.end_ns - record.start_ns, 2000u);
  EXPECT_EQ(record.flops, 64);
  EXPECT_THAT(fromC(kiln_run_launch(result, 1, &record)), StatusIs(Code::OutOfRange, HasSubstr("1 records")));
  ASSERT_OK(fromC(kiln_run_launch_details(result, 0, nullptr, nullptr, nullptr)));
  EXPECT_THAT(fromC(kiln_run_launch_details(result, 1, nullptr, nullptr, nullptr)),
              StatusIs(Code::OutOfRange, HasSubstr("1 records")));
  ASSERT_EQ(kiln_run_check_count(result), 1u);
  auto check = sized<KilnCheck>();
  ASSERT_OK(fromC(kiln_run_check(result, 0, &check)));
  EXPECT_EQ(check.rtol, 1e-4);
  EXPECT_EQ(toView(check.location), "fake.mlir:3");
  EXPECT_THAT(fromC(kiln_run_check(result, 1, &check)), StatusIs(Code::OutOfRange, "check 1; the run has 1"));
  auto output = sized<KilnTensor>();
  EXPECT_THAT(fromC(kiln_run_output(result, 1, &output)),
              StatusIs(Code::OutOfRange, "output 1; the run has 1"));
  kiln_run_release(result);
}

TEST_F(CApiTest, PrepareCompilesBeforeTheFirstRun) {
  KilnTensor shape = tensorOf({1, 2, 3});
  shape.data = nullptr;
  ASSERT_OK(fromC(kiln_session_prepare(session, model, &shape, 1)));
  EXPECT_EQ(runtime.fakeCompiler.compiles, 1);
  EXPECT_EQ(runtime.device.loads, 1u);
  EXPECT_EQ(stats().memory_hits, 0u) << "loading what was just compiled is no hit";
  ASSERT_OK(run({1, 2, 3}));
  EXPECT_EQ(runtime.fakeCompiler.compiles, 1);
}

TEST_F(CApiTest, SavedProgramsRunWithoutACompiler) {
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("kiln-capi-{}.kprog", ::getpid())).string();
  KilnTensor shape = tensorOf({1, 2, 3});
  shape.data = nullptr;
  ASSERT_OK(fromC(kiln_program_save(session, model, &shape, 1, toStr(path))));
  {
    FakeRuntime other;
    other.fakeCompiler.importFailure = internalError("the compiler must not be needed");
    other.fakeCompiler.compileFailure = other.fakeCompiler.importFailure;
    KilnSession *otherSession = nullptr;
    KilnModel *program = nullptr;
    ASSERT_OK(fromC(kiln_session_open(&other.instance, nullptr, &otherSession)));
    ASSERT_OK(fromC(kiln_model_load_file(&other.instance, toStr(path), nullptr, &program)));
    auto info = sized<KilnPortInfo>();
    ASSERT_OK(fromC(kiln_model_input(program, 0, &info)));
    EXPECT_EQ(info.dims[0], 3);
    std::vector<float> values = {1, 2, 3}, wrong = {1, 2};
    KilnTensor input = tensorOf(values), wrongInput = tensorOf(wrong);
    KilnRun *result = nullptr;
    ASSERT_OK(fromC(kiln_session_run(otherSession, program, &input, 1, nullptr, &result)));
    auto output = sized<KilnTensor>();
    ASSERT_OK(fromC(kiln_run_output(result, 0, &output)));
    EXPECT_EQ(static_cast<float *>(output.data)[2], 6);
    kiln_run_release(result);
    EXPECT_THAT(fromC(kiln_session_run(otherSession, program, &wrongInput, 1, nullptr, &result)),
                StatusIs(Code::InvalidArgument, "input 'x': shape 2; expected 3 (extent 0)"));
    EXPECT_THAT(
        fromC(kiln_session_emit(
            otherSession, program, &input, 1, toStr("tensor"), [](void *, const void *, size_t) {}, nullptr)),
        StatusIs(Code::FailedPrecondition, HasSubstr("holds no IR")));
    std::string function;
    ASSERT_OK(fromC(kiln_model_functions(
        &other.instance, toStr(path), nullptr,
        [](void *arg, KilnStr name) { *static_cast<std::string *>(arg) += toView(name); }, &function)));
    EXPECT_EQ(function, "main");
    EXPECT_EQ(other.fakeCompiler.imports, 0);
    kiln_model_release(program);
    kiln_session_release(otherSession);
  }
  std::filesystem::remove(path);
}

TEST_F(CApiTest, EmitAndFunctionsComeFromTheCompiler) {
  std::vector<float> values = {1, 2, 3};
  KilnTensor input = tensorOf(values);
  std::string text;
  auto sink = [](void *arg, const void *data, size_t bytes) {
    static_cast<std::string *>(arg)->assign(static_cast<const char *>(data), bytes);
  };
  ASSERT_OK(fromC(kiln_session_emit(session, model, &input, 1, toStr("tensor"), sink, &text)));
  EXPECT_EQ(text, "// 3 for fake\n");
  EXPECT_THAT(fromC(kiln_session_emit(session, model, &input, 1, toStr("x"), sink, &text)),
              StatusIs(Code::InvalidArgument, HasSubstr("'x' is no stage")));
}

TEST_F(CApiTest, AllocatorAndThreadsReachTheDevice) {
  auto options = sized<KilnSessionOptions>();
  options.threads = 3;
  options.memory_limit_bytes = 1 << 20;
  options.parallel = {[](void *, size_t, KilnParallelFn, void *) {}, this, 2, 0};
  options.allocator = {[](void *, size_t, size_t) -> void * { return nullptr; },
                       [](void *, void *, size_t, size_t) {}, this};
  KilnSession *second = nullptr;
  ASSERT_OK(fromC(kiln_session_open(&runtime.instance, &options, &second)));
  EXPECT_EQ(runtime.device.lastOpen.max_threads, 3u);
  EXPECT_EQ(runtime.device.lastOpen.parallel.self, this);
  EXPECT_EQ(runtime.device.lastOpen.allocator.self, this);
  kiln_session_release(second);
  auto stats = sized<KilnMemoryStats>();
  ASSERT_OK(fromC(kiln_session_memory(session, &stats)));
  EXPECT_EQ(stats.bytes_limit, runtime.device.memoryLimitBytes);
}

TEST(CompilerHandleTest, CandidatesStandBesideTheLibraryAndTheProgram) {
  std::vector<std::string> paths = CompilerHandle::candidates();
  ASSERT_FALSE(paths.empty());
  for (const std::string &path : paths)
    EXPECT_THAT(path, HasSubstr("libkiln_compiler.so"));
}

TEST(CompilerHandleTest, BlobsAreReleasedWithTheirLastReference) {
  int releases = 0;
  KilnBlob blob = {"abc", 3, [](void *owner) { ++*static_cast<int *>(owner); }, &releases};
  OwnedBytes bytes = takeBlob(blob), second = bytes;
  bytes = {};
  EXPECT_EQ(releases, 0);
  second = {};
  EXPECT_EQ(releases, 1);
}

} // namespace
} // namespace kiln
