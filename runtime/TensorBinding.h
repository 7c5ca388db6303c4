// TensorBinding.h: the embedder's tensors against a model's ports: names, types, shapes, layout.
#ifndef KILN_RUNTIME_TENSORBINDING_H
#define KILN_RUNTIME_TENSORBINDING_H

#include "kiln/kiln.h"
#include "runtime/Buffer.h"
#include "runtime/Model.h"

namespace kiln {
class Session;
}

// A reference to device memory; copies go through the session's queue.
struct KilnBuffer {
  kiln::Buffer buffer;
  std::shared_ptr<kiln::Session> session;
};

namespace kiln {

/// What a tensor must bring: a shape whose extents may be -1 (any but 1) where the port's are dynamic, a
/// shape, a shape and memory.
enum class TensorNeeds { OpenShape, Shape, Data };

/// Tensors in the order of the ports: by name, or by position where the name is "". Every port gets one.
/// InvalidArgument names the input: unknown, missing, twice; type, rank, extents, strides, bytes.
Result<std::vector<const KilnTensor *>> matchInputs(const std::vector<ModelPort> &ports,
                                                    std::span<const KilnTensor> tensors, TensorNeeds needs);
/// The same for memory handed over for outputs: null where none was; only names and memory are checked.
Result<std::vector<KilnTensor *>> matchOutputs(const std::vector<ModelPort> &ports,
                                               std::span<KilnTensor> tensors);

/// InvalidArgument: a struct that is too short; the message names `kind` and `position`.
Status checkHeader(const KilnTensor &tensor, std::string_view kind, size_t position);

inline std::span<const int64_t> dimsOf(const KilnTensor &tensor) { return {tensor.dims, tensor.rank}; }
std::vector<std::vector<int64_t>> dimsOf(std::span<const KilnTensor *const> tensors);
/// True for row-major tensors without gaps.
bool isDense(const KilnTensor &tensor);
/// Copies a host tensor of any strides to dense memory. The element type has whole bytes.
void gatherDense(const KilnTensor &tensor, void *to);

} // namespace kiln
#endif // KILN_RUNTIME_TENSORBINDING_H
