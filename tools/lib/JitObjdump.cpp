// JitObjdump.cpp: finds the loader that reads a file, and lets it print or assemble; no format is known here.
#include "tools/lib/JitObjdump.h"

#include "runtime/BackendRegistry.h"
#include "runtime/Error.h"
#include "runtime/HostTable.h"
#include "runtime/KernelMetadata.h"
#include "tools/lib/ReadFile.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <ostream>

namespace kiln::tools {
namespace {

using Cat = FlagCategory;
using Kind = FlagKind;

// clang-format off
constexpr FlagSpec kObjdumpFlags[] = {
    // name     value  default category     kind          repeats accepts, help
    {"device",  "TYPE", "", Cat::Target,    Kind::Text,   false,  "a device type or its alias",
     "device whose objects these are; without it every backend is tried"},
    {"backend-dir", "DIR", "", Cat::Target, Kind::Text,   true,   "a folder with *.kiln.json", "search this folder first"},
    {"assemble", "",    "", Cat::Input,     Kind::Switch, false,  "", "the file is text: write the object (needs --output)"},
    {"headers",  "",    "", Cat::Show,      Kind::Switch, false,  "", "print what stands before the first section only"},
    {"output", "FILE",  "", Cat::Output,    Kind::Text,   false,  "a path", "write there instead of to standard output"},
};
// clang-format on

constexpr std::string_view kObjdumpExamples[] = {
    "jit-objdump --device=npu kernel.o",
    "jit-objdump --device=npu --assemble kernel.s --output=kernel.o",
};

constexpr EnvironmentEntry kObjdumpEnvironment[] = {
    {"KILN_BACKEND_PATH", "more folders with backends, separated by colons"},
};

using Loaders = std::vector<std::shared_ptr<const KernelLoader>>;

// Loaders with a text form: of the device's backend, or of every one that can be loaded.
Result<Loaders> findLoaders(const ParsedFlags &flags) {
  BackendRegistry::Options options;
  options.directories = flags.all("backend-dir");
  KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, BackendRegistry::get(options));
  std::string backend;
  if (flags.given("device")) {
    KILN_ASSIGN_OR_RETURN(auto type, registry->deviceType(flags.text("device")));
    backend = type->backend;
  } else {
    KILN_RETURN_IF_ERROR(registry->devices().status()); // loads them all
  }
  Loaders loaders;
  for (const auto &loader : registry->snapshot()->kernelLoaders)
    if ((backend.empty() || loader->backend == backend) && loader->ops.disassemble && loader->ops.assemble)
      loaders.push_back(loader);
  if (loaders.empty())
    return notFound("{}: its kernels have no text form", backend.empty() ? "every backend" : backend);
  return loaders;
}

// What `call` makes of the text or object with the first loader that takes it; else the first loader's error.
Result<std::string> convert(const Loaders &loaders, std::string_view from, bool assemble) {
  Status first;
  for (const auto &loader : loaders) {
    std::string to;
    auto append = [](void *arg, KilnStr part) {
      static_cast<std::string *>(arg)->append(part.data, part.size);
    };
    auto call = assemble ? loader->ops.assemble : loader->ops.disassemble;
    Status status = fromC(call(loader->self, toStr(from), append, &to));
    if (status.ok())
      return to;
    if (first.ok())
      first = status;
  }
  return first;
}

// A kernel as caches and bundles keep it holds the object; its own metadata goes before the text as comments.
Result<std::string> unwrap(std::vector<std::byte> &file) {
  constexpr std::string_view identifier = "KLNK"; // of schema/Kernel.fbs, behind the root offset
  if (file.size() < 8 || std::memcmp(file.data() + 4, identifier.data(), identifier.size()) != 0)
    return std::string();
  KILN_ASSIGN_OR_RETURN(
      auto kernel, CompiledKernel::parse(
                       copyBytes({reinterpret_cast<const uint8_t *>(file.data()), file.size()}), "kernel"));
  const KernelMetadata &data = kernel->metadata();
  ByteSpan object = kernel->object();
  std::vector<std::byte> inner(object.size());
  std::memcpy(inner.data(), object.data(), object.size());
  file = std::move(inner);
  return fmt::format("; kernel {}, key {}\n; template {}, target {} {} {}\n", data.name, data.key,
                     data.codeTemplate, data.target.deviceType, data.target.arch, data.target.features);
}

Result<int> objdump(const ParsedFlags &flags, std::ostream &out, std::ostream &) {
  bool assemble = flags.given("assemble");
  if (assemble && !flags.given("output"))
    return invalidArgument("--assemble: an object is no text for a terminal; expected --output=FILE");
  const std::string &path = flags.operands()[0];
  KILN_ASSIGN_OR_RETURN(std::vector<std::byte> file, readFile(path));
  std::string comments;
  if (!assemble) {
    KILN_ASSIGN_OR_RETURN(comments, unwrap(file));
  }
  KILN_ASSIGN_OR_RETURN(Loaders loaders, findLoaders(flags));
  Result<std::string> made =
      convert(loaders, {reinterpret_cast<const char *>(file.data()), file.size()}, assemble);
  if (!made.ok())
    return withContext(made.status(), "'{}'", path);
  std::string text = comments + *made;
  if (flags.given("headers") && !assemble)
    text.resize(std::min(text.size(), text.find("\n.section") + 1));
  if (!flags.given("output")) {
    out << text;
    return kYes;
  }
  std::ofstream to(flags.text("output"), std::ios::binary);
  to << text;
  if (!to.flush())
    return unavailable("cannot write '{}'", flags.text("output"));
  return kYes;
}

} // namespace

const ToolSpec kJitObjdumpSpec = {
    "jit-objdump",
    "FILE",
    "a kernel object, a kernel of the cache, or with --assemble the text of one",
    /*operandRepeats=*/false,
    /*operandRequired=*/true,
    "Prints kernel objects of devices with a text form, and assembles that text: the same bytes come back",
    kObjdumpExamples,
    kObjdumpFlags,
    kObjdumpEnvironment,
};

int jitObjdump(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitObjdumpSpec, argc, argv, out, err, objdump);
}

} // namespace kiln::tools
