// OpTableTest.cpp: the table of operators itself.
#include "frameworks/onnx/OpTable.h"

#include "llvm/ADT/Twine.h"

#include <gmock/gmock.h>

#include <map>
#include <vector>

namespace kiln::onnx {
namespace {

TEST(OpTableTest, TheNewestEntryNotAboveTheOpsetIsUsed) {
  EXPECT_EQ(findOp("", "Clip", 10)->since, 6);
  EXPECT_EQ(findOp("", "Clip", 11)->since, 11);
  EXPECT_EQ(findOp("ai.onnx", "Clip", 21)->since, 11);
  EXPECT_EQ(findOp("", "GroupNormalization", 17), nullptr);
  EXPECT_EQ(findOp("", "NoSuchOp", 21), nullptr);
  EXPECT_EQ(findOp("com.example", "Clip", 21), nullptr);
}

TEST(OpTableTest, EntriesAreComplete) {
  std::map<std::string, int> seen;
  for (const OpEntry *entry : allOps()) {
    EXPECT_TRUE(entry->import) << entry->name.str();
    EXPECT_GE(entry->since, 1) << entry->name.str();
    EXPECT_LE(entry->minInputs, entry->maxInputs) << entry->name.str();
    EXPECT_EQ(++seen[(entry->domain + ":" + entry->name + ":" + std::to_string(entry->since)).str()], 1);
  }
  EXPECT_GT(seen.size(), 120u);
}

} // namespace
} // namespace kiln::onnx
