// FakeRuntime.cpp: the fake compiler's table and the fake backends.
#include "tests/unit/runtime/FakeRuntime.h"

#include "runtime/Sha256.h"
#include "tests/unit/runtime/ProgramMaker.h"

using namespace kiln;
using namespace kiln::testing;
using schema::ArithOp;

struct KilnImportedModel {
  FakeCompiler &compiler;
};

namespace {

constexpr size_t kWeights = 64;

FakeCompiler &compilerOf(void *self) { return *static_cast<FakeCompiler *>(self); }

KilnStatus importModel(void *self, const KilnImportArgs *args, KilnImportedModel **out) {
  FakeCompiler &compiler = compilerOf(self);
  ++compiler.imports;
  if (!compiler.importFailure.ok())
    return toC(compiler.importFailure);
  compiler.importShapes.clear();
  compiler.importPrecision = args->precision;
  const int64_t *dims = args->dims;
  for (size_t i = 0; i < args->input_count; dims += args->ranks[i++])
    compiler.importShapes +=
        fmt::format("{}={} ", toView(args->input_names[i]), fmt::join(std::span(dims, args->ranks[i]), "x"));
  ++compiler.modelsAlive;
  *out = new KilnImportedModel{compiler};
  return nullptr;
}
void modelRelease(KilnImportedModel *model) {
  --model->compiler.modelsAlive;
  delete model;
}
KilnStr modelDigest(KilnImportedModel *) { return toStr("digest-of-the-fake-model"); }
size_t portCount(KilnImportedModel *, uint32_t) { return 1; }
KilnStatus modelPort(KilnImportedModel *, uint32_t isOutput, size_t, KilnModelPort *port) {
  port->name = isOutput ? toStr("y") : toStr("x");
  port->dtype = KILN_F32;
  port->rank = 1;
  port->dims[0] = -1;
  port->dim_names[0] = toStr("N");
  return nullptr;
}
// The fake model knows no shapes of its own, so one object stands for every import.
KilnStatus modelForShapes(void *self, KilnImportedModel *model, const int64_t *dims, const uint32_t *, size_t,
                          KilnImportedModel **out) {
  FakeCompiler &compiler = compilerOf(self);
  if (compiler.needsShapes && dims[0] == -1)
    return toC(unimplemented("input 'x': an extent is not known"));
  compiler.shapedImports += compiler.needsShapes;
  *out = model;
  return nullptr;
}
KilnStatus modelWeight(KilnImportedModel *model, KilnStr digest, KilnWeight *out) {
  *out = {digest, model->compiler.weights.data(), kWeights * sizeof(float)};
  return nullptr;
}

// Owns what a blob points to.
KilnBlob blobOf(std::vector<uint8_t> bytes) {
  auto *owner = new std::vector<uint8_t>(std::move(bytes));
  return {owner->data(), owner->size(), [](void *p) { delete static_cast<std::vector<uint8_t> *>(p); },
          owner};
}

KilnStatus buildProgram(void *self, KilnImportedModel *, const KilnProgramArgs *args, KilnBlob *out) {
  FakeCompiler &compiler = compilerOf(self);
  int64_t n = args->dims[0];
  if (n == -1) {
    ++compiler.dynamicRequests;
    if (compiler.refusesDynamic)
      return toC(unimplemented("kernel 'mul': dynamic extents"));
  }
  ++compiler.programs;
  if (compiler.onBuild)
    compiler.onBuild();
  ProgramMaker maker;
  maker.program.register_count = 2;
  maker.program.function = "main";
  schema::Operand extent = n == -1 ? reg(0) : imm(n);
  maker.program.setup = block(arith(ArithOp::Mul, 1, extent, imm(4)));
  uint32_t x = maker.input("x", {extent});
  uint32_t y = maker.output("y", {extent});
  uint32_t w = maker.constant(compiler.weights);
  maker.program.constants[0]->inline_data.clear(); // handed over
  uint32_t mul = maker.kernel(kernelObject("mul", {"in", "in", "out"}));
  maker.program.kernels[mul]->object.clear();
  maker.program.kernels[mul]->ir = {'m', 'u', 'l'};
  maker.program.kernels[mul]->ir_digest = "digest of mul";
  if (compiler.kernelPerShape)
    maker.program.kernels[mul]->key = Sha256::of(std::to_string(n));
  auto mul1 =
      launch(mul, {range(x), range(w, imm(0), reg(1)), range(y)}, {}, "mul_1", "fake.onnx: node 'mul_1'");
  mul1->action.AsLaunch()->op_locations = {"fake.onnx: node 'mul_1'"};
  maker.body(std::move(mul1));
  auto check = std::make_unique<schema::CheckT>();
  check->rtol = 1e-4;
  check->location = "fake.mlir:3";
  maker.program.checks.push_back(std::move(check));
  *out = blobOf(pack(maker.program));
  return nullptr;
}

KilnStatus compileKernel(void *self, const KilnKernelArgs *args, KilnBlob *out) {
  FakeCompiler &compiler = compilerOf(self);
  ++compiler.compiles;
  if (compiler.onCompile)
    compiler.onCompile();
  if (!compiler.compileFailure.ok())
    return toC(compiler.compileFailure);
  schema::KernelObjectT object =
      kernelObject(std::string(static_cast<const char *>(args->ir), args->ir_bytes), {"in", "in", "out"});
  object.key = toView(args->key);
  object.flops = expr("64");
  *out = blobOf(pack(object));
  return nullptr;
}

KilnStatus emit(void *, KilnImportedModel *, const KilnProgramArgs *args, KilnStr what, KilnBlob *out) {
  if (toView(what) != "tensor")
    return toC(invalidArgument("'{}' is no stage; expected tensor", toView(what)));
  std::string text = fmt::format("// {} for {}\n", args->dims[0], toView(args->target.device_type));
  *out = blobOf({text.begin(), text.end()});
  return nullptr;
}

KilnStatus visitFunctions(void *, const KilnImportArgs *, void (*visit)(void *arg, KilnStr function),
                          void *arg) {
  visit(arg, toStr("first"));
  visit(arg, toStr("second"));
  return nullptr;
}

} // namespace

namespace kiln::testing {

FakeCompiler::FakeCompiler() : weights(kWeights, 2.0f) {
  theTable.struct_size = sizeof(theTable);
  theTable.self = this;
  theTable.version = toStr("fake compiler 1");
  theTable.import_model = importModel;
  theTable.model_release = modelRelease;
  theTable.model_for_shapes = modelForShapes;
  theTable.model_digest = modelDigest;
  theTable.model_port_count = portCount;
  theTable.model_port = modelPort;
  theTable.model_weight = modelWeight;
  theTable.build_program = buildProgram;
  theTable.compile_kernel = compileKernel;
  theTable.emit = emit;
  theTable.visit_functions = visitFunctions;
}

Result<DeviceChoice> FakeBackends::resolve(std::string_view device) {
  if (device.empty() || device == "auto" || device == "fake" || device == "fake:0")
    return DeviceChoice{*deviceType("fake"), 0};
  return notFound("unknown device '{}'; 'fake' is ready", device);
}
Result<std::vector<DeviceChoice>> FakeBackends::devices() {
  return std::vector<DeviceChoice>{{*deviceType("fake"), 0}, {*deviceType("fake"), 1}};
}
Result<std::shared_ptr<const DeviceType>> FakeBackends::deviceType(std::string_view type) {
  if (type != "fake")
    return notFound("unknown device type '{}'", type);
  return std::shared_ptr<const DeviceType>(&fake.type(), [](const DeviceType *) {});
}
Result<std::shared_ptr<const KernelLoader>>
FakeBackends::kernelLoader(std::string_view, std::string_view format, std::string_view) {
  if (format != "fake-obj")
    return notFound("backend 'fake' has no loader for '{}'", format);
  return std::shared_ptr<const KernelLoader>(&fake.loader(), [](const KernelLoader *) {});
}
Status FakeBackends::checkOptions(std::string_view backend, std::string_view options) {
  return options.starts_with("wrong") ? invalidArgument("backend '{}': no option '{}'", backend, options)
                                      : Status();
}
Result<KilnBackendCompilerQueryFn> FakeBackends::compilerQuery(std::string_view backend) {
  return unimplemented("backend '{}' has no compiler tier", backend);
}

FakeRuntime::FakeRuntime(KernelBudget budget, std::shared_ptr<CacheStack> cache)
    : instance{std::make_shared<Instance>(backends, compiler, budget, std::move(cache))} {
  device.kernels["mul"] = [](const KilnLaunch &launch) {
    auto at = [&](size_t i) { return reinterpret_cast<float *>(launch.bindings[i].address); };
    for (uint64_t i = 0; i < launch.bindings[2].bytes / sizeof(float); ++i)
      at(2)[i] = at(0)[i] * at(1)[i];
  };
}

} // namespace kiln::testing
