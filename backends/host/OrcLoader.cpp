// OrcLoader.cpp: one ExecutionSession with one JITDylib. There is no IR to compile here, so the layers of
// LLJIT above the linker are left out. Objects are checked by ElfObject first: JITLink trusts what it is
// given, and crashes on some damaged files.
#include "OrcLoader.h"

#include "ElfObject.h"
#include "ElfRewrite.h"
#include "HostOptions.h"
#include "OrcCodeMemory.h"
#include "PerfMap.h"
#include "RuntimeSymbols.h"

#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h"
#include "llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"

#include <mutex>
#include <set>

namespace kiln::host {
namespace {

namespace orc = llvm::orc;
namespace jitlink = llvm::jitlink;

/// A kernel and what removes it.
struct OrcKernel final : HostKernel {
  orc::ResourceTrackerSP tracker;
  std::string symbol; // in the dylib
  bool isListedByGdb = false;
};

/// What sessions reported on this thread since the last load began; linking runs on the thread that asks for
/// it.
thread_local std::string reported;

bool isCode(const jitlink::Section &section) {
  using llvm::BitmaskEnumDetail::operator&;
  return (section.getMemProt() & orc::MemProt::Exec) != orc::MemProt::None;
}

/// Puts the code of each linked kernel into perf's map. LLVM's own plugin writes a jitdump instead, whose
/// header `perf inject` refuses, and leaves local functions out.
class PerfMapPlugin final : public orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(orc::MaterializationResponsibility &, jitlink::LinkGraph &,
                        jitlink::PassConfiguration &passes) override {
    passes.PostFixupPasses.push_back([](jitlink::LinkGraph &graph) {
      for (jitlink::Section &section : graph.sections()) {
        jitlink::SectionRange range(section);
        if (isCode(section) && range.getSize() != 0)
          writePerfMap(graph.getName(), range.getStart().toPtr<const void *>(), range.getSize());
      }
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(orc::MaterializationResponsibility &) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey, orc::ResourceKey) override {}
};

Status fromLlvm(llvm::Error error, Code code, const char *what) {
  return Status(code, std::string(what) + ": " + llvm::toString(std::move(error)));
}

} // namespace

/// The ORC session. Ends with the loader, after its kernels.
class OrcLoader::Session {
public:
  static Result<std::unique_ptr<Session>> start(const KilnHost &host) {
    auto process = orc::SelfExecutorProcessControl::Create();
    if (!process)
      return fromLlvm(process.takeError(), Code::Internal, "orc loader");
    KILN_ASSIGN_OR_RETURN(HostOptions options, HostOptions::read(host, ""));
    std::unique_ptr<Session> session(new Session(host, std::move(*process), options));
    KILN_RETURN_IF_ERROR(session->setUp(options));
    return session;
  }
  ~Session() { llvm::consumeError(execution.endSession()); }

  /// The name of an unloaded kernel is free again.
  void forgetName(const std::string &name) {
    std::lock_guard lock(namesMutex);
    names.erase(name);
  }

  Result<std::unique_ptr<OrcKernel>> load(const KilnKernelImage &image) {
    std::span bytes(static_cast<const std::byte *>(image.object), image.object_bytes);
    KILN_ASSIGN_OR_RETURN(ElfObject parsed, ElfObject::parse(bytes));
    KILN_ASSIGN_OR_RETURN(ElfObject::Symbol entry, parsed.entry(toView(image.symbol)));
    (void)entry;
    KILN_RETURN_IF_ERROR(symbols.check(parsed));

    auto kernel = std::make_unique<OrcKernel>();
    kernel->bindingCount = image.binding_count;
    kernel->constantCount = image.constant_count;
    kernel->name = toView(image.name.size ? image.name : image.symbol);
    std::string unique = uniqueName(kernel->name);
    std::vector<std::byte> copy =
        rewriteElf(bytes, parsed, {toView(image.symbol), unique, /*hideOthers=*/true, /*dropUnmapped=*/!gdb});
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        llvm::StringRef(reinterpret_cast<const char *>(copy.data()), copy.size()), unique);
    reported.clear();
    kernel->tracker = dylib.createResourceTracker();
    if (llvm::Error error = linker.add(kernel->tracker, std::move(buffer))) {
      forgetName(unique);
      return linkError(std::move(error));
    }
    auto found = execution.lookup({&dylib}, execution.intern(unique));
    if (!found) {
      llvm::consumeError(kernel->tracker->remove());
      forgetName(unique);
      return linkError(found.takeError());
    }
    kernel->symbol = unique;
    kernel->entry = found->getAddress().toPtr<HostEntry>();
    kernel->isListedByGdb = gdb;
    return kernel;
  }

private:
  Session(const KilnHost &host, std::unique_ptr<orc::ExecutorProcessControl> process,
          const HostOptions &options)
      : symbols(host), execution(std::move(process)), memory(options.codeUse()), linker(execution, memory),
        dylib(execution.createBareJITDylib("kernels")), gdb(options.gdb) {}

  Status setUp(const HostOptions &options) {
    execution.setErrorReporter([](llvm::Error error) {
      reported += (reported.empty() ? "" : "; ") + llvm::toString(std::move(error));
    });
    orc::SymbolMap table;
    for (auto [name, address] : symbols.all())
      names.emplace(name);
    for (auto [name, address] : symbols.all())
      table[execution.intern(llvm::StringRef(name.data(), name.size()))] = {
          orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    if (llvm::Error error = dylib.define(orc::absoluteSymbols(std::move(table))))
      return fromLlvm(std::move(error), Code::Internal, "orc loader");
    // Without it a throw through a kernel's frame ends the process, and backtraces end there.
    linker.addPlugin(std::make_shared<orc::EHFrameRegistrationPlugin>(
        execution, std::make_unique<jitlink::InProcessEHFrameRegistrar>()));
    if (options.gdb) // LLVM would look the function up by name, where a dlopened libLLVM does not show it
      linker.addPlugin(std::make_shared<orc::DebugObjectManagerPlugin>(
          execution,
          std::make_unique<orc::EPCDebugObjectRegistrar>(
              execution, orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBWrapper)),
          /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true));
    if (options.perf)
      linker.addPlugin(std::make_shared<PerfMapPlugin>());
    return {};
  }
  /// One name a load: several devices and reloads share the dylib. What people call the kernel, if it is
  /// free: so `break NAME` works in gdb.
  std::string uniqueName(const std::string &name) {
    std::lock_guard lock(namesMutex);
    std::string unique = name;
    while (!names.insert(unique).second)
      unique = name + "." + std::to_string(++nextNumber);
    return unique;
  }
  /// The cause, which the session reports while the lookup runs; the lookup's own error only says that it
  /// failed.
  static Status linkError(llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    if (!reported.empty())
      text = std::move(reported);
    reported.clear();
    const char *meaning =
        text.find("out of range") != std::string::npos ? "the distance does not fit 32 bits; " : "";
    return Status(Code::InvalidArgument,
                  std::string("host-elf object: ") + meaning + "the linker says: " + text);
  }

  const RuntimeSymbols symbols;
  orc::ExecutionSession execution;
  OrcCodeMemory memory;
  orc::ObjectLinkingLayer linker;
  orc::JITDylib &dylib;
  std::mutex namesMutex;
  std::set<std::string> names; // taken in `dylib`
  uint64_t nextNumber = 0;
  const bool gdb; // listens
};

OrcLoader::OrcLoader(const KilnHost &host) : host(host) {}
OrcLoader::~OrcLoader() = default;

Result<OrcLoader::Session *> OrcLoader::session() {
  std::lock_guard lock(mutex);
  if (!started) {
    KILN_ASSIGN_OR_RETURN(started, Session::start(host));
  }
  return started.get();
}

Result<HostKernel *> OrcLoader::load(const KilnKernelImage &image) {
  KILN_ASSIGN_OR_RETURN(Session * session, this->session());
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<OrcKernel> kernel, session->load(image));
  return kernel.release();
}

void OrcLoader::unload(HostKernel *kernel) {
  std::unique_ptr<OrcKernel> owned(static_cast<OrcKernel *>(kernel));
  if (owned->isListedByGdb)
    return; // LLVM never takes an object off gdb's list: its memory stays until the session ends
  if (llvm::Error error = owned->tracker->remove()) {
    std::string text = "unload '" + owned->name + "': " + llvm::toString(std::move(error));
    host.log(host.self, KILN_LOG_ERROR, toStr("host.orc"), toStr(text));
    return;
  }
  started->forgetName(owned->symbol);
}

const KilnKernelLoaderOps &OrcLoader::ops() {
  static const KilnKernelLoaderOps table = {
      sizeof(KilnKernelLoaderOps),
      [](void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) -> KilnStatus {
        auto &loader = *static_cast<OrcLoader *>(self);
        Result<HostKernel *> kernel = loader.load(*image);
        if (!kernel.ok())
          return kernel.status().toC(loader.host);
        *out = (*kernel)->handle();
        return nullptr;
      },
      [](void *self, KilnKernel *kernel) {
        static_cast<OrcLoader *>(self)->unload(&HostKernel::from(kernel));
      },
      nullptr, // machine code of the host has no text form here
      nullptr};
  return table;
}

} // namespace kiln::host
