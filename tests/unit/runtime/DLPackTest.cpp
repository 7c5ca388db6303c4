// DLPackTest.cpp: tensors of other frameworks in and out.
#include "tests/unit/runtime/FakeRuntime.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <dlpack/dlpack.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A DLManagedTensor over this object's memory that counts its deletions.
struct ForeignTensor {
  alignas(64) float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  DLManagedTensor managed = {};
  int deletions = 0;
  ForeignTensor() {
    managed.dl_tensor = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      ++static_cast<ForeignTensor *>(self->manager_ctx)->deletions;
    };
  }
};

class DLPackTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_OK(fromC(kiln_session_open(&runtime.instance, nullptr, &session))); }
  void TearDown() override {
    kiln_session_release(session);
    EXPECT_EQ(runtime.device.imports, 0u);
  }
  Status take(ForeignTensor &foreign) {
    tensor = {};
    tensor.struct_size = sizeof(tensor);
    return fromC(kiln_tensor_from_dlpack(session, &foreign.managed, &tensor));
  }
  FakeRuntime runtime;
  KilnSession *session = nullptr;
  KilnTensor tensor = {};
};

TEST_F(DLPackTest, ImportSharesMemoryUntilTheBufferIsReleased) {
  ForeignTensor foreign;
  ASSERT_OK(take(foreign));
  EXPECT_EQ(tensor.dtype, KILN_F32);
  EXPECT_THAT(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank), ElementsAre(2, 3));
  EXPECT_EQ(tensor.strides[0], 0) << "dense";
  EXPECT_EQ(kiln_buffer_address(tensor.buffer), reinterpret_cast<KilnDeviceAddress>(foreign.values));
  EXPECT_EQ(kiln_buffer_bytes(tensor.buffer), 24u);
  EXPECT_EQ(foreign.deletions, 0);
  kiln_buffer_release(tensor.buffer);
  EXPECT_EQ(foreign.deletions, 1);
}

TEST_F(DLPackTest, OffsetsAndStridesAreKept) {
  ForeignTensor foreign;
  foreign.managed.dl_tensor.byte_offset = 8;
  foreign.strides[0] = 1;
  foreign.strides[1] = 2;
  ASSERT_OK(take(foreign));
  EXPECT_EQ(kiln_buffer_address(tensor.buffer), reinterpret_cast<KilnDeviceAddress>(foreign.values + 2));
  EXPECT_THAT(std::vector<int64_t>(tensor.strides, tensor.strides + 2), ElementsAre(1, 2));
  EXPECT_EQ(kiln_buffer_bytes(tensor.buffer), 24u) << "1*1 + 2*2 + 1 elements";
  kiln_buffer_release(tensor.buffer);
}

TEST_F(DLPackTest, AnEmptyTensorIsTakenAndLetGoAtOnce) {
  ForeignTensor foreign;
  foreign.shape[1] = 0;
  foreign.managed.dl_tensor.data = nullptr;
  ASSERT_OK(take(foreign));
  EXPECT_EQ(foreign.deletions, 1);
  kiln_buffer_release(tensor.buffer);
}

TEST_F(DLPackTest, WhatCannotBeTakenStaysTheCallers) {
  auto refused = [&](auto damage, Code code, const char *message) {
    ForeignTensor foreign;
    damage(foreign);
    EXPECT_THAT(take(foreign), StatusIs(code, HasSubstr(message)));
    EXPECT_EQ(foreign.deletions, 0);
  };
  refused([](ForeignTensor &f) { f.managed.dl_tensor.device.device_type = kDLCUDA; }, Code::Unimplemented,
          "device type 2; expected host memory");
  refused([](ForeignTensor &f) { f.managed.dl_tensor.dtype.lanes = 4; }, Code::Unimplemented, "4 lanes");
  refused([](ForeignTensor &f) { f.managed.dl_tensor.dtype.code = kDLComplex; }, Code::Unimplemented,
          "code 5");
  refused([](ForeignTensor &f) { f.managed.dl_tensor.ndim = 33; }, Code::InvalidArgument,
          "rank 33; at most 16");
  refused([](ForeignTensor &f) { f.strides[0] = -3; }, Code::InvalidArgument, "stride -3");
  refused([](ForeignTensor &f) { f.shape[0] = f.shape[1] = INT64_MAX; }, Code::InvalidArgument, "overflow");
  runtime.device.isHostMemory = false;
  refused([](ForeignTensor &) {}, Code::Unimplemented, "import");
}

TEST_F(DLPackTest, ExportSharesTheBuffer) {
  KilnBuffer *buffer = nullptr;
  ASSERT_OK(fromC(kiln_buffer_allocate(session, 64, &buffer)));
  float values[6] = {1, 2, 3, 4, 5, 6};
  ASSERT_OK(fromC(kiln_buffer_write(buffer, 16, values, sizeof(values))));
  tensor.struct_size = sizeof(tensor);
  tensor.dtype = KILN_F32;
  tensor.rank = 2;
  tensor.dims[0] = 3;
  tensor.dims[1] = 2;
  tensor.buffer = buffer;
  tensor.buffer_offset = 16;
  void *managed = nullptr;
  ASSERT_OK(fromC(kiln_tensor_to_dlpack(session, &tensor, &managed)));
  kiln_buffer_release(buffer);
  auto *exported = static_cast<DLManagedTensor *>(managed);
  EXPECT_EQ(exported->dl_tensor.ndim, 2);
  EXPECT_EQ(exported->dl_tensor.strides[0], 2);
  EXPECT_EQ(static_cast<float *>(exported->dl_tensor.data)[5], 6);
  EXPECT_EQ(runtime.device.bytesInUse, 64u);
  exported->deleter(exported);
  EXPECT_EQ(runtime.device.bytesInUse, 0u);
}

TEST_F(DLPackTest, ExportRefusesWhatItCannotSay) {
  KilnBuffer *buffer = nullptr;
  void *managed = nullptr;
  ASSERT_OK(fromC(kiln_buffer_allocate(session, 64, &buffer)));
  tensor.struct_size = sizeof(tensor);
  tensor.dtype = KILN_F32;
  EXPECT_THAT(fromC(kiln_tensor_to_dlpack(session, &tensor, &managed)),
              StatusIs(Code::InvalidArgument, HasSubstr("no buffer")));
  tensor.buffer = buffer;
  tensor.dtype = KILN_I4;
  EXPECT_THAT(fromC(kiln_tensor_to_dlpack(session, &tensor, &managed)),
              StatusIs(Code::Unimplemented, HasSubstr("i4")));
  tensor.dtype = KILN_F32;
  tensor.rank = 1;
  tensor.dims[0] = 17;
  EXPECT_THAT(fromC(kiln_tensor_to_dlpack(session, &tensor, &managed)),
              StatusIs(Code::OutOfRange, HasSubstr("it has 64")));
  tensor.dims[0] = 4;
  tensor.strides[0] = 2;
  EXPECT_THAT(fromC(kiln_tensor_to_dlpack(session, &tensor, &managed)),
              StatusIs(Code::InvalidArgument, HasSubstr("expected a dense tensor")));
  kiln_buffer_release(buffer);
}

} // namespace
} // namespace kiln
