// CApiFixture.h: a session and a model of the fake compiler, for the tests of kiln.h.
#ifndef KILN_TESTS_UNIT_RUNTIME_CAPIFIXTURE_H
#define KILN_TESTS_UNIT_RUNTIME_CAPIFIXTURE_H

#include "tests/unit/runtime/FakeRuntime.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::testing {

template <typename T> T sized() {
  T value = {};
  value.struct_size = sizeof(T);
  return value;
}

/// A session, a model of the fake compiler, and runs of it on aligned floats.
class CApiTest : public ::testing::Test {
protected:
  explicit CApiTest(KernelBudget budget = {}) : runtime(budget) {}
  void SetUp() override {
    ASSERT_OK(fromC(kiln_session_open(&runtime.instance, nullptr, &session)));
    ASSERT_OK(fromC(kiln_model_load_memory(&runtime.instance, "model", 5, nullptr, &model)));
  }
  void TearDown() override {
    kiln_model_release(model);
    kiln_session_release(session);
    EXPECT_EQ(runtime.device.devicesOpen, 0u) << "everything was released";
    EXPECT_EQ(runtime.device.bytesInUse, 0u);
    EXPECT_EQ(runtime.device.imports, 0u);
    EXPECT_EQ(runtime.fakeCompiler.modelsAlive, 0);
  }
  static KilnTensor tensorOf(const std::vector<float> &values, std::string_view name = "x") {
    auto tensor = sized<KilnTensor>();
    tensor.name = toStr(name);
    tensor.dtype = KILN_F32;
    tensor.rank = 1;
    tensor.dims[0] = static_cast<int64_t>(values.size());
    tensor.data = const_cast<float *>(values.data());
    tensor.data_bytes = values.size() * sizeof(float);
    return tensor;
  }
  Status run(const std::vector<float> &values, KilnRunOptions options = sized<KilnRunOptions>()) {
    return run(tensorOf(values), options);
  }
  // Keeps the outputs' values in `got`.
  Status run(const KilnTensor &input, KilnRunOptions options = sized<KilnRunOptions>()) {
    KilnRun *result = nullptr;
    KILN_RETURN_IF_ERROR(fromC(kiln_session_run(session, model, &input, 1, &options, &result)));
    auto output = sized<KilnTensor>();
    Status status = fromC(kiln_run_output(result, 0, &output));
    if (status.ok())
      got.assign(static_cast<float *>(output.data), static_cast<float *>(output.data) + output.dims[0]);
    kiln_run_release(result);
    return status;
  }
  KilnCompileStats stats() {
    auto result = sized<KilnCompileStats>();
    EXPECT_OK(fromC(kiln_session_compile_stats(session, &result)));
    return result;
  }

  FakeRuntime runtime;
  KilnSession *session = nullptr;
  KilnModel *model = nullptr;
  std::vector<float> got;
};

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_RUNTIME_CAPIFIXTURE_H
