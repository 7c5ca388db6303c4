// TensorBinding.cpp: every refusal says which input, what was expected and what came.
#include "runtime/TensorBinding.h"

#include "runtime/DType.h"
#include "runtime/Error.h"

#include <algorithm>
#include <cstring>

namespace kiln {

namespace {

std::string portNames(const std::vector<ModelPort> &ports) {
  std::string text;
  for (const ModelPort &port : ports)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", port.name);
  return text.empty() ? "none" : text;
}

// Which port each tensor is for.
Result<size_t> portOf(const std::vector<ModelPort> &ports, const KilnTensor &tensor, size_t position,
                      std::string_view kind) {
  KILN_RETURN_IF_ERROR(checkHeader(tensor, kind, position));
  std::string_view name = toView(tensor.name);
  if (name.empty()) {
    if (position >= ports.size())
      return invalidArgument("{} {}: the model has {}: {}", kind, position, ports.size(), portNames(ports));
    return position;
  }
  auto it =
      std::find_if(ports.begin(), ports.end(), [&](const ModelPort &port) { return port.name == name; });
  if (it == ports.end())
    return invalidArgument("{} '{}': the model has none of this name; expected {}", kind, name,
                           portNames(ports));
  return static_cast<size_t>(it - ports.begin());
}

Status checkShape(const ModelPort &port, const KilnTensor &tensor, TensorNeeds needs) {
  if (tensor.rank > KILN_MAX_RANK)
    return invalidArgument("input '{}': rank {}; at most {}", port.name, tensor.rank, KILN_MAX_RANK);
  if (tensor.dtype != port.dtype)
    return invalidArgument("input '{}': element type {}; expected {}", port.name, dtypeName(tensor.dtype),
                           dtypeName(port.dtype));
  std::span<const int64_t> dims = dimsOf(tensor);
  if (dims.size() != port.dims.size())
    return invalidArgument("input '{}': shape {} of rank {}; expected {} of rank {}", port.name,
                           shapeText(dims), dims.size(), shapeText(port.dims), port.dims.size());
  bool isOpen = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1 && port.dims[i] < 0 && needs == TensorNeeds::OpenShape) {
      isOpen = true;
      continue;
    }
    if (dims[i] < 0)
      return invalidArgument("input '{}': extent {} is {}; expected at least 0", port.name, i, dims[i]);
    if (port.dims[i] >= 0 && dims[i] != port.dims[i])
      return invalidArgument("input '{}': shape {}; expected {} (extent {})", port.name, shapeText(dims),
                             shapeText(port.dims), i);
  }
  if (!isOpen && !denseBytes(tensor.dtype, dims))
    return invalidArgument("input '{}': shape {} has no size in 64 bits", port.name, shapeText(dims));
  return {};
}

bool hasStrides(const KilnTensor &tensor) {
  return std::any_of(tensor.strides, tensor.strides + tensor.rank, [](int64_t s) { return s != 0; });
}

// Offset of the last element in elements plus one; nothing on overflow or a negative stride.
std::optional<uint64_t> strideExtent(const KilnTensor &tensor) {
  int64_t last = 0;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    int64_t step = 0;
    if (tensor.dims[i] == 0)
      return 0;
    if (tensor.strides[i] < 0 || __builtin_mul_overflow(tensor.dims[i] - 1, tensor.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  return static_cast<uint64_t>(last) + 1;
}

Status checkData(const ModelPort &port, const KilnTensor &tensor) {
  uint64_t needed = *denseBytes(tensor.dtype, dimsOf(tensor));
  if (!isDense(tensor)) {
    std::string strides = fmt::format("{}", fmt::join(tensor.strides, tensor.strides + tensor.rank, ","));
    if (tensor.buffer)
      return invalidArgument("input '{}': strides {} on a device buffer; expected row-major and dense",
                             port.name, strides);
    if (dtypeBits(tensor.dtype) % 8 != 0)
      return invalidArgument("input '{}': strides {} of {} elements; expected row-major and dense", port.name,
                             strides, dtypeName(tensor.dtype));
    std::optional<uint64_t> extent = strideExtent(tensor);
    if (!extent || __builtin_mul_overflow(*extent, dtypeBits(tensor.dtype) / 8, &needed))
      return invalidArgument("input '{}': strides {}; expected none that is negative or overflows", port.name,
                             strides);
  }
  if (tensor.buffer && tensor.data)
    return invalidArgument("input '{}': both data and buffer are set; expected one", port.name);
  if (tensor.buffer) {
    uint64_t have = tensor.buffer->buffer.bytes();
    if (tensor.buffer_offset > have || needed > have - tensor.buffer_offset)
      return invalidArgument("input '{}': buffer of {} bytes at offset {}; shape {} needs {}", port.name,
                             have, tensor.buffer_offset, shapeText(dimsOf(tensor)), needed);
    return {};
  }
  if (!tensor.data && needed > 0)
    return invalidArgument("input '{}': neither data nor buffer is set; expected one", port.name);
  if (tensor.data_bytes < needed)
    return invalidArgument("input '{}': {} bytes; shape {} of {} needs {}", port.name, tensor.data_bytes,
                           shapeText(dimsOf(tensor)), dtypeName(tensor.dtype), needed);
  return {};
}

} // namespace

Status checkHeader(const KilnTensor &tensor, std::string_view kind, size_t position) {
  if (tensor.struct_size < sizeof(KilnTensor))
    return invalidArgument("{} {}: struct_size {}; expected {}", kind, position, tensor.struct_size,
                           sizeof(KilnTensor));
  return {};
}

std::vector<std::vector<int64_t>> dimsOf(std::span<const KilnTensor *const> tensors) {
  std::vector<std::vector<int64_t>> result;
  for (const KilnTensor *tensor : tensors)
    result.emplace_back(tensor->dims, tensor->dims + tensor->rank);
  return result;
}

bool isDense(const KilnTensor &tensor) {
  if (!hasStrides(tensor))
    return true;
  int64_t expected = 1;
  for (uint32_t i = tensor.rank; i-- > 0;) {
    if (tensor.dims[i] == 0)
      return true; // no elements
    if (tensor.dims[i] != 1 && tensor.strides[i] != expected)
      return false;
    if (__builtin_mul_overflow(expected, tensor.dims[i], &expected))
      return false;
  }
  return true;
}

void gatherDense(const KilnTensor &tensor, void *to) {
  uint64_t element = dtypeBits(tensor.dtype) / 8;
  auto *out = static_cast<uint8_t *>(to);
  const auto *in = static_cast<const uint8_t *>(tensor.data);
  int64_t index[KILN_MAX_RANK] = {};
  uint64_t count = *denseBytes(tensor.dtype, dimsOf(tensor)) / element;
  for (uint64_t n = 0; n < count; ++n) {
    int64_t offset = 0;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      offset += index[i] * tensor.strides[i];
    std::memcpy(out + n * element, in + offset * static_cast<int64_t>(element), element);
    for (uint32_t i = tensor.rank; i-- > 0;) {
      if (++index[i] < tensor.dims[i])
        break;
      index[i] = 0;
    }
  }
}

Result<std::vector<const KilnTensor *>> matchInputs(const std::vector<ModelPort> &ports,
                                                    std::span<const KilnTensor> tensors, TensorNeeds needs) {
  std::vector<const KilnTensor *> result(ports.size(), nullptr);
  for (size_t i = 0; i < tensors.size(); ++i) {
    KILN_ASSIGN_OR_RETURN(size_t port, portOf(ports, tensors[i], i, "input"));
    if (result[port])
      return invalidArgument("input '{}': given twice", ports[port].name);
    KILN_RETURN_IF_ERROR(checkShape(ports[port], tensors[i], needs));
    if (needs == TensorNeeds::Data)
      KILN_RETURN_IF_ERROR(checkData(ports[port], tensors[i]));
    result[port] = &tensors[i];
  }
  for (size_t i = 0; i < ports.size(); ++i)
    if (!result[i])
      return invalidArgument("input '{}': missing; expected {} of shape {}", ports[i].name,
                             dtypeName(ports[i].dtype), shapeText(ports[i].dims));
  return result;
}

Result<std::vector<KilnTensor *>> matchOutputs(const std::vector<ModelPort> &ports,
                                               std::span<KilnTensor> tensors) {
  std::vector<KilnTensor *> result(ports.size(), nullptr);
  for (size_t i = 0; i < tensors.size(); ++i) {
    KILN_ASSIGN_OR_RETURN(size_t port, portOf(ports, tensors[i], i, "output"));
    if (result[port])
      return invalidArgument("output '{}': given twice", ports[port].name);
    if ((tensors[i].data != nullptr) == (tensors[i].buffer != nullptr))
      return invalidArgument("output '{}': expected exactly one of data and buffer", ports[port].name);
    if (tensors[i].buffer && tensors[i].buffer_offset > tensors[i].buffer->buffer.bytes())
      return invalidArgument("output '{}': offset {} in a buffer of {} bytes", ports[port].name,
                             tensors[i].buffer_offset, tensors[i].buffer->buffer.bytes());
    result[port] = &tensors[i];
  }
  return result;
}

} // namespace kiln
