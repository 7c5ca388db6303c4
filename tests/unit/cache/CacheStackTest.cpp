// CacheStackTest.cpp: order of the layers, modes, the server's interface.
#include "runtime/cache/CacheStack.h"

#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <map>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A server that is a folder.
class FolderStore final : public RemoteStore {
public:
  explicit FolderStore(std::string folder) : folder(std::move(folder)) {}
  std::string name() const override { return "store"; }
  Result<OwnedBytes> get(const std::string &path) override {
    if (isDown)
      return unavailable("no route");
    if (!std::filesystem::exists(folder + "/" + path))
      return notFound("{}", path);
    return copyBytes(spanOf(readWhole(folder + "/" + path)));
  }
  Status put(const std::string &path, const EncodedEntry &entry) override {
    if (isDown)
      return unavailable("no route");
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + path).parent_path());
    writeWhole(folder + "/" + path, entry.whole());
    return {};
  }
  const std::string folder;
  bool isDown = false;
};

class CacheStackTest : public ::testing::Test {
protected:
  CacheSettings settings(CacheMode mode) {
    CacheSettings result;
    result.mode = mode;
    result.folder = folder.path("cache");
    return result;
  }
  std::shared_ptr<CacheStack> open(CacheMode mode = CacheMode::ReadWrite) {
    return CacheStack::open(settings(mode));
  }
  void put(CacheStack &stack, const std::string &name) {
    EntryInfo info;
    info.compileUs = 1000;
    stack.insert(addressOf(name), info, spanOf(name), EntryLayout::Compact);
  }
  bool has(CacheStack &stack, const std::string &name) {
    return stack.find(addressOf(name), std::nullopt).has_value();
  }
  uint64_t hits(CacheStack &stack, LayerKind kind) {
    return stack.counters().hits[static_cast<size_t>(kind)];
  }
  TemporaryFolder folder;
};

TEST_F(CacheStackTest, ModesDecideWhatIsReadAndWritten) {
  struct Case {
    CacheMode mode;
    bool finds, keeps;
  };
  put(*open(), "old");
  for (Case one : {Case{CacheMode::Off, false, false}, Case{CacheMode::ReadOnly, true, false},
                   Case{CacheMode::ReadWrite, true, true}, Case{CacheMode::Require, true, false},
                   Case{CacheMode::Refresh, false, true}}) {
    std::string name(cacheModeName(one.mode));
    auto stack = open(one.mode);
    EXPECT_EQ(has(*stack, "old"), one.finds) << name;
    put(*stack, name);
    EXPECT_EQ(has(*open(), name), one.keeps) << name;
  }
}

TEST_F(CacheStackTest, KernelsThatCompileQuicklyNeedNotBeWritten) {
  CacheSettings slowOnes = settings(CacheMode::ReadWrite);
  slowOnes.minCompileUs = 1001;
  std::shared_ptr<CacheStack> stack = CacheStack::open(slowOnes);
  put(*stack, "quick");
  EXPECT_FALSE(has(*stack, "quick"));
  slowOnes.minCompileUs = 1000;
  stack = CacheStack::open(slowOnes);
  put(*stack, "slow");
  EXPECT_TRUE(has(*stack, "slow"));
}

TEST_F(CacheStackTest, LayersAreAskedInOrderAndFillTheFolder) {
  put(*CacheStack::open([&] {
    CacheSettings shared = settings(CacheMode::ReadWrite);
    shared.folder = folder.path("shared");
    return shared;
  }()),
      "a");
  CacheSettings both = settings(CacheMode::ReadWrite);
  both.readOnly = {folder.path("shared"), folder.path("absent")};
  auto stack = CacheStack::open(both);
  EXPECT_THAT(stack->layers(), SizeIs(2));
  EXPECT_TRUE(has(*stack, "a"));
  EXPECT_EQ(hits(*stack, LayerKind::ReadOnly), 1u);
  EXPECT_TRUE(has(*stack, "a"));
  EXPECT_EQ(hits(*stack, LayerKind::Directory), 1u) << "copied into the folder";
  EXPECT_EQ(stack->counters().savedUs, 2000u);
  EXPECT_FALSE(has(*stack, "b"));
  EXPECT_EQ(stack->counters().misses[static_cast<size_t>(MissReason::Absent)], 1u);
}

TEST_F(CacheStackTest, TheUsersOwnFolderCountsAsThatAlsoWhereItIsOnlyRead) {
  put(*open(), "a");
  for (CacheMode mode : {CacheMode::ReadOnly, CacheMode::Require}) {
    auto stack = open(mode);
    EXPECT_TRUE(has(*stack, "a"));
    EXPECT_EQ(hits(*stack, LayerKind::Directory), 1u);
    EXPECT_EQ(hits(*stack, LayerKind::ReadOnly), 0u);
    EXPECT_EQ(stack->folder(), nullptr) << "nothing is written, moved or removed";
  }
}

TEST_F(CacheStackTest, AServerIsTheLastLayer) {
  std::filesystem::create_directory(folder.path("server"));
  auto withServer = [&](FolderStore *&store) {
    auto stack = open();
    auto owned = std::make_unique<FolderStore>(folder.path("server"));
    store = owned.get();
    stack->addLayer(remoteLayer(std::move(owned), stack->counters()));
    return stack;
  };
  FolderStore *store = nullptr;
  put(*withServer(store), "a");
  std::filesystem::remove_all(folder.path("cache"));
  auto stack = withServer(store);
  EXPECT_TRUE(has(*stack, "a"));
  EXPECT_EQ(hits(*stack, LayerKind::Remote), 1u);
  EXPECT_TRUE(stack->contains(addressOf("a"))) << "kept in the folder";
  // What a server sends is believed no more than a file.
  put(*stack, "b");
  std::string path = folder.path("server/" + addressOf("b").path());
  std::string bytes = readWhole(path);
  bytes[bytes.size() - 1] ^= 1;
  writeWhole(path, bytes);
  std::filesystem::remove_all(folder.path("cache"));
  stack = withServer(store);
  EXPECT_FALSE(has(*stack, "b"));
  EXPECT_EQ(stack->counters().misses[static_cast<size_t>(MissReason::Damaged)], 1u);
  store->isDown = true;
  EXPECT_FALSE(has(*stack, "c"));
  EXPECT_EQ(stack->counters().misses[static_cast<size_t>(MissReason::Unreadable)], 1u);
  put(*stack, "c");
  EXPECT_EQ(stack->counters().writeFailures, 1u);
  EXPECT_TRUE(has(*stack, "c")) << "the folder has it";
}

TEST_F(CacheStackTest, AnUnsafeFolderIsLeftOut) {
  std::filesystem::create_directory(folder.path("cache"));
  std::filesystem::permissions(folder.path("cache"), std::filesystem::perms::all);
  auto stack = open();
  EXPECT_THAT(stack->layers(), IsEmpty());
  put(*stack, "a");
  EXPECT_FALSE(has(*stack, "a"));
  EXPECT_THAT(filesBelow(folder.path("cache")), IsEmpty());
}

TEST_F(CacheStackTest, AHitLocksNothing) {
  put(*open(), "a");
  std::filesystem::remove_all(folder.path("cache/v1/locks"));
  auto stack = open(CacheMode::ReadOnly);
  EXPECT_TRUE(has(*stack, "a"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("cache/v1/locks")));
}

TEST_F(CacheStackTest, TurnsAreSharedByThreadsAndSeeWhatWasMade) {
  auto stack = open();
  CacheStack::Turn first = stack->takeTurn(addressOf("a"));
  CacheStack::Turn second = stack->takeTurn(addressOf("a"));
  EXPECT_EQ(first.lock.outcome(), StripeLocks::Outcome::Free);
  EXPECT_EQ(second.lock.outcome(), StripeLocks::Outcome::Free);
  EXPECT_FALSE(second.again);
  put(*stack, "a");
  EXPECT_TRUE(stack->takeTurn(addressOf("a")).again);
}

} // namespace
} // namespace kiln
