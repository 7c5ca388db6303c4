// BlockVerifier.h: the instruction half of the program verifier.
#ifndef KILN_RUNTIME_BLOCKVERIFIER_H
#define KILN_RUNTIME_BLOCKVERIFIER_H

#include "runtime/KernelMetadata.h"

#include "kiln/schema/Program_generated.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// Which block is verified: it decides what instructions may do.
enum class BlockRole : uint8_t { Setup, Prologue, Body };

/// Facts of the tables that instructions are checked against. Plain data.
struct ProgramTables {
  const schema::Program *program = nullptr;
  uint32_t registerCount = 0;
  std::vector<std::optional<uint64_t>> bufferBytes; // by buffer; nothing if known at the run only
  std::vector<CompiledKernelRef> kernels;           // by kernel; null where no object is embedded
};

/// Checks one of a program's three blocks with everything nested in it. Used once, by one thread.
class BlockVerifier {
public:
  static constexpr uint32_t kMaxNesting = 32;
  BlockVerifier(const ProgramTables &tables, BlockRole role);
  Status verify(const schema::Block *block, std::string_view name);

private:
  Status verifyBlock(const schema::Block *block, const std::string &place, uint32_t depth);
  Status verifyLaunch(const schema::Launch &launch, const std::string &place);
  Status verifyCopy(const schema::Copy &copy, const std::string &place);
  Status verifyFill(const schema::Fill &fill, const std::string &place);
  Status verifyRequire(const schema::Require &require, const std::string &place) const;
  Status verifyArith(const schema::Arith &arith, const std::string &place);
  Status verifyIf(const schema::If &branch, const std::string &place, uint32_t depth);
  Status verifyLoop(const schema::Loop &loop, const std::string &place, uint32_t depth);
  Status verifyReadScalar(const schema::ReadScalar &read, const std::string &place);
  Status verifyAllocate(const schema::Allocate &allocate, const std::string &place);
  Status verifyFree(const schema::Free &release, const std::string &place);
  Status verifyGrow(const schema::Grow &grow, const std::string &place);
  Status verifyDynamic(uint32_t buffer, const std::string &place) const;
  Status verifyInstruction(const schema::Instruction &instruction, const std::string &place, uint32_t depth);

  Status verifyOperand(const schema::Operand *operand, std::string_view what, const std::string &place) const;
  Status verifyTarget(uint32_t index, const std::string &place);
  Status verifyRange(const schema::Range &range, std::string_view what, const std::string &place) const;
  Status verifyWritable(const schema::Range &range, std::string_view what, const std::string &place) const;

  const ProgramTables &tables;
  BlockRole role;
  std::vector<bool> written; // registers, in the prologue, where nothing is bound yet
};

/// Operand checks that tables share: a register that exists, or a number >= `least`.
Status verifyOperandOf(const schema::Operand *operand, uint32_t registerCount, int64_t least,
                       std::string_view what, std::string_view place);

} // namespace kiln
#endif // KILN_RUNTIME_BLOCKVERIFIER_H
