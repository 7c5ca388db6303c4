// CodeWriterTest.cpp: the code of a function hangs on its ops alone, not on where they lie in memory.
#include "backends/npu/CodeWriter.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::npu;

namespace {

constexpr unsigned kBuckets =
    64; // of a DenseMap when it is first filled; it grows when three quarters are used

/// A loop whose result is the value that makes the writer's map of `kBuckets` grow: the carried value and the
/// counter come first, then the body's, then the result.
std::string loopText() {
  std::string text = R"(
    module attributes {npu.chip = "910b"} {
      func.func @f(%x: memref<8xi32>) attributes {npu.core = "aiv"} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %zero = arith.constant 0 : i32
        %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%v0 = %zero) -> (i32) {
)";
  constexpr unsigned kInBody = kBuckets * 3 / 4 - 3;
  for (unsigned i = 0; i < kInBody; ++i)
    text += "          %v" + std::to_string(i + 1) + " = arith.xori %v" + std::to_string(i) + ", %v0 : i32\n";
  text += "          scf.yield %v" + std::to_string(kInBody) + R"( : i32
        }
        npu.sts %sum, <ub>[%c0 + 0] : i32
        return
      }
    })";
  return text;
}

std::string codeOf(func::FuncOp function) {
  CodeWriter writer(function);
  if (failed(writer.run()))
    return "refused";
  std::string text;
  for (const kiln::npu::Inst &inst : writer.takeCode())
    text += printInst(inst) + "\n";
  return text;
}

} // namespace

// A result's register was once read from the map's old memory after the map had grown: wrong whenever the
// carried value had its first place, whose bytes the allocator uses.
TEST(CodeWriterTest, ALoopsResultIsTheCarriedValueWhereverItLies) {
  DialectRegistry registry;
  registry.insert<ir::NpuDialect, arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  scf::SCFDialect>();
  MLIRContext context(registry);
  std::string text = loopText(), want;
  std::vector<OwningOpRef<ModuleOp>> modules; // kept, so that each lies elsewhere
  for (int atFirstPlace = 0; atFirstPlace < 3;) {
    ASSERT_LT(modules.size(), 4000u) << "no carried value falls to the first bucket";
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    ASSERT_TRUE(modules.back());
    auto function = *modules.back()->getOps<func::FuncOp>().begin();
    auto loop = *function.getBody().front().getOps<scf::ForOp>().begin();
    Value carried = loop.getRegionIterArg(0);
    bool isFirst = llvm::DenseMapInfo<Value>::getHashValue(carried) % kBuckets == 0;
    if (!want.empty() && !isFirst)
      continue;
    std::string code = codeOf(function);
    if (want.empty())
      want = code;
    ASSERT_EQ(code, want);
    atFirstPlace += isFirst;
  }
  EXPECT_NE(want.find("sts.i32 ub"), std::string::npos) << want;
}

// A copy that needs no instruction once registers are chosen leaves its op without code.
TEST(CodeWriterTest, OpsWithoutCodeHaveNoRange) {
  DialectRegistry registry;
  registry.insert<ir::NpuDialect, arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  scf::SCFDialect>();
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(R"(
    module attributes {npu.chip = "910b"} {
      func.func @f(%x: memref<8xi32>) attributes {npu.core = "aiv"} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        scf.for %i = %c0 to %c8 step %c1 {
          %a = arith.addi %i, %c8 : index loc("kernel":1:0)
          %b = arith.index_cast %a : index to i32 loc("kernel":2:0)
          %c = arith.index_cast %b : i32 to index loc("kernel":3:0)
          %d = arith.index_cast %c : index to i32 loc("kernel":2:0)
          npu.sts %d, <ub>[%i + 0] : i32 loc("kernel":4:0)
        }
        return
      }
    })",
                                            &context);
  ASSERT_TRUE(module);
  CodeWriter writer(*module->getOps<func::FuncOp>().begin());
  ASSERT_TRUE(succeeded(writer.run()));
  const auto &ranges = writer.opRanges();
  ASSERT_GE(ranges.size(), 2u);
  for (size_t i = 1; i < ranges.size(); ++i) {
    EXPECT_LT(ranges[i - 1].first, ranges[i].first);
    EXPECT_NE(ranges[i - 1].second, ranges[i].second);
  }
  EXPECT_EQ(ranges.back().second, 3u);
}

// A transfer that may begin between two lines of GM goes up to the next one by itself; one that cannot, or is
// short, is one instruction.
TEST(CodeWriterTest, LongTransfersMeetLines) {
  DialectRegistry registry;
  registry.insert<ir::NpuDialect, arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  scf::SCFDialect>();
  MLIRContext context(registry);
  auto transfersFor = [&](int64_t rows, int64_t columns) {
    std::string tile = std::to_string(rows) + "x" + std::to_string(columns) + "xf32",
                sizes = std::to_string(rows) + ", " + std::to_string(columns),
                strides = std::to_string(columns) + ", 1";
    auto module = parseSourceString<ModuleOp>(R"(
      module attributes {npu.chip = "910b"} {
        func.func @f(%x: memref<)" + std::to_string(64 * rows) +
                                                  "x" + std::to_string(columns) + R"(xf32, #npu.memory<gm>>)
            attributes {npu.core = "aiv"} {
          %c = arith.constant )" + std::to_string(rows * columns) +
                                                  R"( : index
          %block = npu.block_idx : index
          %start = arith.muli %block, %c : index
          %gm = memref.reinterpret_cast %x to offset: [%start], sizes: [)" +
                                                  sizes + "], strides: [" + strides + R"(]
              : memref<)" + std::to_string(64 * rows) +
                                                  "x" + std::to_string(columns) +
                                                  "xf32, #npu.memory<gm>> to memref<" + tile + ", strided<[" +
                                                  strides + R"(], offset: ?>, #npu.memory<gm>>
          %ub = npu.buffer 0 : memref<)" + tile + R"(, #npu.memory<ub>>
          npu.load ins(%gm : memref<)" + tile + ", strided<[" +
                                                  strides + R"(], offset: ?>, #npu.memory<gm>>)
              outs(%ub : memref<)" + tile + R"(, #npu.memory<ub>>)
          return
        }
      })",
                                              &context);
    if (!module)
      return -1;
    std::string code = codeOf(*module->getOps<func::FuncOp>().begin());
    int transfers = 0;
    for (size_t at = code.find("mov_gm_ub"); at != std::string::npos; at = code.find("mov_gm_ub", at + 1))
      ++transfers;
    return transfers;
  };
  EXPECT_EQ(transfersFor(8, 1000), 2); // 32000 bytes: every second tile begins between lines
  EXPECT_EQ(transfersFor(8, 1024), 1) << "begins at a line";
  EXPECT_EQ(transfersFor(2, 40), 1) << "short";
}
