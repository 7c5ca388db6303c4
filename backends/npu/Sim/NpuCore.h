// NpuCore.h: one core of the npu: its scalar unit, its memories, and the way of an instruction from issue to
// its end.
#ifndef KILN_BACKENDS_NPU_SIM_NPUCORE_H
#define KILN_BACKENDS_NPU_SIM_NPUCORE_H

#include "backends/npu/NpuObject.h"
#include "backends/npu/Sim/Footprint.h"
#include "backends/npu/Sim/ScalarInst.h"
#include "backends/npu/Sim/Units.h"
#include "kiln/devicekit/PipeCore.h"
#include "kiln/devicekit/SharedMemory.h"
#include "kiln/devicekit/SharedPort.h"

namespace kiln::npu {

/// What the cores of a launch have in common. Outlives them; only `gm` and `port` change while they run.
struct LaunchContext {
  const Target &target;
  const NpuObject &object;
  devicekit::SharedMemory &gm;
  devicekit::SharedPort *port = nullptr;        // null: transfers take the time of a core alone
  std::vector<ScalarInst> aicScalar, aivScalar; // decoded, by section
  std::vector<uint64_t> arguments;              // slots of the argument buffer
  uint64_t blocks = 1;
  bool hasChecks = true;
  bool isTimed = false;
  bool movesData = true; // false: time only, no unit computes or copies
};

/// Bytes that a core moved to and from GM.
struct GmTraffic {
  uint64_t read = 0, written = 0;
};

/// Used by one thread at a time.
class NpuCore final : public devicekit::PipeModel {
public:
  /// `isCube`: runs .text.aic; `block` and `sub` are what its special registers say; `group` is its AI core.
  NpuCore(const LaunchContext &launch, bool isCube, uint64_t block, uint64_t sub, uint64_t subs,
          uint32_t group);

  void step(devicekit::PipeCore &core) override;
  devicekit::Duration begin(devicekit::PipeCore &core, devicekit::Job &job,
                            const devicekit::Accessor &by) override;
  void commit(devicekit::PipeCore &core, devicekit::Job &job) override;
  std::string printInstruction(uint32_t pc) const override;
  int64_t opAt(uint32_t pc) const override { return section.opAt(pc); }
  const GmTraffic &traffic() const { return gmTraffic; }
  /// Elements that instructions of S, V and M wrote, by pipe.
  const std::array<uint64_t, kPipeCount> &elements() const { return elementsWritten; }

private:
  using Registers = std::array<uint64_t, 32>;
  uint64_t value(const Inst &inst, Field field) const;
  void stepOnce(devicekit::PipeCore &core);
  void compute(devicekit::PipeCore &core, const ScalarInst &inst);
  void access(devicekit::PipeCore &core, const ScalarInst &inst);
  void move(const ScalarInst &inst, uint64_t address);
  bool isPlain(uint32_t pc, uint64_t address);
  void runAlone(devicekit::PipeCore &core);
  void synchronise(devicekit::PipeCore &core, const Inst &inst);
  void issue(devicekit::PipeCore &core, const Inst &inst);
  bool readSpecial(devicekit::PipeCore &core, const Inst &inst);
  bool check(devicekit::PipeCore &core, devicekit::Job &job, const devicekit::Accessor &by, const Work &work);
  void execute(Work &work);
  devicekit::LocalMemory *memory(Memory which) { return memories[static_cast<size_t>(which)].get(); }

  const LaunchContext &launch;
  struct Window { // of GM
    uint64_t begin = 0, bytes = 0;
  };
  const CodeSection &section;
  const std::vector<ScalarInst> &scalar; // of the section
  std::vector<Window> windows;           // where each of its accesses was last
  const uint32_t group;
  Registers registers = {};
  std::array<uint64_t, kSpecialCount> special = {};
  std::array<std::unique_ptr<devicekit::LocalMemory>, kLocalMemories> memories; // null: this core has none
  Memories bytes;
  std::vector<Work> pool;
  std::vector<uint32_t> freeWork;
  Footprint footprint;
  GmTraffic gmTraffic;
  std::array<uint64_t, kPipeCount> elementsWritten = {};
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_NPUCORE_H
