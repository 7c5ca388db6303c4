// WordPairs.h: kernels that only move elements of eight bytes, seen as pairs of words.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_WORDPAIRS_H
#define KILN_BACKENDS_NPU_TRANSFORMS_WORDPAIRS_H

#include "kiln/IR/Kiln.h"

namespace kiln::npu {

/// A kernel in front of `kernel` that moves the same bytes: tensors of eight-byte elements have one more
/// axis, of two i32. Null for kernels that do anything but move such elements. The caller erases it.
KernelOp asWordPairs(KernelOp kernel);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_WORDPAIRS_H
