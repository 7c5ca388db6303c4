// JitBenchFlags.cpp: jit-bench's command line; parser, help and docs come from it.
#include "tools/lib/JitBench.h"

namespace kiln::tools {
namespace {

using Cat = FlagCategory;
using Kind = FlagKind;

// clang-format off
constexpr FlagSpec kBenchFlags[] = {
    // name       value      default  category      kind          repeats  accepts, help
    {"device",    "NAME",    "host",  Cat::Target,  Kind::Text,   false,
     "TYPE[:ORDINAL]", "device of the suite kernels"},
    {"threads",   "N",       "1",     Cat::Run,     Kind::Count,  false,
     "1 to 1024", "host threads that compute"},
    {"filter",    "TEXT",    "",      Cat::Input,   Kind::Text,   false,
     "a part of a case's name", "run these cases only"},
    {"model",     "FILE",    "",      Cat::Input,   Kind::Text,   false,
     "a model, as tools/make_resnet50.py writes", "cache: whose warm start is measured too"},
    {"samples",   "N",       "20",    Cat::Measure, Kind::Count,  false,
     "1 to 2^32", "timed runs of a case at least"},
    {"min-time",  "SECONDS", "0.2",   Cat::Measure, Kind::Number, false,
     "a float >= 0", "time of a case at least"},
    {"threshold", "SHARE",   "0.1",   Cat::Check,   Kind::Number, false,
     "a float >= 0, for example 0.1", "compare: a case may get slower by this much"},
    {"json",      "",        "",      Cat::Output,  Kind::Switch, false,
     "", "print the results as JSON"},
};
// clang-format on

constexpr std::string_view kBenchExamples[] = {
    "jit-bench kernels --filter=matmul --json > new.json",
    "jit-bench compare old.json new.json",
};

constexpr EnvironmentEntry kBenchEnvironment[] = {
    {"KILN_HOST_CPU", "instructions that host kernels may use: native, x86-64-v3 or x86-64-v4"},
    {"KILN_HOST_LOADER", "loader of host kernels: auto, orc or strict"},
};

} // namespace

const ToolSpec kJitBenchSpec = {
    "jit-bench",
    "SUITE",
    "kernels, dispatch, autoload, cache, or compare OLD.json NEW.json",
    /*operandRepeats=*/true,
    /*operandRequired=*/true,
    "Measures kernels against what the machine can do, and the cost of launching them, of finding them in "
    "files "
    "and of loading backends",
    kBenchExamples,
    kBenchFlags,
    kBenchEnvironment,
};

} // namespace kiln::tools
