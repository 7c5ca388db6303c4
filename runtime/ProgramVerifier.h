// ProgramVerifier.h: decides whether bytes are a program that the interpreter may run.
#ifndef KILN_RUNTIME_PROGRAMVERIFIER_H
#define KILN_RUNTIME_PROGRAMVERIFIER_H

#include "runtime/KernelMetadata.h"

#include <vector>

namespace kiln {

namespace schema {
struct Program;
struct Constant;
} // namespace schema

/// A program that passed the verifier. Borrows the bytes; plain data.
struct VerifiedProgram {
  const schema::Program *root = nullptr;
  std::vector<CompiledKernelRef> embeddedKernels; // by kernel index; null where none is embedded
};

struct ProgramVerifierOptions {
  /// Bytes that Constant.file_offset refers to (a whole file); empty: no constant may lie in a file.
  ByteSpan file;
};

/// The bytes are aligned to 64. They stay the owner's; embedded kernels share `program.owner`.
/// DataLoss: no well-formed flatbuffer of a program, or a constant whose bytes do not match its digest.
/// InvalidArgument: contents that contradict themselves; the message names the place, as in
/// "body[3] (launch 'conv_1'): binding 2: buffer 17; the program has 12".
/// Unimplemented: a version that this runtime does not know.
Result<VerifiedProgram> verifyProgram(const OwnedBytes &program, const ProgramVerifierOptions &options = {});

/// True if the bytes start like a program flatbuffer.
bool looksLikeProgram(ByteSpan bytes);

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMVERIFIER_H
