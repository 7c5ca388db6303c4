// JitRunFlags.cpp: jit-run's flag table; parser, help and docs/reference/jit-run.md come from it.
#include "tools/lib/JitRunFlags.h"

namespace kiln::tools {
namespace {

using Cat = FlagCategory;
using Kind = FlagKind;

// clang-format off
constexpr FlagSpec kRunFlags[] = {
    // name          value         default  category      kind                repeats  accepts, help
    {"device",       "NAME",       "auto",  Cat::Target,  Kind::Text,         false,
     "TYPE[:ORDINAL] or auto; with --compile-only or --bundle: TYPE[:K=V;...], several separated by commas",
     "device to run on, or device types to compile for"},
    {"device-options", "K=V;...",  "",      Cat::Target,  Kind::Text,         false,
     "options that the backend's manifest declares", "options for the device, over the environment's"},
    {"list-devices", "",           "",      Cat::Target,  Kind::Switch,       false,
     "", "list the devices there are and exit"},
    {"function",     "NAME",       "",      Cat::Input,   Kind::Text,         false,
     "a function of the file", "function of a .mlir file to run"},
    {"input",        "NAME=DATA",  "",      Cat::Input,   Kind::Text,         true,
     "NAME=@FILE.npy, NAME=@FILE.pb or NAME=SHAPExTYPE=VALUES; VALUES: random, one number, or one an element",
     "one input"},
    {"inputs",       "FILE",       "",      Cat::Input,   Kind::Text,         false,
     "FILE.npz by name, or a folder with input_K.pb by position", "all inputs"},
    {"shape",        "NAME=DIMS",  "",      Cat::Input,   Kind::Text,         true,
     "NAME: an input or a dimension; DIMS: for example 1x3x224x224, or several, separated by commas, for as many runs",
     "extents of random inputs"},
    {"seed",         "N",          "0",     Cat::Input,   Kind::Count,        false,
     "0 to 2^64-1", "seed of random inputs"},
    {"expect",       "FILE",       "",      Cat::Check,   Kind::Text,         false,
     "FILE.npz by name, or a folder with output_K.pb by position", "expected outputs; exit 1 on a mismatch"},
    {"reference",    "DEVICE",     "",      Cat::Check,   Kind::Text,         false,
     "TYPE[:ORDINAL]", "run on this device too and compare; exit 1 on a mismatch"},
    {"rtol",         "FLOAT",      "1e-4",  Cat::Check,   Kind::Number,       false,
     "a float >= 0, for example 1e-3", "relative tolerance an element"},
    {"atol",         "FLOAT",      "1e-5",  Cat::Check,   Kind::Number,       false,
     "a float >= 0, for example 1e-5", "absolute tolerance an element"},
    {"rel-l2",       "FLOAT",      "",      Cat::Check,   Kind::Number,       false,
     "a float >= 0, for example 0.03", "bound on the relative L2 norm of an output's difference, instead"},
    {"check",        "FILE",       "",      Cat::Check,   Kind::Text,         true,
     "FILE.mlir, or a folder for all below it", "run kernel tests; exit 1 if one fails"},
    {"filter",       "TEXT",       "",      Cat::Check,   Kind::Text,         false,
     "a part of FILE:FUNCTION", "with --check: run these functions only"},
    {"case",         "TEXT",       "",      Cat::Check,   Kind::Text,         false,
     "for example 'M=5 N=67 specials'", "with --check: run this case instead of the functions' own"},
    {"junit",        "FILE",       "",      Cat::Check,   Kind::Text,         false,
     "FILE.xml", "with --check: write the results as JUnit's XML"},
    {"allow-refusals", "",         "",      Cat::Check,   Kind::Switch,       false,
     "", "with --check: what the device has no lowering for is no failure"},
    {"sample",       "",           "",      Cat::Check,   Kind::Switch,       false,
     "", "with --check: all cases in a function's first element type, one in each other"},
    {"output",       "FILE",       "",      Cat::Output,  Kind::Text,         false,
     "FILE.npz", "write the outputs"},
    {"topk",         "N[,FILE]",   "",      Cat::Output,  Kind::Text,         false,
     "a count >= 1, and a file with a class name a line",
     "show the largest elements along the last axis of each output"},
    {"json",         "",           "",      Cat::Output,  Kind::Switch,       false,
     "", "print measurements and results as JSON"},
    {"save-program", "FILE",       "",      Cat::Output,  Kind::Text,         false,
     "FILE.kprog", "write the program with its kernels, to run without a compiler"},
    {"compile-only", "",           "",      Cat::Compile, Kind::Switch,       false,
     "", "compile into the cache, for every shape and, where that can be, for any; run nothing"},
    {"bundle",       "FILE",       "",      Cat::Output,  Kind::Text,         false,
     "FILE.kbundle", "write programs, kernels and weights for all devices of --device; run nothing"},
    {"threads",      "N",          "0",     Cat::Run,     Kind::Count,        false,
     "0 to 1024; 0 is the device's choice", "host threads that compute", "", 1024},
    {"timeout",      "SECONDS",    "0",     Cat::Run,     Kind::Number,       false,
     "a float from 0 to 1e9; 0 is never", "give up on a run after this long", "", 1e9},
    {"memory-limit", "MIB",        "0",     Cat::Run,     Kind::Count,        false,
     "0 to 2^40; 0 is the device's", "device memory that may be used", "", 0x1p40},
    {"bench",        "N",          "0",     Cat::Measure, Kind::OptionalCount, false,
     "a count; 0 is at least 20 runs and 1 second", "time repeated runs"},
    {"profile",      "WHAT",       "run",   Cat::Measure, Kind::OptionalText, true,
     "run or compile", "time every launch of one run, or every stage of compiling", "run|compile"},
    {"trace",        "FILE",       "",      Cat::Measure, Kind::Text,         false,
     "FILE.json for chrome://tracing or ui.perfetto.dev", "write when what ran: import, compiling, launches"},
    {"cache-stats",  "",           "",      Cat::Measure, Kind::Switch,       false,
     "", "show what was compiled, hits by layer, misses by reason, bytes, time saved"},
    {"mem-stats",    "",           "",      Cat::Measure, Kind::Switch,       false,
     "", "show the device memory in use and its peak"},
    {"precision",    "TYPE",        "",      Cat::Compile, Kind::Text,         false,
     "f16 or bf16", "compute the model's f32 tensors in this type; inputs and outputs stay f32", "f16|bf16"},
    {"dump-stages",  "DIR",        "",      Cat::Compile, Kind::Text,         false,
     "a folder, made if missing", "write the IR after every stage"},
    {"emit",         "WHAT",       "",      Cat::Compile, Kind::Text,         false,
     "a stage (graph form tensor tile buffer lower) or an emitter of the device (llvm asm object ...)",
     "print the IR after a stage, or what an emitter makes, and exit"},
};
// clang-format on

constexpr std::string_view kRunExamples[] = {
    "build/bin/jit-run tests/models/magika/model.onnx --inputs tests/models/magika/inputs.npz --expect "
    "tests/models/magika/outputs.npz",
    "build/bin/jit-run tests/models/mlp-surrogate/model.onnx --input input=6x4xf32=random --bench --profile",
    "build/bin/jit-run tests/models/magika/model.onnx --inputs tests/models/magika/inputs.npz --topk "
    "3,tests/models/magika/labels.txt",
};

constexpr EnvironmentEntry kRunEnvironment[] = {
    {"KILN_DEVICE", "default devices, in order, separated by commas"},
    {"KILN_BACKEND_PATH", "more folders with backends, separated by colons"},
    {"KILN_BACKEND_AUTOLOAD", "0 turns the search for backends off"},
    {"KILN_CACHE", "off, ro, rw, require (a kernel that no cache has is an error) or refresh"},
    {"KILN_CACHE_DIR", "folder with what was compiled"},
    {"KILN_CACHE_MEMORY", "bytes of compiled kernels to keep in memory, as 256M"},
    {"KILN_TEST_FULL", "1: --check runs the cases marked `full` too, and all that --sample leaves out"},
    {"KILN_LOG", "error, warn, info or debug, with :COMPONENT for a part"},
};

} // namespace

const ToolSpec kJitRunSpec = {
    "jit-run",
    "MODEL",
    "an ONNX file, a folder with an ONNX test case (model.onnx, test_data_set_N), a .mlir file of kiln ops, "
    "or a program or bundle saved by --save-program or --bundle",
    /*operandRepeats=*/false,
    /*operandRequired=*/false,
    "Runs a model on a device, compiling its kernels on demand, and checks or measures the results",
    kRunExamples,
    kRunFlags,
    kRunEnvironment,
};

} // namespace kiln::tools
