// GmUpdate.h: stores to GM, plain or combined with what is there.
#ifndef KILN_BACKENDS_NPU_SIM_GMUPDATE_H
#define KILN_BACKENDS_NPU_SIM_GMUPDATE_H

#include "backends/npu/Sim/Work.h"
#include "kiln/devicekit/SharedMemory.h"

#include <functional>

namespace kiln::npu {

/// Whether special register atomic names an operation that the elements of this store have.
bool canUpdate(const Work &work);
std::string updateTypeName(const Work &work);
/// Writes work.staging to GM; updates of one element by several cores are each whole.
void updateGm(Work &work, devicekit::SharedMemory &gm);

/// The pieces of GM that an instruction writes, in the order of work.staging.
void forEachPiece(const Work &work, const std::function<void(uint64_t address, uint64_t bytes)> &fn);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_GMUPDATE_H
