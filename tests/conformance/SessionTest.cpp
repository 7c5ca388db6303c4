// SessionTest.cpp: wrong inputs and wrong options are refused by name, and leave the device usable.
#include "tests/conformance/Harness.h"

namespace kiln::conformance {
namespace {

using ::testing::AllOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using tools::sized;
using tools::take;

constexpr std::string_view kText =
    "func.func @main(%x: tensor<2x?xf32> {kiln.name = \"x\"}) -> tensor<2x?xf32> {\n"
    "  %y = kiln.neg %x : tensor<2x?xf32>\n  return %y : tensor<2x?xf32>\n}\n";

class SessionTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    auto options = sized<KilnModelOptions>();
    options.format = toStr("mlir");
    KilnModel *loaded = nullptr;
    ASSERT_OK(take(kiln_model_load_memory(DeviceUnderTest::get().instance(), kText.data(), kText.size(),
                                          &options, &loaded)));
    model.reset(loaded);
    tensor.struct_size = sizeof tensor;
    tensor.name = toStr("x");
    tensor.dtype = KILN_F32;
    tensor.rank = 2;
    tensor.dims[0] = 2;
    tensor.dims[1] = 3;
    tensor.data = data;
    tensor.data_bytes = sizeof data;
  }
  Status run() {
    KilnRun *run = nullptr;
    Status status =
        take(kiln_session_run(DeviceUnderTest::get().session(), model.get(), &tensor, 1, nullptr, &run));
    if (status.ok())
      status = take(kiln_run_wait(run, KILN_WAIT_FOREVER));
    kiln_run_release(run);
    return status;
  }
  // Refused with the name of the input and what was expected.
  void expectRefused(const std::string &expected) {
    CONFORM_THAT(run(), testing::StatusIs(Code::InvalidArgument, AllOf(HasSubstr("x"), HasSubstr(expected))));
  }
  float data[6] = {1, 2, 3, 4, 5, 6};
  KilnTensor tensor = {};
  tools::ModelHandle model;
};

TEST_F(SessionTest, ARightInputRuns) { CONFORM_OK(run()); }

TEST_F(SessionTest, AWrongNameIsRefused) {
  tensor.name = toStr("z");
  CONFORM_THAT(run(), testing::StatusIs(Code::InvalidArgument, HasSubstr("'z'")));
}

TEST_F(SessionTest, AWrongRankIsRefused) {
  tensor.rank = 1;
  tensor.dims[0] = 6;
  expectRefused("rank");
}

TEST_F(SessionTest, AWrongExtentIsRefused) {
  tensor.dims[0] = 3;
  tensor.dims[1] = 2;
  expectRefused("2");
}

TEST_F(SessionTest, AWrongTypeIsRefused) {
  tensor.dtype = KILN_I32;
  expectRefused("f32");
}

TEST_F(SessionTest, TooFewBytesAreRefused) {
  tensor.data_bytes = 23;
  expectRefused("23");
}

TEST_F(SessionTest, AnUnknownDeviceOptionIsRefusedByName) {
  auto options = sized<KilnSessionOptions>();
  std::string name = device().name();
  options.device = toStr(name);
  options.device_options = toStr("no-such-option=1");
  KilnSession *session = nullptr;
  Status status = take(kiln_session_open(DeviceUnderTest::get().instance(), &options, &session));
  CONFORM_THAT(status, testing::StatusIs(Code::InvalidArgument, HasSubstr("'no-such-option'")));
  CONFORM_THAT(session, Eq(nullptr));
}

TEST_F(SessionTest, AnOrdinalBeyondTheLastIsRefused) {
  CONFORM_THAT(DeviceUnderTest::get().registry().resolve(device().type().name + ":4000000"),
               testing::StatusIs(Code::NotFound, HasSubstr(device().type().name)));
}

TEST_F(SessionTest, IrThatIsNoneIsRefusedWithItsPlace) {
  std::string text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = kiln.nonsense %x\n}";
  auto options = sized<KilnModelOptions>();
  options.format = toStr("mlir");
  options.name = toStr("wrong.mlir");
  KilnModel *loaded = nullptr;
  Status status = take(
      kiln_model_load_memory(DeviceUnderTest::get().instance(), text.data(), text.size(), &options, &loaded));
  CONFORM_THAT(status, testing::StatusIs(Code::InvalidArgument, HasSubstr("2:")));
}

} // namespace
} // namespace kiln::conformance
