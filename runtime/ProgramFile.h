// ProgramFile.h: programs on disk: a header, page-aligned weights mapped read-only, the program flatbuffer.
//
// Layout, little-endian: header (kHeaderBytes, in one page) | weights, each at a multiple of 4096, at the
// absolute offset that Constant.file_offset names | the flatbuffer, at a multiple of 4096. Header, weights
// and flatbuffer each have an XXH3-128 checksum.
#ifndef KILN_RUNTIME_PROGRAMFILE_H
#define KILN_RUNTIME_PROGRAMFILE_H

#include "runtime/ProgramVerifier.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace kiln {

namespace schema {
struct ProgramT;
}

/// A verified program with the bytes it was read from.
/// Ownership: owns (or maps) the bytes; constants and kernels borrow from it. Threads: immutable.
class ProgramFile {
public:
  /// Maps a file read-only and verifies it. NotFound, PermissionDenied; DataLoss: not a program file,
  /// truncated, or a checksum does not match; else as verifyProgram.
  static Result<std::shared_ptr<const ProgramFile>> open(const std::string &path);
  /// From the bytes of such a file, or of a bare program flatbuffer. The bytes are copied; `name` is for
  /// errors.
  static Result<std::shared_ptr<const ProgramFile>> fromBytes(ByteSpan bytes, std::string_view name);
  /// The bytes of a constant, by digest; none if they are not to be had.
  using ConstantSource = std::function<OwnedBytes(std::string_view digest)>;
  /// From a bare program flatbuffer whose constants are handed over; shares `program` if it is aligned to 64.
  /// Those that the compiler made and the flatbuffer does not hold come from `made` and are kept. NotFound:
  /// it has not got them.
  static Result<std::shared_ptr<const ProgramFile>> fromProgram(OwnedBytes program, std::string_view name,
                                                                const ConstantSource &made = nullptr);

  const schema::Program &program() const { return *verified.root; }
  const VerifiedProgram &verifiedProgram() const { return verified; }
  /// The bytes of a constant: inline, of the file, or made by the compiler; empty if they are handed over by
  /// somebody else.
  ByteSpan constantBytes(uint32_t index) const;
  /// SHA-256 of the flatbuffer, for request keys.
  const std::string &digest() const { return theDigest; }

  /// True if the bytes start like a program file or flatbuffer.
  static bool recognise(ByteSpan head);

private:
  ProgramFile() = default;
  static Result<std::shared_ptr<ProgramFile>> fromOwned(OwnedBytes bytes, std::string_view name);
  OwnedBytes theBytes;                                    // of the whole file, or of the flatbuffer
  std::unordered_map<uint32_t, OwnedBytes> madeConstants; // that the flatbuffer does not hold, by index
  VerifiedProgram verified;
  std::string theDigest;
};

using ProgramFileRef = std::shared_ptr<const ProgramFile>;

/// The bytes of a constant, by digest.
using ConstantLookup = std::function<Result<ByteSpan>(std::string_view digest)>;

/// Writes a program with all its constants to `path`, by way of a temporary beside it. Small constants stay
/// or become inline, others go to the file's data section. Fails as `constants` does, or with an I/O error's
/// reason.
Status writeProgramFile(const std::string &path, schema::ProgramT program, const ConstantLookup &constants);

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMFILE_H
