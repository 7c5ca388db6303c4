// KernelHarness.cpp: stages by the host's registration, loading by LLJIT. KILN_TEST_DUMP=1 prints the IR of
// each stage.
#include "backends/host/test/codegen/KernelHarness.h"

#include "kiln/IR/Kiln.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <cstring>
#include <ctime>
#include <random>

using namespace mlir;

namespace kiln::host::test {
namespace {

size_t elementBytes(KilnDType type) {
  switch (type) {
  case KILN_I1:
  case KILN_I8:
  case KILN_U8:
    return 1;
  case KILN_F16:
  case KILN_BF16:
  case KILN_I16:
  case KILN_U16:
    return 2;
  case KILN_F32:
  case KILN_I32:
  case KILN_U32:
    return 4;
  default:
    return 8;
  }
}

const llvm::fltSemantics &semantics(KilnDType type) {
  return type == KILN_F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

/// This thread's processor time: other programs on the machine do not count.
double threadMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/// What the host's compiler tier registers, taken as the compiler would.
class Registrations final : public jit::CompilerRegistrar {
public:
  static const Registrations &get() {
    static const Registrations instance;
    return instance;
  }

  mlir::DialectRegistry &dialects() override { return theDialects; }
  void addStage(llvm::StringRef, jit::Stage stage, jit::StageBuilder builder) override {
    stages[static_cast<size_t>(stage)] = std::move(builder);
  }
  void extendStage(llvm::StringRef, jit::Stage, bool, jit::StageBuilder) override {}
  void setObjectEmitter(llvm::StringRef, jit::ObjectEmitter emitter) override {
    objectEmitter = std::move(emitter);
  }
  void addEmitter(llvm::StringRef, jit::Emitter emitter) override { emitters[emitter.name] = emitter; }
  void addPass(std::function<std::unique_ptr<mlir::Pass>()>) override {}
  void addKernelLoader(llvm::StringRef, llvm::StringRef, const KilnKernelLoaderOps &, void *) override {}
  Status status() const override { return {}; }
  const KilnHost &host() const override { return theHost; }

  mlir::DialectRegistry theDialects;
  jit::StageBuilder stages[jit::kStageCount];
  jit::ObjectEmitter objectEmitter;
  std::map<std::string, jit::Emitter> emitters;

private:
  Registrations() {
    theDialects.insert<KilnDialect, func::FuncDialect>();
    KilnBackendCompiler backend{};
    backend.struct_size = sizeof(backend);
    kiln_backend_compiler_query_v1(&theHost, &backend);
    backend.init(nullptr, &theHost, static_cast<jit::CompilerRegistrar *>(this));
  }
  KilnHost theHost{};
};

} // namespace

// ---- Array -----------------------------------------------------------------------------------------------

std::string list(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

Array::Array(KilnDType dtype, std::vector<int64_t> shape)
    : theType(dtype), theShape(std::move(shape)), theOffset(elementBytes(dtype)),
      bytes(size() * elementBytes(dtype) + 2 * kGuard + theOffset, 0xa5) {}

Array Array::of(KilnDType dtype, std::vector<int64_t> shape, const std::vector<double> &values) {
  Array array(dtype, std::move(shape));
  for (int64_t i = 0; i < array.size(); ++i)
    array.set(i, values[i % values.size()]);
  return array;
}

Array Array::random(KilnDType dtype, std::vector<int64_t> shape, double low, double high, uint32_t seed) {
  Array array(dtype, std::move(shape));
  std::mt19937 engine(seed);
  for (int64_t i = 0; i < array.size(); ++i)
    array.set(i, low + (high - low) * (engine() / 4294967296.0));
  return array;
}

int64_t Array::size() const {
  int64_t count = 1;
  for (int64_t extent : theShape)
    count *= extent;
  return count;
}

double Array::get(int64_t index) const {
  size_t width = elementBytes(theType);
  const unsigned char *at = bytes.data() + kGuard + theOffset + index * width;
  uint64_t raw = 0;
  std::memcpy(&raw, at, width);
  auto sign = [&](unsigned bits) { return double(llvm::SignExtend64(raw, bits)); };
  switch (theType) {
  case KILN_F16:
  case KILN_BF16: {
    llvm::APFloat value(semantics(theType), llvm::APInt(16, raw));
    bool lost;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return value.convertToDouble();
  }
  case KILN_F32:
    return llvm::bit_cast<float>(uint32_t(raw));
  case KILN_F64:
    return llvm::bit_cast<double>(raw);
  case KILN_I8:
    return sign(8);
  case KILN_I16:
    return sign(16);
  case KILN_I32:
    return sign(32);
  case KILN_I64:
    return sign(64);
  default:
    return double(raw);
  }
}

void Array::set(int64_t index, double value) {
  size_t width = elementBytes(theType);
  uint64_t raw;
  switch (theType) {
  case KILN_F16:
  case KILN_BF16: {
    llvm::APFloat number(value);
    bool lost;
    number.convert(semantics(theType), llvm::APFloat::rmNearestTiesToEven, &lost);
    raw = number.bitcastToAPInt().getZExtValue();
    break;
  }
  case KILN_F32:
    raw = llvm::bit_cast<uint32_t>(float(value));
    break;
  case KILN_F64:
    raw = llvm::bit_cast<uint64_t>(value);
    break;
  case KILN_I1:
    raw = value >= 0.5;
    break;
  case KILN_U64:
    raw = uint64_t(value);
    break;
  default:
    raw = uint64_t(int64_t(value));
  }
  std::memcpy(bytes.data() + kGuard + theOffset + index * width, &raw, width);
}

std::vector<double> Array::values() const {
  std::vector<double> result(size());
  for (int64_t i = 0; i < size(); ++i)
    result[i] = get(i);
  return result;
}

bool Array::guardsIntact() const {
  size_t begin = kGuard + theOffset, end = begin + size() * elementBytes(theType);
  for (size_t i = 0; i < bytes.size(); ++i)
    if ((i < begin || i >= end) && bytes[i] != 0xa5)
      return false;
  return true;
}

// ---- Targets ---------------------------------------------------------------------------------------------

jit::Target testTarget(llvm::StringRef arch) {
  std::string features =
      "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse4.1,+sse4.2,+ssse3";
  if (arch == "x86-64-v4")
    features += ",+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl";
  KilnCompileTarget target{};
  target.struct_size = sizeof(target);
  target.device_type = target.backend = toStr("host");
  target.info.struct_size = sizeof(target.info);
  target.info.triple = toStr("x86_64-unknown-linux-gnu");
  target.info.arch = toStr(std::string_view(arch.data(), arch.size()));
  target.info.features = toStr(features);
  return jit::Target::fromC(target);
}

std::vector<std::string> runnableArchs() {
  llvm::StringMap<bool> features;
#if LLVM_VERSION_MAJOR >= 19
  features = llvm::sys::getHostCPUFeatures();
#endif
  std::vector<std::string> archs{"x86-64-v3"};
  if (features.lookup("avx512f") && features.lookup("avx512vl") && features.lookup("avx512bw"))
    archs.push_back("x86-64-v4");
  return archs;
}

// ---- Kernel ----------------------------------------------------------------------------------------------

Kernel::Kernel() = default;
Kernel::~Kernel() = default;

std::unique_ptr<Kernel> Kernel::compile(llvm::StringRef text, llvm::StringRef arch, std::string *error) {
  const Registrations &host = Registrations::get();
  MLIRContext context(host.theDialects, MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
  auto fail = [&](const char *where) {
    if (error)
      *error = std::string(where) + ": " + diagnostics;
    return nullptr;
  };
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return fail("parse");
  auto kernel = std::make_unique<Kernel>();
  for (Operation &op : *module->getBody())
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (TypeRange types : {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
        for (Type type : types)
          if (auto tensor = dyn_cast<RankedTensorType>(type)) {
            kernel->shapes.emplace_back();
            for (int64_t extent : tensor.getShape())
              kernel->shapes.back().push_back(ShapedType::isDynamic(extent) ? -1 : extent);
          }
  jit::Target target = testTarget(arch);
  bool isKernel = !module->getOps<KernelOp>().empty();
  bool dump = std::getenv("KILN_TEST_DUMP");
  double begin = threadMs();
  for (jit::Stage stage : {jit::Stage::Tensor, jit::Stage::Tile, jit::Stage::Buffer, jit::Stage::Lower}) {
    if (stage == jit::Stage::Tensor && !isKernel)
      continue;
    PassManager pm(&context);
    host.stages[static_cast<size_t>(stage)](pm, target);
    if (dump && std::getenv("KILN_TEST_DUMP")[0] == '2') {
      context.disableMultithreading();
      pm.enableIRPrinting();
    }
    if (std::getenv("KILN_TEST_TIMING"))
      pm.enableTiming();
    if (failed(pm.run(*module)))
      return fail(jit::stageName(stage).data());
    if (dump) {
      llvm::errs() << "// ---- " << jit::stageName(stage) << "\n";
      module->print(llvm::errs());
    }
  }
  if (failed(host.objectEmitter(*module, target, kernel->builder)))
    return fail("emit");
  kernel->theCompileMs = threadMs() - begin;
  llvm::raw_string_ostream assembly(kernel->theAssembly);
  if (failed(host.emitters.at("asm").emit(*module, target, assembly)))
    return fail("asm");
  if (dump)
    llvm::errs() << "// ---- asm\n" << kernel->theAssembly;

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto engine = llvm::orc::LLJITBuilder().create();
  if (!engine) {
    diagnostics += llvm::toString(engine.takeError());
    return fail("load");
  }
  kernel->engine = std::move(*engine);
  llvm::StringRef object(reinterpret_cast<const char *>(kernel->builder.object.data()),
                         kernel->builder.object.size());
  llvm::Error added = kernel->engine->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernel"));
  if (added) {
    diagnostics += llvm::toString(std::move(added));
    return fail("load");
  }
  auto symbol = kernel->engine->lookup(kernel->builder.symbol);
  if (!symbol) {
    diagnostics += llvm::toString(symbol.takeError());
    return fail("load");
  }
  kernel->entry = symbol->toPtr<void *>();
  return kernel;
}

std::unique_ptr<Kernel> compileOrFail(llvm::StringRef text, llvm::StringRef arch) {
  std::string error;
  std::unique_ptr<Kernel> kernel = Kernel::compile(text, arch, &error);
  if (!kernel)
    ADD_FAILURE() << error << "\n" << text.str();
  return kernel;
}

std::vector<int64_t> Kernel::constants(const std::vector<Array *> &bindings,
                                       const std::vector<int64_t> &index) const {
  std::vector<int64_t> values = index;
  for (size_t i = 0; i < bindings.size(); ++i)
    for (size_t dim = 0; dim < shapes[i].size(); ++dim)
      if (shapes[i][dim] < 0)
        values.push_back(bindings[i]->shape()[dim]);
  return values;
}

int64_t Kernel::tiles(const std::vector<Array *> &bindings, const std::vector<int64_t> &index) const {
  return evaluate(builder.grid[0], constants(bindings, index));
}

void Kernel::run(std::vector<Array *> bindings, std::vector<int64_t> index, int64_t split) {
  ASSERT_EQ(bindings.size(), builder.bindings.size());
  std::vector<int64_t> values = constants(bindings, index);
  ASSERT_EQ(values.size(), builder.constantCount);
  std::vector<void *> pointers;
  for (size_t i = 0; i < bindings.size(); ++i) {
    EXPECT_EQ(evaluate(builder.bindings[i].bytes, values),
              bindings[i]->size() * int64_t(elementBytes(bindings[i]->dtype())))
        << "bytes of binding " << i;
    KilnDType dtype = builder.bindings[i].dtype;
    if (dtype == KILN_I4 || dtype == KILN_U4)
      dtype = KILN_U8; // an array of the bytes that they are packed in
    EXPECT_EQ(dtype, bindings[i]->dtype()) << "dtype of binding " << i;
    pointers.push_back(bindings[i]->data());
  }
  std::vector<char> workspace(builder.workspaceBytes.empty() ? 0 : evaluate(builder.workspaceBytes, values));
  int64_t tiles = evaluate(builder.grid[0], values);
  if (split == 0)
    split = tiles;
  // Backwards: a kernel is right for any order of its tiles.
  for (int64_t end = tiles; end > 0; end -= split)
    fn()(pointers.data(), values.data(), workspace.data(), std::max<int64_t>(0, end - split), end);
  for (size_t i = 0; i < bindings.size(); ++i)
    EXPECT_TRUE(bindings[i]->guardsIntact()) << "binding " << i << " was overrun";
}

std::string tensorType(KilnDType dtype, const std::vector<int64_t> &shape) {
  static const char *const names[] = {"?",   "f16", "bf16", "f32", "f64",  "i1",   "i8",
                                      "i16", "i32", "i64",  "ui8", "ui16", "ui32", "ui64"};
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  return text + names[dtype] + ">";
}

std::string kernelText(const std::vector<std::string> &types, const std::string &body,
                       const std::string &resultType) {
  std::string text = "kiln.kernel @k(";
  for (size_t i = 0; i < types.size(); ++i)
    text += (i ? ", %" : "%") + ("a" + std::to_string(i)) + ": " + types[i];
  return text + ") -> " + resultType + " {\n" + body + "\n  kiln.yield %r : " + resultType + "\n}\n";
}

void forEachIndex(const std::vector<int64_t> &shape,
                  const std::function<void(const std::vector<int64_t> &)> &visit) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  while (true) {
    visit(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t position(const std::vector<int64_t> &shape, const std::vector<int64_t> &index) {
  int64_t at = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    at = at * shape[axis] + index[axis];
  return at;
}

int64_t evaluate(const jit::LaunchExpr &expr, const std::vector<int64_t> &constants) {
  using Op = jit::LaunchExpr::Op;
  std::vector<int64_t> stack;
  for (jit::LaunchExpr::Node node : expr.nodes()) {
    if (node.op == Op::Literal || node.op == Op::Constant) {
      stack.push_back(node.op == Op::Literal ? node.value : constants.at(node.value));
      continue;
    }
    int64_t b = stack.back();
    stack.pop_back();
    int64_t a = stack.back();
    int64_t &top = stack.back();
    switch (node.op) {
    case Op::Add:
      top = a + b;
      break;
    case Op::Sub:
      top = a - b;
      break;
    case Op::Mul:
      top = a * b;
      break;
    case Op::FloorDiv:
      top = a / b;
      break;
    case Op::CeilDiv:
      top = (a + b - 1) / b;
      break;
    case Op::Mod:
      top = a % b;
      break;
    case Op::Min:
      top = std::min(a, b);
      break;
    case Op::Max:
      top = std::max(a, b);
      break;
    case Op::Literal:
    case Op::Constant:
      break;
    }
  }
  return stack.at(0);
}

testing::AssertionResult closeTo(const Array &got, const std::vector<double> &want, double rtol,
                                 double atol) {
  int64_t worst = -1, wrong = 0;
  double excess = 0;
  for (int64_t i = 0; i < got.size(); ++i) {
    double g = got.get(i), w = want[i];
    if ((std::isnan(g) && std::isnan(w)) || g == w)
      continue;
    double error =
        std::isfinite(g) && std::isfinite(w) ? std::abs(g - w) / (atol + rtol * std::abs(w)) : INFINITY;
    if (!(error <= 1)) {
      ++wrong;
      if (worst < 0 || error > excess) {
        worst = i;
        excess = error;
      }
    }
  }
  if (worst < 0)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " of " << got.size() << " elements beyond " << atol << " + "
                                     << rtol << "*|want|; worst at " << worst << ": got " << got.get(worst)
                                     << ", want " << want[worst] << " (" << excess << " x)";
}

} // namespace kiln::host::test
