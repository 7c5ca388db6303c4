// Interpreter.h: runs a prepared program on a queue.
#ifndef KILN_RUNTIME_INTERPRETER_H
#define KILN_RUNTIME_INTERPRETER_H

#include "runtime/PreparedProgram.h"
#include "runtime/ProgramCache.h"
#include "runtime/Queue.h"

#include <deque>
#include <optional>
#include <span>

namespace kiln {

/// An input of one run: where it lies on the device, and its extents. Borrowed for the call.
struct RunInput {
  KilnBinding binding = {};
  std::span<const int64_t> dims;
};

/// Gives memory for the outputs of one run, once each: when the run begins, or when the program knows the
/// size. Output memory must live until the queue has passed the run.
class OutputProvider {
public:
  virtual ~OutputProvider() = default;
  virtual Result<KilnBinding> output(uint32_t port, uint64_t bytes) = 0;
};

/// One launch of a profiled run. `times`, counters and spans are filled by the device by the time the launch
/// has ended.
struct LaunchProfile {
  struct Counter {
    std::string name, unit;
    double value;
  };
  struct Span {
    std::string unit, name, stall;
    uint64_t startCycle, endCycle, stallCycles, pc;
  };
  const LaunchInstruction *launch = nullptr;
  KilnLaunchProfile times = {};
  double flops = 0, trafficBytes = 0;
  std::vector<Counter> counters;
  std::vector<Span> spans;
};

struct RunSettings {
  uint64_t deadlineNs = KILN_WAIT_FOREVER;      // steady clock; for the waits inside of the run
  std::deque<LaunchProfile> *profile = nullptr; // must live until the queue has passed the run
  bool wantsSpans = false;                      // with `profile`: what each unit of the device did when
};

/// Runs one program, any number of times, one after another on one queue.
/// Ownership: owns arena, workspace and persistent buffers; keeps the program and the queue's device alive.
/// Threads:   one thread at a time. Runs are queued, not awaited; in steady state run() allocates no host
/// memory.
class Interpreter {
public:
  /// Allocates persistent buffers and runs the prologue, waiting for it; takes packed ones where there are
  /// some.
  static Result<std::unique_ptr<Interpreter>> create(std::unique_ptr<PreparedProgram> program, Queue &queue);
  ~Interpreter(); // the queue must have passed the last run

  /// Binds inputs (in port order), runs setup, asks for outputs, queues the body and flushes.
  /// InvalidArgument: shapes that the program is not for, or a Require that does not hold.
  Status run(std::span<const RunInput> inputs, OutputProvider &outputs, const RunSettings &settings);
  /// Extents of an output of the latest run; valid until the next.
  std::span<const int64_t> outputDims(uint32_t port) const { return outputExtents[port]; }

  PreparedProgram &program() { return *theProgram; }
  /// Copies of the persistent buffers that a prologue with launches filled; none if there are no launches in
  /// it.
  Result<std::vector<PackedBytes>> packedBytes();

private:
  Interpreter(std::unique_ptr<PreparedProgram> program, Queue &queue);
  int64_t valueOf(const OperandCode &operand) const {
    return operand.isRegister ? registers[operand.value] : operand.value;
  }
  Status runPrologue();
  Status bindInputs(std::span<const RunInput> inputs);
  Status bindExtent(const PortCode &port, size_t axis, int64_t extent);
  Status placeArena();
  Status requestOutput(uint32_t port, uint64_t bytes);
  Status requestOutputs();
  Status readOutputExtents();
  void releaseDynamic();

  Status failedRequire(const RequireInstruction &require) const;
  Status execute(const std::vector<InstructionCode> &code, bool inPrologue);
  bool repeats(const LaunchRepeat &repeat) const;
  Status launch(uint32_t index, bool inPrologue);
  Status resolveBindings(const LaunchInstruction &launch, KilnBinding *bindings) const;
  Status evaluateGeometry(LaunchInstruction &launch);
  Status profileLaunch(const LaunchInstruction &launch, KilnLaunch &args);
  Status copy(const CopyInstruction &copy);
  Status fill(const FillInstruction &fill);
  Status arith(const ArithInstruction &arith);
  Status readScalar(const ReadScalarInstruction &read);
  Status allocate(const AllocateInstruction &allocate);
  Status grow(const AllocateInstruction &grow);
  Status testLoop(uint32_t index, bool &goesOn);
  Status resolveRange(const RangeCode &range, KilnBinding &out) const;
  Status reserve(Buffer &buffer, uint64_t bytes);
  uint64_t remainingNs() const;

  const std::unique_ptr<PreparedProgram> theProgram;
  ProgramCode &code;
  Queue &queue;
  RunSettings settings;
  OutputProvider *outputProvider = nullptr;
  std::vector<int64_t> registers;
  std::vector<bool> bound;          // registers that an input has bound
  std::vector<KilnBinding> buffers; // by program buffer; address 0: not there now
  std::vector<uint64_t> capacities; // by program buffer; of those that are allocated
  std::vector<uint64_t> iterations; // by loop
  std::vector<int64_t> constants;   // of the launch at hand
  std::vector<std::vector<int64_t>> outputExtents;
  uint64_t scalar = 0; // that ReadScalar reads into; a member, since a wait for it may time out
  Buffer arena, workspace, persistent;
};

} // namespace kiln
#endif // KILN_RUNTIME_INTERPRETER_H
