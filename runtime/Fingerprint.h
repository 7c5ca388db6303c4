// Fingerprint.h: what a library was built for and whether this process fits it, told before it is loaded.
//
// A fingerprint is text, "key=value;...": abi, tier, rtti, cxxlib, sanitizer; for the compiler tier also
// kiln, llvm, libmlir and libllvm (build ids). It stands in the manifest and in the library's ELF note
// (kiln/BackendNote.h).
#ifndef KILN_RUNTIME_FINGERPRINT_H
#define KILN_RUNTIME_FINGERPRINT_H

#include "kiln/Status.h"

#include <string>
#include <string_view>

namespace kiln {

enum class Tier { Runtime, Compiler };

/// The fingerprint of this process's own build for a tier.
std::string_view ownFingerprint(Tier tier);

/// Empty if a library with fingerprint `theirs` may be loaded for `tier`, else why not:
/// "built for LLVM 19.1.4, this is 19.1.7".
std::string fingerprintMismatch(Tier tier, std::string_view theirs, std::string_view ours);

/// The value of a key; "" if there is none.
std::string_view fingerprintValue(std::string_view fingerprint, std::string_view key);

/// The text of a library file's Kiln note, without loading it. NotFound: an ELF file without a note.
/// InvalidArgument: no ELF64 shared object, or a damaged one.
Result<std::string> readElfNote(const std::string &path);
/// OK if the note of a library file says that this process may load it for `tier`; loads nothing.
/// FailedPrecondition: it was built for something else, and for what; else readElfNote's errors.
Status checkElfNote(Tier tier, const std::string &path);
/// The build id of a library file, in lower-case hex, without loading it. Errors as readElfNote's.
Result<std::string> readBuildId(const std::string &path);

} // namespace kiln
#endif // KILN_RUNTIME_FINGERPRINT_H
