// CpuFeatures.h: which instructions kernels may use on this machine, under LLVM's names.
#ifndef KILN_BACKENDS_HOST_CPUFEATURES_H
#define KILN_BACKENDS_HOST_CPUFEATURES_H

#include "kiln/Status.h"

#include <set>
#include <string>
#include <string_view>

namespace kiln::host {

/// A set of features by LLVM name ("avx2", "avx512f"); only such as decide whether an object may run.
/// Ordered, so that its text is canonical.
using FeatureSet = std::set<std::string, std::less<>>;

/// What CPUID and XGETBV report of this machine: a feature counts if the operating system also saves its
/// registers. Asked once. Safe from any thread.
const FeatureSet &machineFeatures();

/// The features of a microarchitecture level, with those of the levels below: "x86-64-v2", "x86-64-v3",
/// "x86-64-v4". Empty for another name.
FeatureSet levelFeatures(std::string_view level);

/// What to compile for: the machine model that LLVM knows, and the features beyond question.
struct CpuTarget {
  std::string arch;     // "x86-64-v4"
  std::string features; // "+avx,+avx2,..."
};

/// The target that option `cpu` names: "native", or a level. `machine` is what there is.
/// Errors: InvalidArgument, no such cpu; FailedPrecondition, the machine lacks features of it, which the text
/// lists.
Result<CpuTarget> resolveCpu(std::string_view cpu, const FeatureSet &machine);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_CPUFEATURES_H
