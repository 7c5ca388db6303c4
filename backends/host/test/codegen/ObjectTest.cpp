// ObjectTest.cpp: what the objects are made of: packed instructions, symbols, metadata, errors; how large
// they are.
#include "backends/host/EmitObject.h"
#include "backends/host/test/codegen/KernelHarness.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace kiln::host::test {
namespace {

const std::pair<const char *, std::string> kHotKernels[] = {
    {"add",
     kernelText({"tensor<4096x256xf32>", "tensor<256xf32>"},
                "  %r = kiln.add %a0, %a1 : tensor<4096x256xf32>, tensor<256xf32> -> tensor<4096x256xf32>",
                "tensor<4096x256xf32>")},
    {"gelu", kernelText({"tensor<128x3072xf32>"}, "  %r = kiln.gelu %a0 : tensor<128x3072xf32>",
                        "tensor<128x3072xf32>")},
    {"softmax",
     kernelText({"tensor<12x128x128xf32>"}, "  %r = kiln.softmax %a0 axis -1 : tensor<12x128x128xf32>",
                "tensor<12x128x128xf32>")},
    {"layer_norm",
     kernelText({"tensor<128x768xf32>", "tensor<768xf32>", "tensor<768xf32>"},
                "  %r = kiln.layer_norm %a0 scale(%a1 : tensor<768xf32>) bias(%a2 : tensor<768xf32>) axis -1 "
                "epsilon 1.0e-5 : tensor<128x768xf32>",
                "tensor<128x768xf32>")},
    {"transpose",
     kernelText({"tensor<512x512xf32>"},
                "  %r = kiln.transpose %a0 perm [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>",
                "tensor<512x512xf32>")},
    {"matmul",
     kernelText(
         {"tensor<128x768xf32>", "tensor<768x3072xf32>", "tensor<3072xf32>"},
         "  %m = kiln.matmul %a0, %a1 : tensor<128x768xf32>, tensor<768x3072xf32> -> tensor<128x3072xf32>\n"
         "  %s = kiln.add %m, %a2 : tensor<128x3072xf32>, tensor<3072xf32> -> tensor<128x3072xf32>\n"
         "  %r = kiln.relu %s : tensor<128x3072xf32>",
         "tensor<128x3072xf32>")},
    {"conv",
     kernelText({"tensor<1x64x56x56xf32>", "tensor<64x64x3x3xf32>", "tensor<64xf32>"},
                "  %c = kiln.conv %a0, %a1 bias %a2 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : "
                "tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>, tensor<64xf32> -> tensor<1x64x56x56xf32>\n"
                "  %r = kiln.relu %c : tensor<1x64x56x56xf32>",
                "tensor<1x64x56x56xf32>")},
    {"depthwise",
     kernelText(
         {"tensor<1x96x28x28xf32>", "tensor<96x1x5x5xf32>", "tensor<96xf32>"},
         "  %c = kiln.conv %a0, %a1 bias %a2 strides [1, 1] pads [2, 2, 2, 2] dilations [1, 1] groups 96 "
         ": tensor<1x96x28x28xf32>, tensor<96x1x5x5xf32>, tensor<96xf32> -> tensor<1x96x28x28xf32>\n"
         "  %r = kiln.relu %c : tensor<1x96x28x28xf32>",
         "tensor<1x96x28x28xf32>")},
    {"gemv",
     kernelText(
         {"tensor<1x768xf32>", "tensor<768x3072xf32>", "tensor<3072xf32>"},
         "  %m = kiln.matmul %a0, %a1 : tensor<1x768xf32>, tensor<768x3072xf32> -> tensor<1x3072xf32>\n"
         "  %r = kiln.add %m, %a2 : tensor<1x3072xf32>, tensor<3072xf32> -> tensor<1x3072xf32>",
         "tensor<1x3072xf32>")},
    {"pool",
     kernelText({"tensor<1x64x56x56xf32>"},
                "  %r = kiln.max_pool %a0 kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : "
                "tensor<1x64x56x56xf32> -> tensor<1x64x56x56xf32>",
                "tensor<1x64x56x56xf32>")},
    {"widen",
     kernelText({"tensor<65536xbf16>", "tensor<65536xf16>"},
                "  %x = kiln.convert %a0 : tensor<65536xbf16> to tensor<65536xf32>\n"
                "  %y = kiln.convert %a1 : tensor<65536xf16> to tensor<65536xf32>\n"
                "  %s = kiln.add %x, %y : tensor<65536xf32>, tensor<65536xf32> -> tensor<65536xf32>\n"
                "  %r = kiln.convert %s : tensor<65536xf32> to tensor<65536xbf16>",
                "tensor<65536xbf16>")},
};

class ObjectTest : public testing::TestWithParam<std::string> {};

/// Instructions of `assembly` that work on whole vectors, and floating-point ones that work on one element.
std::pair<int, int> countVectorInstructions(const std::string &assembly, const std::string &registers) {
  int packed = 0, scalar = 0;
  size_t begin = 0;
  while (begin < assembly.size()) {
    size_t end = assembly.find('\n', begin);
    std::string line = assembly.substr(begin, end - begin);
    begin = end == std::string::npos ? assembly.size() : end + 1;
    packed += line.find(registers) != std::string::npos;
    size_t name = line.find_first_not_of(" \t");
    std::string op =
        name == std::string::npos ? "" : line.substr(name, line.find_first_of(" \t", name) - name);
    bool isMath = op.rfind("vadd", 0) == 0 || op.rfind("vmul", 0) == 0 || op.rfind("vfmadd", 0) == 0 ||
                  op.rfind("vdiv", 0) == 0;
    scalar += isMath && op.size() > 2 && op.compare(op.size() - 2, 2, "ss") == 0;
  }
  return {packed, scalar};
}

TEST_P(ObjectTest, HotKernelsAreVectorCode) {
  for (const auto &[name, text] : kHotKernels) {
    auto kernel = compileOrFail(text, GetParam());
    ASSERT_TRUE(kernel);
    auto [packed, scalar] =
        countVectorInstructions(kernel->assembly(), GetParam() == "x86-64-v4" ? "%zmm" : "%ymm");
    EXPECT_GE(packed, 8) << name << "\n" << kernel->assembly();
    EXPECT_GT(packed, 4 * scalar) << name << "\n" << kernel->assembly();
    EXPECT_EQ(kernel->assembly().find("callq\t__"), std::string::npos) << name;
    EXPECT_NE(kernel->object().codeTemplate, "scalar")
        << name << ": --profile would not count it as vectorized";
  }
}

// What a kernel costs to make goes with the size of its code: some 10 ms for each KB.
TEST_P(ObjectTest, HotKernelsAreSmall) {
  for (const auto &[name, text] : kHotKernels) {
    auto kernel = compileOrFail(text, GetParam());
    ASSERT_TRUE(kernel);
    size_t bytes = kernel->object().object.size();
    std::cout << "  " << GetParam() << " " << name << ": " << bytes << " bytes in " << kernel->compileMs()
              << " ms\n";
    EXPECT_LT(bytes, 20000) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, ObjectTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

TEST(ObjectMetadataTest, DescribesTheLaunch) {
  auto kernel =
      compileOrFail(kernelText({"tensor<?x8xui8>", "tensor<8xi1>"},
                               "  %c = kiln.convert %a1 : tensor<8xi1> to tensor<8xui8>\n"
                               "  %r = kiln.add %a0, %c : tensor<?x8xui8>, tensor<8xui8> -> tensor<?x8xui8>",
                               "tensor<?x8xui8>"));
  ASSERT_TRUE(kernel);
  const jit::KernelObjectBuilder &object = kernel->object();
  EXPECT_EQ(object.format, "host-elf");
  EXPECT_EQ(object.symbol, "k");
  EXPECT_EQ(object.codeTemplate, "elementwise");
  EXPECT_EQ(object.constantCount, 2u); // the extent of the argument, the extent of the result
  ASSERT_EQ(object.bindings.size(), 3u);
  EXPECT_EQ(object.bindings[0].dtype, KilnDType(KILN_U8));
  EXPECT_EQ(object.bindings[1].dtype, KilnDType(KILN_I1));
  EXPECT_EQ(object.bindings[0].kind, jit::KernelObjectBuilder::BindingKind::In);
  EXPECT_EQ(object.bindings[2].kind, jit::KernelObjectBuilder::BindingKind::Out);
  EXPECT_EQ(evaluate(object.bindings[2].bytes, {5, 5}), 40);
  EXPECT_EQ(evaluate(object.grid[0], {5, 5}), 1);
  EXPECT_EQ(evaluate(object.flops, {5, 5}), 40);
  EXPECT_EQ(evaluate(object.trafficBytes, {5, 5}), 88);
  EXPECT_GT(evaluate(object.grid[0], {1 << 20, 1 << 20}), 16);
}

TEST(ObjectMetadataTest, MapsCodeToOps) {
  auto kernel =
      compileOrFail(kernelText({"tensor<64x64xf32>"},
                               "  %s = kiln.reduce sum %a0 axes [1] : tensor<64x64xf32> -> tensor<64xf32>\n"
                               "  %r = kiln.exp %s : tensor<64xf32>",
                               "tensor<64xf32>"));
  ASSERT_TRUE(kernel);
  const auto &table = kernel->object().pcTable;
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end()));
  for (uint32_t op : {0u, 1u})
    EXPECT_TRUE(std::any_of(table.begin(), table.end(), [&](const auto &entry) {
      return entry.second == op;
    })) << op;
  for (const auto &[pc, op] : table)
    EXPECT_LT(op, 3u) << "at " << pc;
}

TEST(ObjectMetadataTest, RefusesCallsOutsideTheSymbolTable) {
  std::string error;
  EXPECT_EQ(Kernel::compile(R"(
      #id = affine_map<(d0) -> (d0)>
      func.func @k(%a: tensor<8xf128>) -> tensor<8xf128> attributes {kiln.kernel} {
        %e = tensor.empty() : tensor<8xf128>
        %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%a : tensor<8xf128>) outs(%e : tensor<8xf128>) {
        ^bb0(%x: f128, %o: f128):
          %s = arith.divf %x, %x : f128
          linalg.yield %s : f128
        } -> tensor<8xf128>
        return %r : tensor<8xf128>
      })",
                            "x86-64-v3", &error),
            nullptr);
  EXPECT_NE(error.find("object calls '__divtf3'; kernels call only memcpy, memmove, memset and memcmp"),
            std::string::npos)
      << error;
}

TEST(ObjectMetadataTest, RefusesAnotherMachine) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry);
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    error += diagnostic.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "llvm.func @k() attributes {kiln.kernel} {\n  llvm.return\n}", &context);
  ASSERT_TRUE(module);
  jit::Target target = testTarget("x86-64-v3");
  target.triple = "riscv64-unknown-linux-gnu";
  jit::KernelObjectBuilder builder;
  EXPECT_TRUE(mlir::failed(emitObject(*module, target, builder)));
  EXPECT_NE(error.find("target 'riscv64-unknown-linux-gnu'"), std::string::npos) << error;
  EXPECT_NE(error.find("the host backend compiles for x86-64"), std::string::npos) << error;

  // Without the attributes of its bindings an entry has no metadata; without an entry there is no kernel.
  error.clear();
  EXPECT_TRUE(mlir::failed(emitObject(*module, testTarget("x86-64-v3"), builder)));
  EXPECT_NE(error.find("entry lacks the attributes of its bindings"), std::string::npos) << error;
  (*module->getOps<mlir::LLVM::LLVMFuncOp>().begin())->removeAttr("kiln.kernel");
  error.clear();
  EXPECT_TRUE(mlir::failed(emitObject(*module, testTarget("x86-64-v3"), builder)));
  EXPECT_NE(error.find("module has no kernel entry"), std::string::npos) << error;
}

TEST(ObjectMetadataTest, RefusesWhatDoesNotParse) {
  std::string error;
  EXPECT_EQ(Kernel::compile(
                "kiln.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {\n  kiln.yield %x : tensor<5xf32>\n}",
                "x86-64-v3", &error),
            nullptr);
  EXPECT_NE(error.find("parse"), std::string::npos) << error;
}

} // namespace
} // namespace kiln::host::test
