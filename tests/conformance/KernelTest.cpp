// KernelTest.cpp: compiles kernels for the device through the C API, runs them and compares with the
// references.
#include "tests/conformance/Harness.h"
#include "tests/conformance/KernelCases.h"
#include "tests/conformance/Refusal.h"

#include <random>

namespace kiln::conformance {
namespace {

using ::testing::Eq;
using ::testing::IsTrue;
using tools::HostTensor;
using tools::sized;
using tools::take;

bool isInteger(KilnDType dtype) { return toleranceFor(dtype, 1).atol == 0; }

HostTensor randomTensor(const InputSpec &spec, const std::vector<int64_t> &dims, std::mt19937_64 &generator) {
  HostTensor tensor = *tools::makeTensor("", spec.dtype, dims);
  std::uniform_real_distribution<double> real(spec.low, spec.high);
  std::uniform_int_distribution<int64_t> whole(static_cast<int64_t>(spec.low),
                                               static_cast<int64_t>(spec.high));
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    tensor.setElement(i, isInteger(spec.dtype) ? static_cast<double>(whole(generator)) : real(generator));
  return tensor;
}

// As the device will see it: rounded to the element type.
Numbers toNumbers(const HostTensor &tensor) {
  Numbers numbers{tensor.dims, {}};
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    numbers.values.push_back(tensor.element(i));
  return numbers;
}

KilnTensor view(HostTensor &tensor) {
  auto result = sized<KilnTensor>();
  result.dtype = tensor.dtype;
  result.rank = static_cast<uint32_t>(tensor.dims.size());
  std::copy(tensor.dims.begin(), tensor.dims.end(), result.dims);
  result.data = tensor.bytes.data();
  result.data_bytes = tensor.bytes.size();
  return result;
}

class KernelTest : public DeviceTest, public ::testing::WithParamInterface<KernelCase> {
protected:
  Status load(const std::string &text) {
    auto options = sized<KilnModelOptions>();
    options.format = toStr("mlir");
    options.name = toStr(GetParam().name);
    KilnModel *loaded = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_model_load_memory(DeviceUnderTest::get().instance(), text.data(),
                                                     text.size(), &options, &loaded)));
    model.reset(loaded);
    return {};
  }
  static std::vector<KilnTensor> viewsOf(std::vector<HostTensor> &inputs) {
    std::vector<KilnTensor> views;
    for (HostTensor &input : inputs)
      views.push_back(view(input));
    return views;
  }
  Status prepare(std::vector<HostTensor> &inputs) {
    std::vector<KilnTensor> views = viewsOf(inputs);
    return take(
        kiln_session_prepare(DeviceUnderTest::get().session(), model.get(), views.data(), views.size()));
  }
  Result<HostTensor> run(std::vector<HostTensor> &inputs) {
    std::vector<KilnTensor> views = viewsOf(inputs);
    auto options = sized<KilnRunOptions>();
    KilnRun *started = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_session_run(DeviceUnderTest::get().session(), model.get(), views.data(),
                                               views.size(), &options, &started)));
    tools::RunHandle run(started);
    KILN_RETURN_IF_ERROR(take(kiln_run_wait(run.get(), KILN_WAIT_FOREVER)));
    auto output = sized<KilnTensor>();
    KILN_RETURN_IF_ERROR(take(kiln_run_output(run.get(), 0, &output)));
    KILN_ASSIGN_OR_RETURN(HostTensor result,
                          tools::makeTensor("", output.dtype, {output.dims, output.dims + output.rank}));
    memcpy(result.bytes.data(), output.data, result.bytes.size());
    return result;
  }
  void compare(const HostTensor &got, const Numbers &want) {
    CONFORM_THAT(got.dtype, Eq(GetParam().result));
    CONFORM_THAT(got.dims, Eq(want.dims));
    CaseTolerance tolerance = toleranceFor(GetParam().result, GetParam().toleranceScale);
    int64_t wrong = 0, worst = 0;
    double worstMultiple = 0;
    for (int64_t i = 0; i < want.count(); ++i) {
      double bound = tolerance.atol + tolerance.rtol * std::fabs(want.values[i]);
      double error = std::fabs(got.element(i) - want.values[i]);
      if (error <= bound)
        continue;
      ++wrong;
      double multiple = bound > 0 ? error / bound : error;
      if (!(multiple <= worstMultiple)) { // a NaN is the worst
        worstMultiple = multiple;
        worst = i;
      }
    }
    CONFORM_THAT(wrong, Eq(0)) << "of " << want.count() << " elements; worst at " << worst << ": got "
                               << got.element(worst) << ", want " << want.values[worst] << " ("
                               << worstMultiple << " times the bound)";
  }
  tools::ModelHandle model;
};

TEST_P(KernelTest, MatchesItsReference) {
  const KernelCase &kernel = GetParam();
  CONFORM_OK(load(kernel.text));
  std::mt19937_64 generator(7);
  for (const auto &shapes : kernel.shapes) {
    std::vector<HostTensor> inputs;
    std::vector<Numbers> numbers;
    for (size_t i = 0; i < shapes.size(); ++i) {
      inputs.push_back(randomTensor(kernel.inputs[i], shapes[i], generator));
      numbers.push_back(toNumbers(inputs.back()));
    }
    // A refusal says at compile time which op cannot be had; anything else, and any later, is a failure.
    Status prepared = prepare(inputs);
    if (prepared.code() == Code::Unimplemented) {
      CONFORM_THAT(namesAnOp(prepared.message(), opsOf(kernel.text)), IsTrue())
          << "a refusal that names no op of the kernel: " << prepared.message();
      CONFORM_REFUSED("kernel '" + kernel.name + "'", prepared);
    }
    CONFORM_OK(prepared);
    Result<HostTensor> got = run(inputs);
    CONFORM_OK(got);
    if (!DeviceUnderTest::get().description().computesNothing)
      ASSERT_NO_FATAL_FAILURE(compare(*got, kernel.reference(numbers)));
  }
  if (DeviceUnderTest::get().description().computesNothing)
    GTEST_SKIP() << "ran; '" << device().name() << "' computes nothing, so that results cannot be compared";
}

std::string caseName(const ::testing::TestParamInfo<KernelCase> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, KernelTest, ::testing::ValuesIn(elementwiseCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Structured, KernelTest, ::testing::ValuesIn(structuredCases()), caseName);

} // namespace
} // namespace kiln::conformance
