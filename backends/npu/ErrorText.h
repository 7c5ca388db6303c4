// ErrorText.h: how the backend words its refusals.
#ifndef KILN_BACKENDS_NPU_ERRORTEXT_H
#define KILN_BACKENDS_NPU_ERRORTEXT_H

#include "kiln/Status.h"

#include <string>
#include <string_view>

namespace kiln::npu {

inline Status wrong(std::string text) { return Status(Code::InvalidArgument, std::move(text)); }
inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_ERRORTEXT_H
