// ToyCompiler.cpp: fakes of the host's tables.
#include "tests/unit/jit/ToyCompiler.h"

#include "kiln/IR/Kiln.h"
#include "kiln/jit/KernelSignature.h"
#include "runtime/Fingerprint.h"
#include "runtime/HostTable.h"
#include "runtime/ProcessState.h"

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::jit::testing;

namespace {
FakeHost &fake(void *self) { return *static_cast<FakeHost *>(self); }

Result<std::string> take(KilnStatus status, const KilnBlob &blob) {
  if (status)
    return fromC(status);
  std::string bytes(static_cast<const char *>(blob.data), blob.size);
  blob.release(blob.owner);
  return bytes;
}

struct Shapes {
  explicit Shapes(const std::vector<std::vector<int64_t>> &shapes) {
    for (const auto &shape : shapes) {
      dims.insert(dims.end(), shape.begin(), shape.end());
      ranks.push_back(shape.size());
    }
  }
  std::vector<int64_t> dims;
  std::vector<uint32_t> ranks;
};

KilnProgramArgs argsOf(const Shapes &shapes, std::string_view dumpDir) {
  KilnProgramArgs args = {};
  args.struct_size = sizeof(args);
  args.target = toyTarget();
  args.dims = shapes.dims.data();
  args.ranks = shapes.ranks.data();
  args.input_count = shapes.ranks.size();
  args.dump_dir = toStr(dumpDir);
  return args;
}
} // namespace

FakeHost::FakeHost() {
  table.struct_size = sizeof(table);
  table.self = this;
  table.host = &hostTable();
  table.backend_compiler = [](void *self, KilnStr name, KilnBackendCompilerQueryFn *out) -> KilnStatus {
    auto it = fake(self).backends.find(std::string(toView(name)));
    if (it == fake(self).backends.end())
      return toC(Status(Code::NotFound, "no backend '" + std::string(toView(name)) + "'"));
    if (fake(self).onOpen && toView(name) != "toy")
      fake(self).onOpen();
    *out = it->second;
    return nullptr;
  };
  table.backends = [](void *self, void (*visit)(void *, KilnStr), void *arg) -> KilnStatus {
    for (const auto &[name, query] : fake(self).backends)
      visit(arg, toStr(name));
    return nullptr;
  };
  table.extensions = [](void *self, KilnStr target, void (*visit)(void *, const KilnStageExtension *),
                        void *arg) -> KilnStatus {
    for (const Extension &extension : fake(self).extensions) {
      KilnStageExtension entry = {toStr(extension.backend), toStr(extension.target), toStr(extension.stage),
                                  extension.after};
      if (extension.target == toView(target))
        visit(arg, &entry);
    }
    return nullptr;
  };
  table.target = [](void *, KilnStr, KilnStr, KilnCompileTarget *out) -> KilnStatus {
    *out = toyTarget();
    return nullptr;
  };
  table.add_kernel_loader = [](void *self, KilnStr backend, KilnStr format, KilnStr loader,
                               const KilnKernelLoaderOps *, void *) -> KilnStatus {
    if (fake(self).refusedLoader == toView(loader))
      return toC(Status(Code::InvalidArgument, "no function 'load'"));
    fake(self).kernelLoaders.push_back(std::string(toView(backend)) + "/" + std::string(toView(format)) +
                                       "/" + std::string(toView(loader)));
    return nullptr;
  };
  table.device_owner = [](void *self, KilnStr type, KilnStr *out) -> KilnStatus {
    std::string &owner = fake(self).owners[std::string(toView(type))];
    if (owner.empty())
      owner = toView(type);
    *out = toStr(owner);
    return nullptr;
  };
  table.run_backend = [](void *, KilnStr backend, KilnStr part, KilnStatus (*fn)(void *),
                         void *arg) -> KilnStatus {
    return toC(runBackendCode(toView(backend), toView(part), [&] { return fromC(fn(arg)); }));
  };
  table.check_library = [](void *, KilnStr path) -> KilnStatus {
    return toC(checkElfNote(Tier::Compiler, std::string(toView(path))));
  };
  backends["toy"] = queryToy;
}

Status kiln::jit::testing::registerToy(CompilerRegistrar &registrar) {
  for (Stage stage : {Stage::Tensor, Stage::Tile, Stage::Buffer, Stage::Lower, Stage::Emit})
    registrar.addStage("toy", stage, [](mlir::OpPassManager &, const Target &) {});
  registrar.setObjectEmitter("toy", [](mlir::ModuleOp module, const Target &, KernelObjectBuilder &object) {
    KernelOp kernel = *module.getOps<KernelOp>().begin();
    object.format = "toy";
    object.symbol = kernel.getName().str();
    object.object = {'t', 'o', 'y'};
    return describeSignature(kernel.getLoc(), kernel.getFunctionType(), object);
  });
  registrar.addEmitter("toy", {"text", "the kernel as text", Stage::Tile,
                               [](mlir::ModuleOp module, const Target &, llvm::raw_ostream &out) {
                                 out << "toy text of " << (*module.getOps<KernelOp>().begin()).getName()
                                     << "\n";
                                 return mlir::success();
                               }});
  return registrar.status();
}

KilnStatus kiln::jit::testing::queryToy(const KilnHost *, KilnBackendCompiler *out) {
  return queryAs<registerToy>(out, "toy");
}

KilnCompileTarget kiln::jit::testing::toyTarget() {
  KilnCompileTarget target = {};
  target.struct_size = sizeof(target);
  target.device_type = toStr("toy");
  target.backend = toStr("toy");
  target.info.struct_size = sizeof(target.info);
  target.info.arch = toStr("toy-1");
  target.info.features = toStr("+b,+a");
  target.info.options = toStr("level=2");
  return target;
}

ToyCompiler::ToyCompiler(FakeHost &host) {
  compiler.struct_size = sizeof(compiler);
  EXPECT_OK(fromC(kiln_compiler_open_v1(&host.table, &compiler)));
}

Result<ModelHandle> ToyCompiler::import(std::string_view text, std::string_view function,
                                        std::string_view format) {
  KilnImportArgs args = {};
  args.struct_size = sizeof(args);
  args.format = toStr(format);
  args.name = toStr(format.empty() ? "test" : "test.mlir"); // without a format, its ending would decide
  args.data = text.data();
  args.bytes = text.size();
  args.function = toStr(function);
  KilnImportedModel *model = nullptr;
  if (KilnStatus status = compiler.import_model(compiler.self, &args, &model))
    return fromC(status);
  return ModelHandle(model, {compiler.model_release});
}

Result<std::string> ToyCompiler::build(KilnImportedModel *model,
                                       const std::vector<std::vector<int64_t>> &shapes,
                                       std::string_view dumpDir) {
  Shapes flat(shapes);
  KilnProgramArgs args = argsOf(flat, dumpDir);
  KilnBlob blob = {};
  KilnStatus status = compiler.build_program(compiler.self, model, &args, &blob);
  return take(status, blob);
}

Result<std::string> ToyCompiler::compile(std::string_view ir, std::string_view key, std::string_view name) {
  KilnKernelArgs args = {};
  args.struct_size = sizeof(args);
  args.target = toyTarget();
  args.key = toStr(key);
  args.name = toStr(name);
  args.ir = ir.data();
  args.ir_bytes = ir.size();
  KilnBlob blob = {};
  KilnStatus status = compiler.compile_kernel(compiler.self, &args, &blob);
  return take(status, blob);
}

Result<std::string> ToyCompiler::emit(KilnImportedModel *model,
                                      const std::vector<std::vector<int64_t>> &shapes,
                                      std::string_view what) {
  Shapes flat(shapes);
  KilnProgramArgs args = argsOf(flat, "");
  KilnBlob blob = {};
  KilnStatus status = compiler.emit(compiler.self, model, &args, toStr(what), &blob);
  return take(status, blob);
}
