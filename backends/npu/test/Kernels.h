// Kernels.h: kernels written by hand, as a compiler would: double buffers, every flag that is needed and none
// that is not.
#ifndef KILN_BACKENDS_NPU_TEST_KERNELS_H
#define KILN_BACKENDS_NPU_TEST_KERNELS_H

#include <string>

namespace kiln::npu {

/// c = a + b over constant 0 elements of `type` (f16 or f32), in tiles of `tile` elements; blocks take tiles
/// in turn.
std::string addKernel(const std::string &type, int tile);
/// Softmax of f32 rows of `columns` elements, a multiple of 64 up to 4096; constant 0: rows. Blocks take rows
/// in turn.
std::string softmaxKernel(int columns);
/// c (f32, m x n) = a (f16, m x k) x b (f16, k x n); multiples of 64. Blocks take tiles of 64 x 64 in turn.
std::string matmulKernel(int m, int n, int k);
/// c (f32) = exp(a x b) with a cube core and two vector cores a block, through the workspace. Shapes as
/// matmul, depth 64.
std::string mixKernel(int m, int n);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TEST_KERNELS_H
