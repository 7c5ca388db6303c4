// CacheSettingsTest.cpp: the KILN_CACHE variables.
#include "runtime/cache/CacheSettings.h"

#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;

CacheSettings settingsOf(Environment::Variables variables) {
  return CacheSettings::of(Environment(std::move(variables)));
}

TEST(CacheSettingsTest, DefaultsAreAFolderBelowHome) {
  CacheSettings settings = settingsOf({{"HOME", "/h"}});
  EXPECT_EQ(settings.mode, CacheMode::ReadWrite);
  EXPECT_EQ(settings.folder, "/h/.cache/kiln");
  EXPECT_EQ(settings.maxBytes, 5ull << 30);
  EXPECT_EQ(settingsOf({}).folder, "");
  EXPECT_EQ(settingsOf({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).folder, "/x/kiln");
  EXPECT_EQ(settingsOf({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}}).folder, "/h/.cache/kiln");
}

TEST(CacheSettingsTest, EveryVariableIsRead) {
  CacheSettings settings = settingsOf({{"KILN_CACHE", "require"},
                                       {"KILN_CACHE_DIR", "/d"},
                                       {"KILN_CACHE_READ", "/r1::/r2.kpack"},
                                       {"KILN_CACHE_SIZE", "3M"},
                                       {"KILN_CACHE_MIN_COMPILE_MS", "20"},
                                       {"KILN_CACHE_DUMP", "/dump"},
                                       {"KILN_CACHE_OVERRIDE", "/over"}});
  EXPECT_EQ(settings.mode, CacheMode::Require);
  EXPECT_EQ(settings.folder, "/d");
  EXPECT_THAT(settings.readOnly, ElementsAre("/r1", "/r2.kpack"));
  EXPECT_EQ(settings.maxBytes, 3ull << 20);
  EXPECT_EQ(settings.minCompileUs, 20000u);
  EXPECT_EQ(settings.dumpFolder, "/dump");
  EXPECT_EQ(settings.overrideFolder, "/over");
  for (const char *mode : {"off", "ro", "rw", "require", "refresh"})
    EXPECT_EQ(cacheModeName(settingsOf({{"KILN_CACHE", mode}}).mode), mode);
}

TEST(CacheSettingsTest, WhatCannotBeReadCountsAsNotSet) {
  EXPECT_EQ(settingsOf({{"KILN_CACHE", "on"}}).mode, CacheMode::ReadWrite);
  for (const char *size : {"big", "1X", "3MM", "-1", "99999999999999T"})
    EXPECT_EQ(settingsOf({{"KILN_CACHE_SIZE", size}}).maxBytes, 5ull << 30) << size;
  for (const char *milliseconds : {"-1", "2.5", "20ms", "99999999999"})
    EXPECT_EQ(settingsOf({{"KILN_CACHE_MIN_COMPILE_MS", milliseconds}}).minCompileUs, 0u) << milliseconds;
}

TEST(CacheSettingsTest, BytesHaveSuffixes) {
  EXPECT_EQ(parseBytes("17"), 17u);
  EXPECT_EQ(parseBytes("2K"), 2048u);
  EXPECT_EQ(parseBytes("1T"), 1ull << 40);
  EXPECT_EQ(parseBytes(""), std::nullopt);
}

} // namespace
} // namespace kiln
