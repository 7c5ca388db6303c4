// StorageType.h: a model's f32 tensors in a narrower type: half the memory and traffic, for a loss of
// precision.
#ifndef KILN_JIT_STORAGETYPE_H
#define KILN_JIT_STORAGETYPE_H

#include "jit/Model.h"

namespace kiln::jit {

/// Computes the f32 tensors of `model` in `storage`, f16 or bf16: inputs and outputs stay f32 and are
/// converted at the boundary, weights and constants here (values beyond the largest finite one become it).
/// Integers and f64 keep their types, and F32Ops.h has what stays f32. A batch_norm behind a convolution is
/// folded into it first. Reductions, softmax and normalisations accumulate in f32 by their definition. For an
/// imported module with one @main, before anyone uses it. InvalidArgument: another type.
Status setStorageType(Model &model, KilnDType storage);

} // namespace kiln::jit
#endif // KILN_JIT_STORAGETYPE_H
