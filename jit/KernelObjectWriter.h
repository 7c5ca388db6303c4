// KernelObjectWriter.h: a KernelObject flatbuffer from what an emitter filled in.
#ifndef KILN_JIT_KERNELOBJECTWRITER_H
#define KILN_JIT_KERNELOBJECTWRITER_H

#include "kiln/jit/KernelObjectBuilder.h"
#include "kiln/jit/Target.h"

namespace kiln::jit {

std::string writeKernelObject(const KernelObjectBuilder &kernel, const Target &target, const std::string &key,
                              const std::string &name, uint64_t compileUs);

} // namespace kiln::jit
#endif // KILN_JIT_KERNELOBJECTWRITER_H
