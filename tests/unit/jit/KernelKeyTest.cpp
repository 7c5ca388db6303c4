// KernelKeyTest.cpp: keys depend on what decides a kernel's bytes, and on nothing else.
#include "jit/KernelKey.h"

#include "kiln/IR/Kiln.h"
#include "runtime/KernelStore.h"
#include "runtime/cache/Explain.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <set>

using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr const char *kScale = R"mlir(
  kiln.kernel @scale(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c = kiln.constant dense<2.0> : tensor<f32>
    %y = kiln.mul %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    kiln.yield %y : tensor<?xf32>
  })mlir";

class KernelKeyTest : public ::testing::Test {
protected:
  KernelKeyTest() { context.loadDialect<KilnDialect>(); }
  std::string textOf(llvm::StringRef source) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    return canonicalKernelText(*module);
  }
  static TargetKey target() {
    TargetKey key;
    key.pipeline = "tensor=builtin.module(canonicalize)";
    key.triple = "x86_64-unknown-linux-gnu";
    key.arch = "x86-64-v3";
    key.features = "+avx2,+fma";
    key.options = "level=2";
    key.backend = "toy";
    key.producers = "toy 1.0 (libkiln_toy_compiler.so 1f)";
    key.buildIds = "kiln 0.1.0";
    key.runtimeSymbolsVersion = 1;
    return key;
  }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};
} // namespace

// The key that another process computed: a different one means that caches on disk are lost or, worse,
// confused.
TEST_F(KernelKeyTest, IsTheSameInEveryProcess) {
  EXPECT_EQ(kernelKey(textOf(kScale), target()).hex,
            "42811821f7b85651e032c27eda07ac37d8a5354f980a6f7d25baac65085e58f4");
}

TEST_F(KernelKeyTest, IgnoresNamesAndLocations) {
  std::string renamed = R"mlir(
    kiln.kernel @other(%a: tensor<?xf32>) -> tensor<?xf32> {
      %two = kiln.constant dense<2.0> : tensor<f32> loc("model.onnx: node 'c' (Constant)")
      %r = kiln.mul %a, %two : tensor<?xf32>, tensor<f32> -> tensor<?xf32> loc("elsewhere":7:1)
      kiln.yield %r : tensor<?xf32>
    })mlir";
  EXPECT_EQ(textOf(kScale), textOf(renamed));
}

TEST_F(KernelKeyTest, ChangesWithTheComputation) {
  std::string other = kScale;
  other.replace(other.find("2.0"), 3, "2.5");
  EXPECT_NE(textOf(kScale), textOf(other));
}

TEST_F(KernelKeyTest, ChangesWithEachFieldOfTheTarget) {
  std::string text = textOf(kScale);
  const KernelKey base = kernelKey(text, target());
  std::set<std::string> keys = {base.hex};
  // The key changes, and of the fields' digests exactly the one that `explain` is to name.
  auto differs = [&](auto change, std::vector<std::string> tags) {
    TargetKey key = target();
    change(key);
    KernelKey changed = kernelKey(text, key);
    EXPECT_TRUE(keys.insert(changed.hex).second) << tags[0] << " does not count";
    EXPECT_EQ(differingTags(parseKeyFields(base.fields), parseKeyFields(changed.fields)), tags);
  };
  differs([](TargetKey &k) { k.schema += "x"; }, {"schema"});
  differs([](TargetKey &k) { ++k.abiMajor; }, {"abi"});
  differs([](TargetKey &k) { ++k.abiMinor; }, {"abi"});
  differs([](TargetKey &k) { k.pipeline += "x"; }, {"pipeline"});
  differs([](TargetKey &k) { k.triple += "x"; }, {"triple"});
  differs([](TargetKey &k) { k.arch += "x"; }, {"arch"});
  differs([](TargetKey &k) { k.features += ",+bmi"; }, {"features"});
  differs([](TargetKey &k) { k.options += ";x=1"; }, {"options"});
  differs([](TargetKey &k) { k.backend += "x"; }, {"backend"});
  differs([](TargetKey &k) { k.producers += "x"; }, {"producers"});
  differs([](TargetKey &k) { k.buildIds += "x"; }, {"build-ids"});
  differs([](TargetKey &k) { ++k.runtimeSymbolsVersion; }, {"runtime-symbols"});
  // Fields are delimited: moving a character from one to the next is another key.
  differs(
      [](TargetKey &k) {
        k.arch = "x86-64-v3+";
        k.features = "avx2,+fma";
      },
      {"arch", "features"});
  KernelKey other = kernelKey(text + " ", target());
  EXPECT_NE(other.hex, base.hex);
  EXPECT_EQ(differingTags(parseKeyFields(base.fields), parseKeyFields(other.fields)),
            std::vector<std::string>{"ir"});
}
