// ProgramCode.h: a program decoded for the interpreter: one flat vector of instructions with jumps, and side
// tables.
#ifndef KILN_RUNTIME_PROGRAMCODE_H
#define KILN_RUNTIME_PROGRAMCODE_H

#include "runtime/LoadedKernel.h"

#include <deque>
#include <string>
#include <vector>

namespace kiln {

namespace schema {
struct Program;
struct Block;
} // namespace schema

struct OperandCode {
  int64_t value = 0;
  bool isRegister = false;
};

struct RangeCode {
  uint32_t buffer = 0;
  OperandCode offset, length; // length -1, immediate: to the end
};

enum class Opcode : uint8_t {
  Launch,   // index: launches
  Copy,     // index: copies
  Fill,     // index: fills
  Arith,    // index: ariths
  Branch,   // operand index: if 0, go to target
  Jump,     // go to target
  LoopInit, // index: loops
  LoopTest, // index: loops; ends at target
  LoopNext, // index: loops; back to target
  ReadScalar,
  Allocate,
  Free, // index: the buffer
  Require,
  Grow, // index: allocates
  End,
};

struct InstructionCode {
  Opcode opcode = Opcode::End;
  uint32_t index = 0;  // into the opcode's table
  uint32_t target = 0; // of a jump
};

enum class ArithCode : uint8_t {
  Move,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  And,
  Or,
  Not,
  Select,
  TruncDiv,
  TruncRem,
};

struct ArithInstruction {
  ArithCode op = ArithCode::Move;
  uint32_t to = 0;
  OperandCode lhs, rhs, third;
};
struct CopyInstruction {
  RangeCode to, from;
  OperandCode bytes;
};
struct FillInstruction {
  RangeCode to;
  uint64_t pattern = 0;
  uint32_t patternBytes = 1;
  OperandCode bytes;
};
struct LoopInstruction {
  OperandCode count;
  uint32_t indexRegister = 0;
  int32_t conditionRegister = -1;
  uint64_t limit = 0;
};
struct ReadScalarInstruction {
  uint32_t to = 0;
  RangeCode from;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::string name;
};
struct AllocateInstruction {
  uint32_t buffer = 0;
  OperandCode bytes;
};
struct RequireInstruction {
  OperandCode condition;
  std::string message, location;
  std::vector<OperandCode> values;
};

/// What a launch's metadata expressions gave for its latest constants.
struct LaunchGeometry {
  bool valid = false;
  uint32_t grid[3] = {1, 1, 1};
  uint64_t workspaceBytes = 0;
  std::vector<int64_t> constants;      // that it was evaluated for
  std::vector<uint64_t> requiredBytes; // by binding
};

/// The inline cache of a launch site: what its latest launch was given. While the buffers and registers that
/// this was made from are the same, it is given again.
struct LaunchRepeat {
  struct Source {
    uint32_t buffer = 0;
    KilnBinding seen = {};
  };
  struct Operand {
    uint32_t registerIndex = 0;
    int64_t seen = 0;
  };
  KilnKernel *kernel = nullptr; // null: there was none yet
  uint32_t firstBinding = 0, bindingCount = 0, firstOperand = 0, operandCount = 0;
  KilnLaunch args = {};
};

/// Those of a program, by launch; side by side in the order of the launches, since each is read once a run.
struct LaunchRepeats {
  std::vector<LaunchRepeat> launches;
  std::vector<LaunchRepeat::Source> sources;   // by binding of each launch
  std::vector<LaunchRepeat::Operand> operands; // the registers that each launch reads
  std::vector<KilnBinding> bindings;           // that args point to
};

/// One launch site. The inline handle is filled at its first launch.
struct LaunchInstruction {
  uint32_t kernel = 0;
  std::vector<RangeCode> bindings;
  std::vector<OperandCode> constants;
  std::string name, location;
  std::vector<std::string> opLocations;
  std::vector<KilnStr> opLocationViews;
  KilnLaunchSite site = {}; // points into this object
  LoadedKernel *handle = nullptr;
  LaunchGeometry geometry;
};

struct PortCode {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<OperandCode> dims;
  std::vector<std::string> dimNames; // as many as dims, or none
  uint32_t buffer = 0;
  bool allocatedByBody = false; // outputs: an Allocate instruction makes it
};

enum class BufferClass : uint8_t { Input, Output, Constant, Arena, Dynamic, Persistent };
struct BufferCode {
  BufferClass kind = BufferClass::Dynamic;
  uint32_t index = 0;
  OperandCode offset, bytes;
};

/// The decoded program. Built from a verified flatbuffer only; plain data but for the launches' inline state,
/// which the interpreter owns.
struct ProgramCode {
  std::vector<InstructionCode> setup, prologue, body;
  std::deque<LaunchInstruction> launches; // stable addresses: sites are borrowed by the device
  LaunchRepeats repeats;
  std::vector<CopyInstruction> copies;
  std::vector<FillInstruction> fills;
  std::vector<ArithInstruction> ariths;
  std::vector<OperandCode> conditions;
  std::vector<LoopInstruction> loops;
  std::vector<ReadScalarInstruction> reads;
  std::vector<AllocateInstruction> allocates;
  std::vector<RequireInstruction> requires_;
  std::vector<PortCode> inputs, outputs;
  std::vector<BufferCode> buffers;
  OperandCode arenaBytes;
  uint32_t registerCount = 0;
  size_t maxConstants = 0;
};

ProgramCode decodeProgram(const schema::Program &program);
/// By constant: whether an instruction of the body reads it. Setup has none that touch buffers.
std::vector<bool> constantsUsedByBody(const ProgramCode &code);

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMCODE_H
