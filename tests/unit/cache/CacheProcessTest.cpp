// CacheProcessTest.cpp: several processes at one folder: races, kills, forks.
#include "runtime/cache/CacheStack.h"

#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;

class CacheProcessTest : public ::testing::Test {
protected:
  std::shared_ptr<CacheStack> open() {
    CacheSettings settings;
    settings.mode = CacheMode::ReadWrite;
    settings.folder = folder.path("cache");
    return CacheStack::open(settings);
  }
  /// Runs `body` in a process of its own; 0 if it returned true.
  template <typename Body> pid_t fork(Body body) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(body() ? 0 : 1);
    return child;
  }
  static bool succeeded(pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  /// What a process does that needs an entry: look, take turns, look again, make.
  bool findOrMake(CacheStack &stack, const EntryAddress &address, std::chrono::milliseconds work) {
    if (stack.find(address, std::nullopt))
      return true;
    CacheStack::Turn turn = stack.takeTurn(address);
    if (turn.again && stack.find(address, std::nullopt))
      return true;
    int log = ::open(folder.path("made").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    bool logged = ::write(log, "x", 1) == 1;
    ::close(log);
    std::this_thread::sleep_for(work);
    stack.insert(address, {}, spanOf("made"), EntryLayout::Compact);
    return logged;
  }
  TemporaryFolder folder;
};

TEST_F(CacheProcessTest, SixteenProcessesThatNeedOneEntryMakeItOnce) {
  EntryAddress address = addressOf("a");
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i)
    children.push_back(fork([&] { return findOrMake(*open(), address, std::chrono::milliseconds(50)); }));
  for (pid_t child : children)
    EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(readWhole(folder.path("made")), "x");
}

TEST_F(CacheProcessTest, AProcessThatHangsIsNotWaitedForForever) {
  auto stack = open();
  EntryAddress address = addressOf("a");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t holder = fork([&] {
    auto own = open();
    CacheStack::Turn turn = own->takeTurn(address);
    bool told = ::write(ready[1], "x", 1) == 1;
    ::pause();
    return told;
  });
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  StripeLocks::Lock lock = stack->folder()->locks().acquire(address.key, std::chrono::milliseconds(100));
  EXPECT_EQ(lock.outcome(), StripeLocks::Outcome::TimedOut);
  EXPECT_EQ(stack->counters().lockTimeouts, 1u);
  ::kill(holder, SIGKILL); // its locks go with it
  int status;
  ::waitpid(holder, &status, 0);
  StripeLocks::Lock now = stack->folder()->locks().acquire(address.key, std::chrono::milliseconds(5000));
  EXPECT_EQ(now.outcome(), StripeLocks::Outcome::Free);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(CacheProcessTest, KillsDuringPublishingLeaveWholeEntriesOrNone) {
  auto stack = open();
  std::string payload(200000, 'p');
  for (size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<char>(i * i * 31 >> 7);
  for (int round = 0; round < 200; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t child = fork([&] {
      bool told = ::write(ready[1], "x", 1) == 1;
      for (int i = 0;; i = (i + 1) % 8)
        stack->insert(addressOf(std::to_string(i)), {}, spanOf(payload), EntryLayout::Compact);
      return told;
    });
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(137 * (round % 23)));
    ::kill(child, SIGKILL);
    int status;
    ::waitpid(child, &status, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    for (int i = 0; i < 8; ++i)
      if (std::optional<CacheEntry> entry = stack->find(addressOf(std::to_string(i)), std::nullopt))
        ASSERT_EQ(textOf(entry->payload.bytes), payload) << "round " << round;
  }
  EXPECT_EQ(stack->counters().quarantined, 0u) << "a rename publishes the whole";
  EXPECT_EQ(stack->counters().misses[static_cast<size_t>(MissReason::Damaged)], 0u);
}

TEST_F(CacheProcessTest, ProcessesThatReplaceOneEntryAlwaysShowOneOfTheirs) {
  auto stack = open();
  EntryAddress address = addressOf("a");
  std::string one(30000, '1'), two(50000, '2');
  std::vector<pid_t> writers;
  for (const std::string *payload : {&one, &two})
    writers.push_back(fork([&, payload] {
      auto own = open();
      for (int i = 0; i < 300; ++i)
        own->insert(address, {}, spanOf(*payload), EntryLayout::Compact);
      return own->counters().writeFailures == 0;
    }));
  for (int i = 0; i < 1000; ++i)
    if (std::optional<CacheEntry> entry = stack->find(address, std::nullopt)) {
      std::string text = textOf(entry->payload.bytes);
      ASSERT_TRUE(text == one || text == two);
    }
  for (pid_t writer : writers)
    EXPECT_TRUE(succeeded(writer));
  EXPECT_EQ(stack->counters().quarantined, 0u);
}

TEST_F(CacheProcessTest, AForkedProcessUsesTheCacheOfItsParent) {
  auto stack = open();
  stack->insert(addressOf("a"), {}, spanOf("a"), EntryLayout::Compact);
  EntryAddress held = addressOf("b");
  CacheStack::Turn turn = stack->takeTurn(held);
  ASSERT_EQ(turn.lock.outcome(), StripeLocks::Outcome::Free);
  pid_t child = fork([&] {
    bool found = stack->find(addressOf("a"), std::nullopt).has_value();
    stack->insert(addressOf("c"), {}, spanOf("c"), EntryLayout::Compact);
    // The parent's lock is the parent's: the child waits for it as any process does.
    StripeLocks::Lock lock = stack->folder()->locks().acquire(held.key, std::chrono::milliseconds(50));
    return found && lock.outcome() == StripeLocks::Outcome::TimedOut;
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(stack->find(addressOf("c"), std::nullopt));
  pid_t stranger = fork([&] {
    StripeLocks::Lock lock = open()->folder()->locks().acquire(held.key, std::chrono::milliseconds(50));
    return lock.outcome() == StripeLocks::Outcome::TimedOut;
  });
  EXPECT_TRUE(succeeded(stranger)) << "the child has not given the parent's lock away";
}

} // namespace
} // namespace kiln
