// SimFaultTest.cpp: each fault of the machine, raised where it happens, with core, instruction and address.
#include "backends/npu/test/SimHarness.h"

using namespace kiln;
using namespace kiln::npu;
using testing::AllOf;
using testing::HasSubstr;

namespace {

// Runs vector code on one core: x1 and x2 point to an input and an output of 256 bytes, x3 to the workspace.
std::string vectorFault(const std::string &body, uint64_t blocks = 1, SimOptions options = checkedMode()) {
  SimHarness kernel(R"(.chip 910b
.kind aiv
.kernel test
.binding in f16 align=32 256
.binding out f16 align=32 256
.constants 0
.workspace 64
.section aiv
.op 7
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  movi x0, 0
)" + body + "  halt\n");
  kernel.blocks = blocks;
  kernel.add(std::vector<uint8_t>(256, 1));
  kernel.add(std::vector<uint8_t>(256, 2));
  kernel.reserveWorkspace(64);
  SimReport report = kernel.run(options);
  if (report.fault)
    EXPECT_TRUE(report.fault->op == 7 || report.fault->instruction.empty())
        << "op number of the location table";
  return faultOf(report);
}

std::string cubeFault(const std::string &body, const std::string &chip = "910b") {
  SimHarness kernel(".chip " + chip + R"(
.kind aic
.kernel test
.binding in f16 align=32 1024
.binding out f32 align=32 1024
.constants 0
.section aic
  ldarg x1, 0
  ldarg x2, 1
  movi x0, 0
)" + body + "  halt\n");
  kernel.add(std::vector<uint8_t>(1024, 1));
  kernel.add(std::vector<uint8_t>(1024, 2));
  return faultOf(kernel.run(checkedMode()));
}

const std::string kLoad = "  mov_gm_ub.b16 x0, x1, len=256\n";
const std::string kLoaded = kLoad + "  set_flag MTE2, V, 0\n  wait_flag MTE2, V, 0\n";

} // namespace

TEST(SimFaultTest, CleanCodeHasNone) {
  EXPECT_EQ(vectorFault(kLoaded + "  vadd.f16 x0, x0, x0\n"), "");
  EXPECT_EQ(cubeFault("  nd2nz.b16 x0, x1, n=16, m=16, sstride=16, dstride=16\n"), "");
}

TEST(SimFaultTest, OutOfBoundsInEverySpace) {
  EXPECT_THAT(
      vectorFault("  movi x4, 196480\n  mov_gm_ub.b16 x4, x1, len=256\n"),
      AllOf(HasSubstr("out of bounds: aiv0 pc 5 (MTE2) 'mov_gm_ub.b16 x4, x1, len=256': UB address 0x2ff80"),
            HasSubstr("256 bytes; it has 196608")));
  EXPECT_THAT(vectorFault("  mov_gm_ub.b16 x0, x1, len=288\n"),
              HasSubstr("reach beyond the end of binding 0"));
  EXPECT_THAT(vectorFault("  mov_gm_ub.b16 x0, x0, len=32\n"),
              HasSubstr("belong to no buffer of the launch"));
  EXPECT_THAT(vectorFault("  ldarg x4, 9\n"), HasSubstr("slot 9 of the argument buffer; it has 3"));
  EXPECT_THAT(cubeFault("  movi x4, 524288\n  nd2nz.b16 x4, x1, n=16, m=16, sstride=16, dstride=16\n"),
              HasSubstr("L1 address 0x80000"));
  EXPECT_THAT(cubeFault("  mmad.f16 x0, x0, x0, x0, m=256, k=256, n=16, init=1\n"),
              HasSubstr("L0A address 0x0: 131072 bytes; it has 65536"));
  EXPECT_THAT(cubeFault("  mmad.f16 x0, x0, x0, x0, m=16, k=256, n=256, init=1\n"),
              HasSubstr("L0B address 0x0: 131072 bytes"));
  EXPECT_THAT(cubeFault("  fix_gm x2, x0, m=512, n=256, sstride=512, dstride=256, nd=1\n"),
              HasSubstr("L0C address 0x0: 524288 bytes"));
  const std::string inL1 = "  nd2nz.b16 x0, x1, n=16, m=16, sstride=16, dstride=16\n  pipe_barrier ALL\n";
  EXPECT_THAT(cubeFault(inL1 + "  movi x4, 960\n  mov_l1_bt x4, x0, len=128\n"),
              HasSubstr("BT address 0x3c0: 128 bytes; it has 1024"));
  EXPECT_THAT(cubeFault(inL1 + "  movi x4, 7168\n  mov_l1_fb x4, x0, len=64\n"),
              HasSubstr("FB address 0x1c00: 64 bytes; it has 7168"));
}

TEST(SimFaultTest, Misaligned) {
  EXPECT_THAT(vectorFault("  movi x4, 16\n  mov_gm_ub.b16 x4, x1, len=32\n"),
              HasSubstr("misaligned: aiv0 pc 5 (MTE2) 'mov_gm_ub.b16 x4, x1': UB address 0x10: operand 'd'; "
                        "expected a multiple of 32"));
  EXPECT_THAT(cubeFault("  movi x4, 256\n  mmad.f16 x4, x0, x0, x0, init=1\n"),
              HasSubstr("L0C address 0x100: operand 'd'; expected a multiple of 512"));
  EXPECT_THAT(cubeFault("  movi x4, 32\n  mov_l1_bt x4, x0, len=64\n"),
              HasSubstr("expected a multiple of 64"));
  EXPECT_THAT(vectorFault("  lds.i32 gm, x4, x1, 2\n"), HasSubstr("misaligned: aiv0 pc 4 (S)"));
  EXPECT_THAT(vectorFault("  vcopy x0, x0, len=40\n"), HasSubstr("expected whole blocks of 32"));
}

TEST(SimFaultTest, UninitialisedReads) {
  EXPECT_THAT(
      vectorFault("  vadd.f16 x0, x0, x0\n"),
      HasSubstr(
          "uninitialised read: aiv0 pc 4 (V) 'vadd.f16 x0, x0, x0': UB address 0x0: nobody wrote this byte"));
  EXPECT_THAT(vectorFault("  mov_gm_ub.b16 x0, x3, len=32\n"),
              HasSubstr("nobody wrote this block in this launch"))
      << "workspace";
  EXPECT_THAT(vectorFault("  mov_gm_ub.b16 x0, x2, len=32\n"),
              HasSubstr("nobody wrote this block in this launch"))
      << "output";
  EXPECT_THAT(cubeFault("  mmad.f16 x0, x0, x0, x0, init=1\n"), HasSubstr("L0A address 0x0: nobody wrote"));
}

TEST(SimFaultTest, RacesBetweenPipesAndWithinOne) {
  EXPECT_THAT(vectorFault(kLoad + "  vadd.f16 x0, x0, x0\n"),
              HasSubstr("race: aiv0 pc 5 (V) 'vadd.f16 x0, x0, x0': UB address 0x0: read while instruction 1 "
                        "of pipe 4, which "
                        "writes it, is not known to have ended"));
  EXPECT_THAT(vectorFault(kLoaded + "  vadd.f16 x0, x0, x0\n  vadd.f16 x0, x0, x0\n"),
              HasSubstr("race: aiv0 pc 8 (V)"))
      << "dependent vector instructions need a barrier";
  EXPECT_EQ(vectorFault(kLoaded + "  vadd.f16 x0, x0, x0\n  pipe_barrier V\n  vadd.f16 x0, x0, x0\n"), "");
  EXPECT_EQ(vectorFault(kLoad + "  pipe_barrier ALL\n  vadd.f16 x0, x0, x0\n"), "");
  EXPECT_THAT(vectorFault(kLoad + "  lds.i32 ub, x4, x0, 0\n"), HasSubstr("race: aiv0 pc 5 (S)"));
  EXPECT_THAT(vectorFault(kLoad + kLoad), HasSubstr("race")) << "two loads to one place";
  EXPECT_THAT(vectorFault(kLoaded + "  vreducev2.b16 x0, x0, x0\n  movs x4, rsvdcnt\n"),
              testing::AnyOf(HasSubstr("rsvdcnt"), HasSubstr("UB")));
}

TEST(SimFaultTest, OverlappingWritesOfTwoCores) {
  EXPECT_THAT(
      vectorFault(
          kLoad + "  set_flag MTE2, MTE3, 0\n  wait_flag MTE2, MTE3, 0\n  mov_ub_gm.b16 x2, x0, len=256\n",
          2),
      AllOf(HasSubstr("overlap: aiv"), HasSubstr("GM address")));
}

TEST(SimFaultTest, AtomicUpdatesMayMeet) {
  EXPECT_THAT(
      vectorFault("  setsr atomic, 1\n" + kLoad +
                  "  set_flag MTE2, MTE3, 0\n  wait_flag MTE2, MTE3, 0\n  mov_ub_gm.b16 x2, x0, len=32\n"),
      HasSubstr("special register atomic is 1 for b16"));
  EXPECT_THAT(
      vectorFault("  setsr atomic, 1\n" + kLoad +
                  "  set_flag MTE2, MTE3, 0\n  wait_flag MTE2, MTE3, 0\n  mov_ub_gm.f16 x2, x0, len=32\n"),
      HasSubstr("uninitialised"))
      << "adding to an output that nobody wrote";
}

TEST(SimFaultTest, InputsCannotBeWritten) {
  EXPECT_THAT(vectorFault("  sts.i32 gm, x1, 0, x0\n"),
              HasSubstr("read only: aiv0 pc 4 (S) 'sts.i32 gm, x1, 0, x0': GM address"));
}

TEST(SimFaultTest, Flags) {
  EXPECT_THAT(vectorFault("  set_flag V, S, 0\n  set_flag V, S, 0\n"),
              HasSubstr("double set: aiv0 pc 5 (V) 'set_flag V, S, 0': event 0 is set since pc 4"));
  EXPECT_THAT(vectorFault("  set_flag V, S, 3\n"),
              HasSubstr("unpaired flag: aiv0 pc 4 (V) 'set_flag V, S, 3'"));
  EXPECT_THAT(
      vectorFault("  wait_flag V, MTE2, 3\n"),
      AllOf(HasSubstr("unpaired flag: aiv0"), HasSubstr("aiv0 MTE2 at pc 4 waits for event 3 of pipe V")));
  EXPECT_THAT(vectorFault("  set_flag V, S, 8\n"),
              HasSubstr("event range: aiv0 pc 4 (V) 'set_flag V, S, 8': event 8; a pipe pair has 8"));
  EXPECT_THAT(vectorFault("  movi x4, 99\n  wait_flag V, S, x4\n"), HasSubstr("event 99; a pipe pair has 8"));
  EXPECT_THAT(cubeFault("  set_flag M, FIX, 5\n", "910a"), HasSubstr("a pipe pair has 4"));
  EXPECT_THAT(vectorFault("  cross_wait S, 20\n"), HasSubstr("cross-core flag 20; there are 16"));
  EXPECT_THAT(vectorFault("  cross_set S, 0, mode=2\n"), HasSubstr("mode 2 reaches no core from here"));
}

TEST(SimFaultTest, CrossCoreFlagsCountToTheirMost) {
  EXPECT_THAT(vectorFault("  movi x4, 16\nagain:\n  cross_set S, 0\n  loop x4, again\n"),
              HasSubstr("would count beyond 15"));
  EXPECT_EQ(vectorFault("  cross_set S, 0\n  cross_wait S, 0\n", 8), "") << "a barrier of all cores";
  EXPECT_THAT(vectorFault("  cross_set S, 0\n", 1),
              HasSubstr("cross-core flag 0 was set; the core ended without a wait"));
}

TEST(SimFaultTest, DeadlocksPrintTheWaitGraph) {
  EXPECT_THAT(vectorFault("  wait_flag V, MTE2, 0\n  wait_flag MTE2, V, 0\n"),
              AllOf(HasSubstr("deadlock: aiv0"), HasSubstr("aiv0 V at pc 5 waits for event 0 of pipe MTE2"),
                    HasSubstr("aiv0 MTE2 at pc 4 waits for event 0 of pipe V")));
  EXPECT_THAT(
      vectorFault("  movs x4, block_idx\n  br eq, x4, 0, out\n  cross_set S, 1\nout:\n  cross_wait S, 1\n",
                  2),
      AllOf(HasSubstr("deadlock"), HasSubstr("aiv0 S at pc 7 waits for cross-core flag 1"),
            HasSubstr("aiv1 S at pc 7 waits")));
  EXPECT_THAT(vectorFault("  cross_set S, 0\n  cross_wait S, 0\n", 49), HasSubstr("deadlock"))
      << "49 blocks are not resident at once";
}

TEST(SimFaultTest, WatchdogEndsEndlessLoops) {
  for (SimOptions options : {checkedMode(), fastMode(), timingMode()}) {
    options.watchdogInstructions = 5000;
    EXPECT_THAT(vectorFault("again:\n  jmp again\n", 1, options), HasSubstr("watchdog: aiv0"));
  }
}

TEST(SimFaultTest, IllegalValues) {
  EXPECT_THAT(vectorFault("  div x4, x1, 0\n"), HasSubstr("illegal value: aiv0 pc 4 (S) 'div x4, x1, 0'"));
  EXPECT_THAT(vectorFault("  movi x4, 300\n  vadd.f16 x0, x0, x0, rep=x4\n"),
              HasSubstr("operand 'rep' is 300; expected less than 256"));
  EXPECT_THAT(vectorFault("  setsr maskmode, 1\n  setsr mask0, -1\n  vadd.f16 x0, x0, x0\n"),
              HasSubstr("counter mode over"));
  EXPECT_THAT(cubeFault("  lds.i32 ub, x4, x0, 0\n"), HasSubstr("a cube core has no UB"));
  EXPECT_THAT(cubeFault("  load3d_a.b16 x0, x0, m=16, kext=16\n"), HasSubstr("the im2col matrix is 0 x 0"));
  EXPECT_THAT(cubeFault("  nd2nz.b16 x0, x1, n=16, m=32, sstride=16, dstride=8\n"),
              HasSubstr("dstride 8; expected at least the rows, 16"));
}

TEST(SimFaultTest, PoisonShowsWhereChecksAreOff) {
  // In fast mode nothing is checked: only bounds, so that the host is safe.
  EXPECT_EQ(vectorFault("  vadd.f16 x0, x0, x0\n", 1, fastMode()), "");
  EXPECT_THAT(vectorFault("  movi x4, 196608\n  vadd.f16 x4, x0, x0\n", 1, fastMode()),
              HasSubstr("out of bounds"));
}

TEST(SimFaultTest, LaunchesMustFitTheMetadata) {
  NpuObject object =
      assemble(".chip 910b\n.kind aiv\n.kernel k\n.binding in f16 align=32 c0 2 mul\n.constants 1\n"
               ".workspace c0\n.section aiv\n  halt\n")
          .value();
  auto message = [&](SimLaunch launch) { return checkLaunch(object, launch).message(); };
  EXPECT_EQ(message({{{64, 200}}, {100}, {128, 100}, 1}), "");
  EXPECT_THAT(message({{}, {100}, {}, 1}), HasSubstr("0 bindings and 1 constants; expected 1 and 1"));
  EXPECT_THAT(message({{{64, 198}}, {100}, {128, 100}, 1}),
              HasSubstr("binding 0: 198 bytes; expected at least 200"));
  EXPECT_THAT(message({{{48, 200}}, {100}, {128, 100}, 1}),
              HasSubstr("address 48; expected a multiple of 32"));
  EXPECT_THAT(message({{{64, 200}}, {100}, {128, 99}, 1}),
              HasSubstr("workspace: 99 bytes; expected at least 100"));
  EXPECT_THAT(message({{{64, 200}}, {100}, {128, 100}, 1 << 21}), HasSubstr("blocks; expected at most"));
}
