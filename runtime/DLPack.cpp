// DLPack.cpp: kiln.h: tensors of other frameworks, in and out, without a copy.
#include "runtime/CApi.h"
#include "runtime/DType.h"

#include <dlpack/dlpack.h>

#include <algorithm>

using namespace kiln;
using namespace kiln::capi;

namespace {

constexpr uint8_t kDLPackBool = 6; // kDLBool of later versions of dlpack.h

struct DTypePair {
  KilnDType dtype;
  uint8_t code, bits;
};
constexpr DTypePair kDLPackTypes[] = {
    {KILN_F16, kDLFloat, 16},  {KILN_BF16, kDLBfloat, 16}, {KILN_F32, kDLFloat, 32}, {KILN_F64, kDLFloat, 64},
    {KILN_I1, kDLPackBool, 8}, {KILN_I8, kDLInt, 8},       {KILN_I16, kDLInt, 16},   {KILN_I32, kDLInt, 32},
    {KILN_I64, kDLInt, 64},    {KILN_U8, kDLUInt, 8},      {KILN_U16, kDLUInt, 16},  {KILN_U32, kDLUInt, 32},
    {KILN_U64, kDLUInt, 64},
};

/// What an exported DLManagedTensor points to.
struct Exported {
  DLManagedTensor managed;
  Buffer buffer;
  std::vector<int64_t> shape, strides;
};

Result<KilnDType> dtypeOf(const DLDataType &type) {
  for (const DTypePair &pair : kDLPackTypes)
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1)
      return pair.dtype;
  return unimplemented("dlpack: element type (code {}, {} bits, {} lanes) has no counterpart", type.code,
                       type.bits, type.lanes);
}

// Bytes from the first element to the end of the last.
Result<uint64_t> extentOf(const KilnTensor &tensor) {
  int64_t last = 0;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    int64_t step = 0;
    if (tensor.dims[i] < 0 || tensor.strides[i] < 0)
      return invalidArgument("dlpack: extent {} with stride {}; expected none that is negative",
                             tensor.dims[i], tensor.strides[i]);
    if (tensor.dims[i] == 0)
      return uint64_t(0);
    if (__builtin_mul_overflow(tensor.dims[i] - 1, tensor.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return invalidArgument("dlpack: shape and strides overflow");
  }
  int64_t bytes = 0;
  if (__builtin_add_overflow(last, int64_t(1), &last) ||
      __builtin_mul_overflow(last, static_cast<int64_t>(dtypeBits(tensor.dtype) / 8), &bytes))
    return invalidArgument("dlpack: shape and strides overflow");
  return static_cast<uint64_t>(bytes);
}

Result<KilnTensor> describe(const DLTensor &source) {
  if (source.device.device_type != kDLCPU && source.device.device_type != kDLCUDAHost)
    return unimplemented("dlpack: device type {}; expected host memory",
                         static_cast<int>(source.device.device_type));
  if (source.ndim < 0 || source.ndim > KILN_MAX_RANK)
    return invalidArgument("dlpack: rank {}; at most {}", source.ndim, KILN_MAX_RANK);
  KilnTensor tensor = {};
  tensor.struct_size = sizeof(tensor);
  KILN_ASSIGN_OR_RETURN(tensor.dtype, dtypeOf(source.dtype));
  tensor.rank = static_cast<uint32_t>(source.ndim);
  std::copy_n(source.shape, tensor.rank, tensor.dims);
  int64_t stride = 1;
  for (uint32_t i = tensor.rank; i-- > 0;) {
    tensor.strides[i] = source.strides ? source.strides[i] : stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(tensor.dims[i], 1), &stride))
      return invalidArgument("dlpack: shape overflows");
  }
  return tensor;
}

Status importTensor(Session &session, std::shared_ptr<Session> owner, DLManagedTensor *managed,
                    KilnTensor *out) {
  KILN_ASSIGN_OR_RETURN(KilnTensor tensor, describe(managed->dl_tensor));
  KILN_ASSIGN_OR_RETURN(uint64_t bytes, extentOf(tensor));
  auto release = [managed] {
    if (managed->deleter)
      managed->deleter(managed);
  };
  auto buffer = std::make_unique<KilnBuffer>();
  buffer->session = std::move(owner);
  if (bytes == 0) {
    KILN_ASSIGN_OR_RETURN(buffer->buffer, session.device().allocate(0));
    release();
  } else {
    auto *data = static_cast<uint8_t *>(managed->dl_tensor.data) + managed->dl_tensor.byte_offset;
    KILN_ASSIGN_OR_RETURN(buffer->buffer, session.device().importHost(data, bytes, release));
  }
  if (isDense(tensor))
    std::fill(std::begin(tensor.strides), std::end(tensor.strides), 0);
  tensor.buffer = buffer.release();
  *out = tensor;
  return {};
}

} // namespace

KilnStatus kiln_tensor_from_dlpack(KilnSession *session, void *managed, KilnTensor *outTensor) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_RETURN_IF_ERROR(required(managed, "managed"));
    KILN_RETURN_IF_ERROR(required(outTensor, "out_tensor"));
    if (outTensor->struct_size < sizeof(KilnTensor))
      return invalidArgument("argument 'out_tensor': struct_size {}; expected {}", outTensor->struct_size,
                             sizeof(KilnTensor));
    return importTensor(*session->session, session->session, static_cast<DLManagedTensor *>(managed),
                        outTensor);
  });
}

KilnStatus kiln_tensor_to_dlpack(KilnSession *session, const KilnTensor *tensor, void **outManaged) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_RETURN_IF_ERROR(required(tensor, "tensor"));
    KILN_RETURN_IF_ERROR(required(outManaged, "out_managed"));
    if (!tensor->buffer)
      return invalidArgument("dlpack: the tensor has no buffer; expected one, as of kiln_run_output_buffer");
    const auto *pair = std::find_if(std::begin(kDLPackTypes), std::end(kDLPackTypes),
                                    [&](const DTypePair &p) { return p.dtype == tensor->dtype; });
    if (pair == std::end(kDLPackTypes))
      return unimplemented("dlpack: element type {} has no counterpart", dtypeName(tensor->dtype));
    if (tensor->rank > KILN_MAX_RANK || !isDense(*tensor))
      return invalidArgument("dlpack: rank {} with strides; expected a dense tensor of rank {} at most",
                             tensor->rank, KILN_MAX_RANK);
    std::optional<uint64_t> bytes = denseBytes(tensor->dtype, dimsOf(*tensor));
    if (!bytes)
      return invalidArgument("dlpack: shape {} has no size in 64 bits", shapeText(dimsOf(*tensor)));
    auto exported = std::make_unique<Exported>();
    KILN_ASSIGN_OR_RETURN(exported->buffer, tensor->buffer->buffer.subrange(tensor->buffer_offset, *bytes));
    KILN_ASSIGN_OR_RETURN(void *data, session->session->device().map(exported->buffer));
    exported->shape.assign(tensor->dims, tensor->dims + tensor->rank);
    exported->strides.resize(tensor->rank);
    int64_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0; stride *= std::max<int64_t>(tensor->dims[i], 1))
      exported->strides[i] = stride;
    DLTensor &target = exported->managed.dl_tensor;
    target.data = data;
    target.device = {kDLCPU, 0};
    target.ndim = static_cast<int32_t>(tensor->rank);
    target.dtype = {pair->code, pair->bits, 1};
    target.shape = exported->shape.data();
    target.strides = exported->strides.data();
    target.byte_offset = 0;
    exported->managed.manager_ctx = exported.get();
    exported->managed.deleter = [](DLManagedTensor *self) {
      delete static_cast<Exported *>(self->manager_ctx);
    };
    *outManaged = &exported.release()->managed;
    return {};
  });
}
