// BackendTiersTest.cpp: what a backend's compiler tier may register, and how a wrong one is refused.
#include "jit/BackendTiers.h"
#include "jit/BuildIds.h"
#include "tests/unit/jit/ToyCompiler.h"

#include "mlir/Transforms/Passes.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::jit::testing;
using namespace kiln::testing;
using ::testing::HasSubstr;

namespace {
Status registerIncomplete(CompilerRegistrar &registrar) {
  registrar.addStage("half", Stage::Tensor, [](mlir::OpPassManager &, const Target &) {});
  return registrar.status();
}
Status registerTwice(CompilerRegistrar &registrar) {
  registrar.addStage("twice", Stage::Tile, [](mlir::OpPassManager &, const Target &) {});
  registrar.addStage("twice", Stage::Tile, [](mlir::OpPassManager &, const Target &) {});
  return {}; // forgets to ask for the registrar's status
}
Status registerFailing(CompilerRegistrar &) { return Status(Code::Unavailable, "no licence"); }
Status registerToyAgain(CompilerRegistrar &registrar) { return registerToy(registrar); }
Status registerExtender(CompilerRegistrar &registrar) {
  registrar.extendStage("toy", Stage::Tile, /*after=*/true,
                        [](mlir::OpPassManager &pm, const Target &) { pm.addPass(mlir::createCSEPass()); });
  return registrar.status();
}
Status registerStages(CompilerRegistrar &registrar, const char *target) {
  for (Stage stage : {Stage::Tensor, Stage::Tile, Stage::Buffer, Stage::Lower, Stage::Emit})
    registrar.addStage(target, stage, [](mlir::OpPassManager &, const Target &) {});
  registrar.setObjectEmitter(
      target, [](mlir::ModuleOp, const Target &, KernelObjectBuilder &) { return mlir::success(); });
  return registrar.status();
}
Status registerForHost(CompilerRegistrar &registrar) { return registerStages(registrar, "host"); }
Status registerLaterStage(CompilerRegistrar &registrar) {
  registrar.addStage("later", static_cast<Stage>(kStageCount), [](mlir::OpPassManager &, const Target &) {});
  return registrar.status();
}
Status extendLaterStage(CompilerRegistrar &registrar) {
  registrar.extendStage("toy", static_cast<Stage>(200), true, [](mlir::OpPassManager &, const Target &) {});
  return registrar.status();
}
Status registerNoPass(CompilerRegistrar &registrar) {
  registrar.addPass(nullptr);
  return registrar.status();
}
Status registerNullPass(CompilerRegistrar &registrar) {
  registrar.addPass([] { return std::unique_ptr<mlir::Pass>(); });
  return registrar.status();
}

// Two dialects of one name.
struct OneDialect : mlir::Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OneDialect)
  static llvm::StringRef getDialectNamespace() { return "common"; }
  explicit OneDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<OneDialect>()) {}
};
struct OtherDialect : mlir::Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OtherDialect)
  static llvm::StringRef getDialectNamespace() { return "common"; }
  explicit OtherDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<OtherDialect>()) {}
};
template <typename Dialect> Status registerDialect(CompilerRegistrar &registrar) {
  registrar.addDialect<Dialect>();
  return registrar.status();
}

Status registerLoader(CompilerRegistrar &registrar) {
  static const KilnKernelLoaderOps ops = {};
  registrar.addKernelLoader("toy-elf", "orc", ops, nullptr);
  return registrar.status();
}

Status registerToyWithLoader(CompilerRegistrar &registrar) {
  KILN_RETURN_IF_ERROR(registerToy(registrar));
  return registerLoader(registrar);
}
Status registerLoaderTwice(CompilerRegistrar &registrar) {
  (void)registerLoader(registrar);
  return registerLoader(registrar);
}
Status registerNoEmitter(CompilerRegistrar &registrar) {
  registrar.addEmitter("toy", {"text", "nothing", Stage::Emit, nullptr});
  return registrar.status();
}

class BackendTiersTest : public ::testing::Test {
protected:
  static Target target(const char *type, const char *backend) {
    Target result;
    result.deviceType = type;
    result.backend = backend;
    return result;
  }
  FakeHost host;
  PipelineRegistry registry{mlir::DialectRegistry()};
  BackendTiers tiers{host.table, registry};
};
} // namespace

TEST_F(BackendTiersTest, LoadsATargetOnce) {
  ASSERT_OK_AND_ASSIGN(auto pipeline, tiers.pipeline(target("toy", "toy")));
  EXPECT_EQ(pipeline->backend, "toy");
  EXPECT_OK(tiers.load("toy"));
  EXPECT_THAT(registry.targets(), ::testing::ElementsAre("toy"));
}

TEST_F(BackendTiersTest, UnknownBackendsAndDeviceTypesAreNamed) {
  EXPECT_THAT(tiers.pipeline(target("npu", "nobody")), StatusIs(Code::NotFound, HasSubstr("'nobody'")));
  EXPECT_THAT(tiers.pipeline(target("other", "toy")),
              StatusIs(Code::Unimplemented, HasSubstr("device type 'other'")));
}

TEST_F(BackendTiersTest, AnIncompleteTargetIsRefusedAsAWhole) {
  host.backends["half"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerIncomplete>(out, "half");
  };
  EXPECT_THAT(tiers.load("half"), StatusIs(Code::FailedPrecondition, HasSubstr("nothing for stage 'tile'")));
  EXPECT_TRUE(registry.targets().empty());
}

TEST_F(BackendTiersTest, ADoubleStageIsRefusedThoughInitSaysOk) {
  host.backends["twice"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerTwice>(out, "twice");
  };
  EXPECT_THAT(tiers.load("twice"),
              StatusIs(Code::AlreadyExists, HasSubstr("stage 'tile' of target 'twice': added twice")));
}

TEST_F(BackendTiersTest, WhatCannotServeIsRefused) {
  host.backends["two"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerLoaderTwice>(out, "two");
  };
  host.backends["mute"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerNoEmitter>(out, "mute");
  };
  EXPECT_THAT(tiers.load("two"), StatusIs(Code::AlreadyExists,
                                          HasSubstr("kernel loader 'orc' of format 'toy-elf': added twice")));
  EXPECT_THAT(tiers.load("mute"),
              StatusIs(Code::InvalidArgument, HasSubstr("emitter 'text' of target 'toy': no function")));
}

// Whichever is loaded first: host compiles as if the thief were not there.
TEST_F(BackendTiersTest, StagesForAnothersDeviceAreRefused) {
  host.backends["thief"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerForHost>(out, "thief");
  };
  EXPECT_THAT(tiers.load("thief"), StatusIs(Code::FailedPrecondition,
                                            HasSubstr("backend 'thief': registers stages for target 'host'; "
                                                      "device type 'host' is backend 'host''s")));
  EXPECT_TRUE(registry.targets().empty());
}

TEST_F(BackendTiersTest, AStageBeyondTheLastIsRefused) {
  host.backends["later"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerLaterStage>(out, "later");
  };
  host.backends["ext"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<extendLaterStage>(out, "ext");
  };
  EXPECT_THAT(tiers.load("later"),
              StatusIs(Code::OutOfRange, HasSubstr("target 'later': stage 7; expected a number below 7")));
  EXPECT_THAT(tiers.load("ext"), StatusIs(Code::OutOfRange, HasSubstr("stage 200")));
}

TEST_F(BackendTiersTest, APassThatIsNoneIsRefused) {
  host.backends["none"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerNoPass>(out, "none");
  };
  host.backends["null"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerNullPass>(out, "null");
  };
  EXPECT_THAT(tiers.load("none"), StatusIs(Code::InvalidArgument, HasSubstr("pass: no factory")));
  EXPECT_THAT(tiers.load("null"), StatusIs(Code::InvalidArgument, HasSubstr("pass: its factory gave none")));
}

TEST_F(BackendTiersTest, ATableWithoutInitOrOfANewerAbiIsRefused) {
  host.backends["empty"] = [](const KilnHost *, KilnBackendCompiler *out) -> KilnStatus {
    out->abi_major = KILN_ABI_MAJOR;
    out->name = toStr("empty");
    return nullptr;
  };
  host.backends["newer"] = [](const KilnHost *, KilnBackendCompiler *out) -> KilnStatus {
    out->abi_major = KILN_ABI_MAJOR;
    out->abi_minor = KILN_ABI_MINOR + 1;
    return nullptr;
  };
  EXPECT_THAT(tiers.load("empty"),
              StatusIs(Code::FailedPrecondition, HasSubstr("fills in no init function")));
  EXPECT_THAT(tiers.load("newer"), StatusIs(Code::FailedPrecondition, HasSubstr("speaks ABI 1.1")));
}

// MLIR would end the process.
TEST_F(BackendTiersTest, ADialectOfAnothersNameIsRefused) {
  host.backends["one"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerDialect<OneDialect>>(out, "one");
  };
  host.backends["again"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerDialect<OneDialect>>(out, "again");
  };
  host.backends["other"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerDialect<OtherDialect>>(out, "other");
  };
  EXPECT_OK(tiers.load("one"));
  EXPECT_OK(tiers.load("again")) << "the same dialect";
  EXPECT_THAT(
      tiers.load("other"),
      StatusIs(Code::AlreadyExists, HasSubstr("dialect 'common': backend 'one' has another of this name")));
}

TEST_F(BackendTiersTest, AFailureStays) {
  host.backends["bad"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerFailing>(out, "bad");
  };
  EXPECT_THAT(tiers.load("bad"),
              StatusIs(Code::Unavailable, HasSubstr("backend 'bad': compiler tier: no licence")));
  host.backends.erase("bad");
  EXPECT_THAT(tiers.load("bad"), StatusIs(Code::Unavailable, HasSubstr("no licence")));
}

TEST_F(BackendTiersTest, ANameOrTargetOfAnotherIsRefused) {
  host.backends["liar"] = queryToy;
  EXPECT_THAT(tiers.load("liar"),
              StatusIs(Code::FailedPrecondition, HasSubstr("calls itself 'toy'; expected 'liar'")));
  host.backends["thief"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerToyAgain>(out, "thief");
  };
  ASSERT_OK(tiers.load("toy"));
  host.owners["toy"] = "thief"; // as if it were its own
  EXPECT_THAT(tiers.load("thief"),
              StatusIs(Code::AlreadyExists, HasSubstr("backend 'toy' has registered it")));
}

TEST_F(BackendTiersTest, ExtensionsNeedTheManifests) {
  host.backends["ext"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerExtender>(out, "ext");
  };
  EXPECT_THAT(tiers.load("ext"), StatusIs(Code::FailedPrecondition, HasSubstr("its manifest must say so")));
}

TEST_F(BackendTiersTest, ExtensionsAreLoadedWithTheirTarget) {
  host.backends["ext"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerExtender>(out, "ext");
  };
  host.extensions.push_back({"ext", "toy", "tile", true});
  ASSERT_OK_AND_ASSIGN(auto pipeline, tiers.pipeline(target("toy", "toy")));
  EXPECT_EQ(pipeline->after[static_cast<size_t>(Stage::Tile)].size(), 1u);
  EXPECT_EQ(pipeline->before[static_cast<size_t>(Stage::Tile)].size(), 0u);
}

// Keys hold what compiled a kernel: another build of a backend's library, or of one that extends it, is
// another key.
TEST_F(BackendTiersTest, ProducersNameEveryLibraryAtWork) {
  host.backends["ext"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerExtender>(out, "ext");
  };
  ASSERT_OK(tiers.pipeline(target("toy", "toy")));
  std::string ids = libraryBuildIds(reinterpret_cast<const void *>(queryToy));
  EXPECT_EQ(registry.producers("toy"), "toy 1.0 (" + ids + ")");
  host.extensions.push_back({"ext", "toy", "tile", true});
  ASSERT_OK(tiers.pipeline(target("toy", "toy")));
  EXPECT_EQ(registry.producers("toy"), "toy 1.0 (" + ids + "); ext 1.0 (" + ids + ")");
  EXPECT_EQ(registry.producers("nothing"), "");
}

TEST(BuildIdsTest, ALibraryIsNamedWithThoseOfKilnThatItUses) {
  std::string mine = libraryBuildIds(reinterpret_cast<const void *>(queryToy));
  EXPECT_THAT(mine, ::testing::ContainsRegex("program [0-9a-f]{40}"));
  EXPECT_THAT(mine, ::testing::ContainsRegex("libkiln_compiler[.]so[^ ]* " + loadedBuildIds().compiler));
  EXPECT_THAT(mine, ::testing::Not(HasSubstr("libLLVM"))) << "in every key already";
  EXPECT_EQ(libraryBuildIds(nullptr), "");
}

TEST_F(BackendTiersTest, ABrokenExtensionIsLeftOut) {
  host.backends["bad"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerFailing>(out, "bad");
  };
  host.extensions.push_back({"bad", "toy", "tile", true});
  ASSERT_OK_AND_ASSIGN(auto pipeline, tiers.pipeline(target("toy", "toy")));
  EXPECT_EQ(pipeline->after[static_cast<size_t>(Stage::Tile)].size(), 0u);
}

TEST_F(BackendTiersTest, KernelLoadersGoToTheHost) {
  host.backends["orc"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerLoader>(out, "orc");
  };
  ASSERT_OK(tiers.load("orc"));
  EXPECT_THAT(host.kernelLoaders, ::testing::ElementsAre("orc/toy-elf/orc"));
}

TEST_F(BackendTiersTest, ARefusedKernelLoaderLeavesNoStages) {
  host.refusedLoader = "orc";
  host.backends["toy"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerToyWithLoader>(out, "toy");
  };
  EXPECT_THAT(tiers.load("toy"),
              StatusIs(Code::InvalidArgument, HasSubstr("kernel loader 'orc': no function 'load'")));
  EXPECT_THAT(registry.targets(), ::testing::IsEmpty());
}

std::atomic<bool> isInside, mayLeave;
Status registerSlowly(CompilerRegistrar &registrar) {
  isInside = true;
  while (!mayLeave)
    std::this_thread::yield();
  return registrar.status();
}

TEST_F(BackendTiersTest, AForkedChildDoesNotWaitForALostThread) {
  host.backends["slow"] = [](const KilnHost *, KilnBackendCompiler *out) {
    return queryAs<registerSlowly>(out, "slow");
  };
  std::thread loader([&] { EXPECT_OK(tiers.load("slow")); });
  while (!isInside)
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(tiers.load("slow").code() == Code::Forked && tiers.load("toy").ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  mayLeave = true;
  loader.join();
}

// No lock is held while a compiler tier is opened or initialised: each callback waits for a thread that needs
// every lock there is. A held one would be a deadlock, which the alarm ends with this test's name on the
// screen.
BackendTiers *tiersAtHand;
PipelineRegistry *registryAtHand;
void useEveryLock() {
  std::thread([] {
    EXPECT_OK(tiersAtHand->load("toy"));
    EXPECT_OK(tiersAtHand->pipeline([] {
      Target target;
      target.deviceType = target.backend = "toy";
      return target;
    }()));
    EXPECT_TRUE(registryAtHand->find("toy"));
    EXPECT_EQ(registryAtHand->targets().size(), 1u);
    EXPECT_TRUE(registryAtHand->createContext());
    (void)registryAtHand->passes();
    (void)registryAtHand->producers("toy");
  }).join();
}
Status registerWaiting(CompilerRegistrar &registrar) {
  useEveryLock();
  registrar.addPass([] {
    useEveryLock();
    return mlir::createCSEPass();
  });
  return registrar.status();
}

TEST_F(BackendTiersTest, NoLockIsHeldInACallback) {
  tiersAtHand = &tiers;
  registryAtHand = &registry;
  host.onOpen = [] { useEveryLock(); }; // where the runtime calls dlopen
  host.backends["waiting"] = [](const KilnHost *, KilnBackendCompiler *out) {
    useEveryLock();
    return queryAs<registerWaiting>(out, "waiting");
  };
  alarm(60);
  EXPECT_OK(tiers.load("waiting"));
  alarm(0);
}

TEST(StageRegistryTest, NamesRoundTrip) {
  for (size_t i = 0; i < kStageCount; ++i)
    EXPECT_EQ(parseStage(stageName(static_cast<Stage>(i))), static_cast<Stage>(i));
  EXPECT_FALSE(parseStage("asm"));
}
