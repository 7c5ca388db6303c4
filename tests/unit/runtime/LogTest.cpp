// LogTest.cpp: KILN_LOG's filter and the sink.
#include "runtime/Log.h"
#include "runtime/HostTable.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using ::kiln::testing::StatusIs;

TEST(LogTest, DefaultShowsWarningsOnly) {
  LogFilter filter;
  EXPECT_TRUE(filter.enabled(KILN_LOG_WARN, "host"));
  EXPECT_FALSE(filter.enabled(KILN_LOG_INFO, "host"));
}

TEST(LogTest, ComponentRuleCoversItsPartsOnly) {
  ASSERT_OK_AND_ASSIGN(LogFilter filter, LogFilter::parse("error,debug:host"));
  EXPECT_TRUE(filter.enabled(KILN_LOG_DEBUG, "host"));
  EXPECT_TRUE(filter.enabled(KILN_LOG_DEBUG, "host.pool"));
  EXPECT_FALSE(filter.enabled(KILN_LOG_WARN, "hostess"));
  EXPECT_TRUE(filter.enabled(KILN_LOG_ERROR, "npu"));
}

TEST(LogTest, UnknownLevelIsNamed) {
  EXPECT_THAT(LogFilter::parse("loud:host"), StatusIs(Code::InvalidArgument, ::testing::HasSubstr("'loud'")));
}

TEST(LogTest, BackendsLogThroughTheHostTable) {
  std::vector<std::string> lines;
  ASSERT_OK_AND_ASSIGN(LogFilter filter, LogFilter::parse("info"));
  setLogSinkForTesting(
      [&](KilnLogLevel, std::string_view component, std::string_view message) {
        lines.push_back(fmt::format("{}: {}", component, message));
      },
      filter);
  const KilnHost &host = hostTable();
  host.log(host.self, KILN_LOG_INFO, toStr("toy"), toStr("opened"));
  host.log(host.self, KILN_LOG_DEBUG, toStr("toy"), toStr("hidden"));
  EXPECT_TRUE(host.log_enabled(host.self, KILN_LOG_INFO, toStr("toy")));
  EXPECT_FALSE(host.log_enabled(host.self, KILN_LOG_DEBUG, toStr("toy")));
  logWarn("cache", "{} entries", 3);
  setLogSinkForTesting(nullptr, {});
  EXPECT_THAT(lines, ::testing::ElementsAre("toy: opened", "cache: 3 entries"));
}

} // namespace
} // namespace kiln
