// BackendTiersTest.cpp: what a backend's compiler tier may register, and how a wrong one is refused.
#include "jit/BackendTiers.h"
#include "jit/BuildIds.h"
#include "tests/unit/jit/ToyCompiler.h"

#include "mlir/Transforms/Passes.h"

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
Status registerLoader(CompilerRegistrar &registrar) {
  static const KilnKernelLoaderOps ops = {};
  registrar.addKernelLoader("toy-elf", "orc", ops, nullptr);
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

TEST(StageRegistryTest, NamesRoundTrip) {
  for (size_t i = 0; i < kStageCount; ++i)
    EXPECT_EQ(parseStage(stageName(static_cast<Stage>(i))), static_cast<Stage>(i));
  EXPECT_FALSE(parseStage("asm"));
}
