// KernelStoreTest.cpp: kernels below memory: kept, found, required, overridden, dumped, never believed.
#include "runtime/KernelStore.h"

#include "runtime/Sha256.h"
#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KernelStoreTest : public ::testing::Test {
protected:
  CacheSettings settings(CacheMode mode = CacheMode::ReadWrite) {
    CacheSettings result;
    result.mode = mode;
    result.folder = folder.path("cache");
    return result;
  }
  static KernelRequest request(const std::string &name, const std::string &features = "+avx2") {
    KernelRequest result(Sha256::of(name + features));
    result.name = name;
    result.deviceType = "fake";
    result.features = features;
    result.fields =
        "ir " + Sha256::of(name).substr(0, 16) + "\nfeatures " + Sha256::of(features).substr(0, 16) + "\n";
    return result;
  }
  /// The object that compiling a request gives.
  static schema::KernelObjectT objectOf(const KernelRequest &request) {
    schema::KernelObjectT object = kernelObject(request.name, {"in", "out"});
    object.key = request.key;
    object.compile_us = 500;
    object.required_features = request.features;
    return object;
  }
  Result<CompiledKernelRef> get(const std::shared_ptr<CacheStack> &stack, const KernelRequest &request) {
    bool wasFound = false;
    Result<CompiledKernelRef> kernel = KernelStore(stack).get(
        request, [&] { return ++compiles, CompiledKernel::parse(copyBytes(pack(objectOf(request))), "k"); },
        wasFound);
    EXPECT_TRUE(!kernel.ok() || wasFound == (compiles == compilesBefore));
    compilesBefore = compiles;
    return kernel;
  }
  /// Puts any bytes under a request's key, as somebody who can write to the folder would.
  void plant(const KernelRequest &at, ByteSpan payload) {
    CacheStack::open(settings())
        ->insert({EntryKind::Kernel, *EntryKey::fromHex(at.key), "fake"}, {}, payload, EntryLayout::Compact);
  }
  TemporaryFolder folder;
  int compiles = 0, compilesBefore = 0;
};

TEST_F(KernelStoreTest, AnotherProcessFindsWhatWasCompiled) {
  ASSERT_OK(get(CacheStack::open(settings()), request("mul")));
  auto stack = CacheStack::open(settings(CacheMode::Require));
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef kernel, get(stack, request("mul")));
  EXPECT_EQ(kernel->metadata().name, "mul");
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(stack->counters().savedUs, 500u);
  EntryAddress address = {EntryKind::Kernel, *EntryKey::fromHex(request("mul").key), "fake"};
  CacheEntry entry = *stack->find(address, std::nullopt);
  EXPECT_EQ(entry.info.name, "mul");
  EXPECT_EQ(entry.info.deviceType, "fake");
  EXPECT_EQ(entry.info.features, "+avx2");
  EXPECT_EQ(entry.info.arguments, "in f32, out f32");
  EXPECT_EQ(entry.info.fields.size(), 2u);
}

TEST_F(KernelStoreTest, AMissUnderRequireSaysWhatTheNearestEntryDiffersIn) {
  auto required = CacheStack::open(settings(CacheMode::Require));
  EXPECT_THAT(
      get(required, request("mul")),
      StatusIs(Code::FailedPrecondition,
               AllOf(HasSubstr("kernel 'mul'"), HasSubstr("KILN_CACHE=require"), HasSubstr("at all"))));
  ASSERT_OK(get(CacheStack::open(settings()), request("mul")));
  ASSERT_OK(get(CacheStack::open(settings()), request("add", "+sse2")));
  required = CacheStack::open(settings(CacheMode::Require));
  EXPECT_THAT(get(required, request("mul", "+avx512f")),
              StatusIs(Code::FailedPrecondition, HasSubstr("the nearest, 'mul' (fake/")));
  EXPECT_THAT(get(required, request("mul", "+avx512f")),
              StatusIs(Code::FailedPrecondition, HasSubstr("differs in features")));
  EXPECT_EQ(compiles, 2);
}

TEST_F(KernelStoreTest, WhatLiesUnderAKeyMustBeThatKernel) {
  schema::KernelObjectT other = objectOf(request("other"));
  schema::KernelObjectT hungry = objectOf(request("mul"));
  hungry.required_features = "+avx512f";
  std::vector<std::vector<uint8_t>> planted = {
      pack(other), pack(hungry), {1, 2, 3}, std::vector<uint8_t>(5000, 7)};
  for (const std::vector<uint8_t> &payload : planted) {
    plant(request("mul"), payload);
    auto stack = CacheStack::open(settings());
    int before = compiles;
    ASSERT_OK_AND_ASSIGN(CompiledKernelRef kernel, get(stack, request("mul")));
    EXPECT_EQ(compiles, before + 1) << "compiled, not believed";
    EXPECT_EQ(kernel->metadata().name, "mul");
    EXPECT_EQ(stack->counters().quarantined, 1u);
    EXPECT_TRUE(stack->contains({EntryKind::Kernel, *EntryKey::fromHex(request("mul").key), "fake"}));
  }
}

TEST_F(KernelStoreTest, KernelsAreDumpedAndOverridden) {
  CacheSettings dumping = settings();
  dumping.dumpFolder = folder.path("dump");
  ASSERT_OK(get(CacheStack::open(dumping), request("mul")));
  EXPECT_THAT(filesBelow(dumping.dumpFolder), ElementsAre(request("mul").key + ".kernel"));
  schema::KernelObjectT changed = objectOf(request("mul"));
  changed.name = "mine";
  std::string path = dumping.dumpFolder + "/" + request("mul").key + ".kernel";
  writeWhole(path, textOf(pack(changed)));
  CacheSettings overriding = settings();
  overriding.overrideFolder = dumping.dumpFolder;
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef kernel, get(CacheStack::open(overriding), request("mul")));
  EXPECT_EQ(kernel->metadata().name, "mine");
  writeWhole(path, textOf(pack(objectOf(request("other"))))); // of another key
  ASSERT_OK_AND_ASSIGN(kernel, get(CacheStack::open(overriding), request("mul")));
  EXPECT_EQ(kernel->metadata().name, "mul");
  EXPECT_EQ(compiles, 1);
}

TEST_F(KernelStoreTest, FailuresAreNotKept) {
  auto stack = CacheStack::open(settings());
  bool wasFound = true;
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(KernelStore(stack).get(
                    request("mul"),
                    [&]() -> Result<CompiledKernelRef> { return ++compiles, unimplemented("no"); }, wasFound),
                StatusIs(Code::Unimplemented, "no"));
  EXPECT_FALSE(wasFound);
  EXPECT_EQ(compiles, 2) << "memory keeps deterministic failures, files none";
  EXPECT_EQ(stack->counters().entriesWritten, 0u);
}

} // namespace
} // namespace kiln
