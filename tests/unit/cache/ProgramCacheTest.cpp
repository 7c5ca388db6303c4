// ProgramCacheTest.cpp: what a program's entry holds itself, what is an entry of its own, in a cache and in a
// bundle.
#include "runtime/Bundle.h"
#include "runtime/Sha256.h"
#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kSmall = 4, kLarge = 4096; // floats

/// y = x * (c * c): the prologue reads the large constant `c`, the body what became of it and a small one.
struct Packing {
  Packing() {
    std::vector<float> values(kLarge, 3.0f);
    values[1] = 5;
    uint32_t x = maker.input("x", {imm(kLarge)}), y = maker.output("y", {imm(kLarge)});
    uint32_t large = maker.constant(values);
    uint32_t small = maker.constant(std::vector<float>(kSmall, 2.0f));
    packed = maker.persistent(kLarge * sizeof(float));
    uint32_t t = maker.arena(imm(0), imm(kSmall * sizeof(float)));
    schema::KernelObjectT object = kernelObject("mul", {"in", "in", "out"});
    uint32_t mul = maker.kernel(object);
    maker.program.prologue = block(launch(mul, {range(large), range(large), range(packed)}));
    maker.program.arena_bytes = std::make_unique<schema::Operand>(kSmall * sizeof(float), false);
    maker.body(launch(mul, {range(small), range(small), range(t)}));
    maker.body(launch(mul, {range(x), range(packed), range(y)}));
    Result<CompiledKernelRef> compiled = CompiledKernel::parse(copyBytes(pack(object)), "mul");
    EXPECT_OK(compiled);
    kernels.push_back(*compiled);
  }
  ProgramMaker maker;
  uint32_t packed = 0;
  std::vector<CompiledKernelRef> kernels;
};

class ProgramCacheTest : public ::testing::Test {
protected:
  std::shared_ptr<CacheStack> open(CacheMode mode = CacheMode::ReadWrite) {
    CacheSettings settings;
    settings.mode = mode;
    settings.folder = folder.path("cache");
    return CacheStack::open(settings);
  }
  static ProgramFileRef programOf(const Packing &packing) {
    Result<ProgramFileRef> program = packing.maker.build();
    EXPECT_OK(program);
    return program.ok() ? *program : nullptr;
  }
  static Result<ByteSpan> noWeight(std::string_view digest) { return notFound("weight {}", digest); }
  static std::string bytesOf(const ProgramFile &program, uint32_t constant) {
    return textOf(program.constantBytes(constant));
  }
  std::string weightPath(const ProgramFile &program, uint32_t constant) {
    std::string hex = program.program().constants()->Get(constant)->digest()->str();
    return folder.path("cache/v1/weights/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".kc");
  }
  TemporaryFolder folder;
  RequestKey key = [] {
    KeyBuilder builder("test");
    return builder.finish();
  }();
  EntryAddress address = ProgramCache::programAddress(key, "fake");
};

TEST_F(ProgramCacheTest, LargeConstantsOfTheCompilerAreEntriesOfTheirOwn) {
  Packing packing;
  ProgramFileRef made = programOf(packing);
  std::string large = bytesOf(*made, 0), small = bytesOf(*made, 1);
  ASSERT_EQ(large.size(), kLarge * sizeof(float));
  auto stack = open();
  ASSERT_OK_AND_ASSIGN(ProgramFileRef kept,
                       ProgramCache(*stack).insert(address, key, made, "p", 1, noWeight));
  EXPECT_EQ(kept->program().constants()->Get(0)->inline_data(), nullptr);
  EXPECT_NE(kept->program().constants()->Get(1)->inline_data(), nullptr);
  EXPECT_TRUE(std::filesystem::exists(weightPath(*made, 0)));
  EXPECT_FALSE(std::filesystem::exists(weightPath(*made, 1)));
  for (CacheMode mode : {CacheMode::ReadWrite, CacheMode::Require}) {
    auto later = open(mode);
    ProgramFileRef found = ProgramCache(*later).find(address, "p");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(bytesOf(*found, 0), large);
    EXPECT_EQ(bytesOf(*found, 1), small);
    EXPECT_EQ(found->digest(), kept->digest());
  }
  EXPECT_EQ(bytesOf(*kept, 0), large) << "without looking into the cache again";
}

TEST_F(ProgramCacheTest, AProgramWhoseConstantIsGoneIsAbsentAndNotBlamed) {
  Packing packing;
  ProgramFileRef made = programOf(packing);
  ASSERT_OK(ProgramCache(*open()).insert(address, key, made, "p", 1, noWeight));
  std::filesystem::remove(weightPath(*made, 0));
  auto later = open();
  EXPECT_EQ(ProgramCache(*later).find(address, "p"), nullptr);
  EXPECT_EQ(later->counters().quarantined, 0u);
  ASSERT_OK(ProgramCache(*later).insert(address, key, made, "p", 1, noWeight));
  EXPECT_NE(ProgramCache(*open()).find(address, "p"), nullptr);
}

TEST_F(ProgramCacheTest, WhatIsNotKeptStaysInTheProgram) {
  Packing packing;
  ProgramFileRef made = programOf(packing);
  ASSERT_OK_AND_ASSIGN(ProgramFileRef same,
                       ProgramCache(*open(CacheMode::ReadOnly)).insert(address, key, made, "p", 1, noWeight));
  EXPECT_EQ(same, made);
}

TEST_F(ProgramCacheTest, ABundleHoldsPackedWeightsInPlaceOfThoseThatOnlyThePrologueReads) {
  Packing packing;
  ProgramFileRef program = programOf(packing);
  std::string digest = program->program().constants()->Get(0)->digest()->str();
  std::string bytes(kLarge * sizeof(float), '\7');
  std::vector<PackedBytes> packed = {{packing.packed, copyBytes(spanOf(bytes))}};
  TargetDescription target;
  target.deviceType = "fake";
  InputDims dims = {{static_cast<int64_t>(kLarge)}};
  ConstantLookup weights = noWeight;
  for (bool isPacked : {true, false}) {
    std::string path = folder.path(isPacked ? "packed.kbundle" : "raw.kbundle");
    ASSERT_OK_AND_ASSIGN(
        auto writer,
        BundleWriter::create(path, "m", {digest, {ModelPort{"x", KILN_F32, {kLarge}, {""}}}, {}}));
    ASSERT_OK(writer->add(
        {target, *program, dims, packing.kernels, weights, isPacked ? packed : std::vector<PackedBytes>()}));
    ASSERT_OK(writer->finish());
    ASSERT_OK_AND_ASSIGN(BundleRef bundle, Bundle::open(path));
    InputDims wanted = dims;
    ASSERT_OK_AND_ASSIGN(ProgramFileRef found, bundle->program(target, wanted));
    std::vector<PackedBytes> got = bundle->packed(*found);
    if (isPacked) {
      ASSERT_THAT(got, SizeIs(1));
      EXPECT_EQ(got[0].buffer, packing.packed);
      EXPECT_EQ(textOf(got[0].bytes.bytes), bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got[0].bytes.bytes.data()) % 4096, 0u) << "mapped";
      EXPECT_THAT(bundle->weight(digest), StatusIs(Code::NotFound, HasSubstr(digest)));
    } else {
      EXPECT_THAT(got, IsEmpty());
      ASSERT_OK_AND_ASSIGN(OwnedBytes weight, bundle->weight(digest));
      EXPECT_EQ(weight.bytes.size(), bytes.size());
    }
    EXPECT_EQ(bytesOf(*found, 1).size(), kSmall * sizeof(float)) << "the body's own stays";
  }
}

} // namespace
} // namespace kiln
