// Npy.h: NumPy's .npy and .npz files.
#ifndef KILN_TOOLS_LIB_NPY_H
#define KILN_TOOLS_LIB_NPY_H

#include "tools/lib/HostTensor.h"

#include <span>

namespace kiln::tools {

/// Parses the bytes of a .npy file, format versions 1 to 3. Fortran order is turned into row-major. `what`
/// names the file in errors. InvalidArgument: not a .npy, truncated, big-endian or an unsupported type, too
/// many bytes.
Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &what);
/// The bytes of a .npy file; types that NumPy lacks (bf16, fp8, 4-bit) are written as f32.
std::string formatNpy(const HostTensor &tensor);

Result<HostTensor> readNpy(const std::string &path); // name: the file's stem
/// Every array of a .npz in file order, named as in the archive. InvalidArgument names file and member.
Result<std::vector<HostTensor>> readNpz(const std::string &path);
Status writeNpz(const std::string &path, std::span<const HostTensor> tensors);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_NPY_H
