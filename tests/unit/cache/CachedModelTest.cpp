// CachedModelTest.cpp: models, programs and weights of an earlier process, with a compiler that counts its
// work.
#include "runtime/Bundle.h"
#include "runtime/ModelCache.h"
#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/FakeRuntime.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <algorithm>
#include <random>
#include <thread>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What one process does with the fake model: a runtime of its own over a cache folder.
struct Process {
  Process(const std::string &folder, CacheMode mode, std::string content = "model")
      : stack(CacheStack::open([&] {
          CacheSettings settings;
          settings.mode = mode;
          settings.folder = folder;
          return settings;
        }())),
        runtime({}, stack), content(std::move(content)) {
    runtime.fakeCompiler.kernelPerShape = true;
  }
  ~Process() {
    kiln_model_release(model);
    kiln_session_release(session);
    EXPECT_EQ(runtime.fakeCompiler.modelsAlive, 0);
    EXPECT_EQ(runtime.device.bytesInUse, 0u);
  }
  Status load() {
    KILN_RETURN_IF_ERROR(fromC(kiln_session_open(&runtime.instance, nullptr, &session)));
    return fromC(kiln_model_load_memory(&runtime.instance, content.data(), content.size(), nullptr, &model));
  }
  /// `n` ones; each comes back doubled.
  Status run(size_t n) {
    if (!model)
      KILN_RETURN_IF_ERROR(load());
    std::vector<float> values(n, 1.0f);
    KilnTensor input = {};
    input.struct_size = sizeof(input);
    input.dtype = KILN_F32;
    input.rank = 1;
    input.dims[0] = static_cast<int64_t>(n);
    input.data = values.data();
    input.data_bytes = n * sizeof(float);
    KilnRun *result = nullptr;
    KILN_RETURN_IF_ERROR(fromC(kiln_session_run(session, model, &input, 1, nullptr, &result)));
    KilnTensor output = {};
    output.struct_size = sizeof(output);
    KILN_RETURN_IF_ERROR(fromC(kiln_run_output(result, 0, &output)));
    got.assign(static_cast<float *>(output.data), static_cast<float *>(output.data) + output.dims[0]);
    kiln_run_release(result);
    EXPECT_EQ(got, std::vector<float>(n, 2.0f));
    return {};
  }
  /// kiln_model_compile for one input of `n` elements.
  Status compile(int64_t n, KilnCompileOptions options) {
    options.struct_size = sizeof(options);
    if (options.device_type.size == 0)
      options.device_type = toStr("fake");
    KilnTensor input = {};
    input.struct_size = sizeof(input);
    input.dtype = KILN_F32;
    input.rank = 1;
    input.dims[0] = n;
    return fromC(kiln_model_compile(&runtime.instance, model, &input, 1, &options));
  }
  std::shared_ptr<CacheStack> stack;
  FakeRuntime runtime;
  std::string content;
  KilnSession *session = nullptr;
  KilnModel *model = nullptr;
  std::vector<float> got;
};

class CachedModelTest : public ::testing::Test {
protected:
  /// Entries of a kind in the folder.
  std::vector<std::string> entries(EntryKind kind) {
    CacheCounters counters;
    std::vector<std::string> paths;
    auto folderOf = CacheDirectory::open(cache(), {.isWritable = true}, counters);
    EXPECT_OK(folderOf);
    EXPECT_OK((*folderOf)->visit([&](const ListedEntry &entry) {
      EntryFault fault;
      Result<CacheEntry> described = (*folderOf)->describe(entry.path, fault);
      if (described.ok() && described->kind == kind)
        paths.push_back(cache() + "/v1/" + entry.path);
    }));
    return paths;
  }
  std::string cache() const { return folder.path("cache"); }
  TemporaryFolder folder;
};

TEST_F(CachedModelTest, ALaterProcessNeitherImportsNorCompiles) {
  {
    Process first(cache(), CacheMode::ReadWrite);
    ASSERT_OK(first.run(5));
    EXPECT_EQ(first.runtime.fakeCompiler.imports, 1);
    EXPECT_EQ(first.runtime.fakeCompiler.programs, 1);
    EXPECT_EQ(first.runtime.fakeCompiler.compiles, 1);
  }
  for (CacheMode mode : {CacheMode::ReadWrite, CacheMode::ReadOnly, CacheMode::Require}) {
    Process later(cache(), mode);
    ASSERT_OK(later.run(5));
    EXPECT_EQ(later.runtime.fakeCompiler.imports, 0);
    EXPECT_EQ(later.runtime.fakeCompiler.programs, 0);
    EXPECT_EQ(later.runtime.fakeCompiler.compiles, 0);
    EXPECT_EQ(kiln_model_input_count(later.model), 1u);
    KilnPortInfo port = {};
    port.struct_size = sizeof(port);
    ASSERT_OK(fromC(kiln_model_input(later.model, 0, &port)));
    EXPECT_EQ(toView(port.name), "x");
    EXPECT_EQ(port.dims[0], -1);
    EXPECT_EQ(toView(port.dim_names[0]), "N");
  }
  Process refresh(cache(), CacheMode::Refresh);
  ASSERT_OK(refresh.run(5));
  EXPECT_EQ(refresh.runtime.fakeCompiler.compiles, 1);
}

TEST_F(CachedModelTest, WhatIsMissingIsMadeAgain) {
  for (EntryKind kind : {EntryKind::Kernel, EntryKind::Program, EntryKind::Model}) {
    ASSERT_OK(Process(cache(), CacheMode::ReadWrite).run(5));
    for (const std::string &path : entries(kind))
      std::filesystem::remove(path);
    EXPECT_THAT(Process(cache(), CacheMode::Require).run(5),
                StatusIs(Code::FailedPrecondition, HasSubstr("KILN_CACHE=require")))
        << entryKindName(kind);
    Process again(cache(), CacheMode::ReadWrite);
    ASSERT_OK(again.run(5));
    EXPECT_EQ(again.runtime.fakeCompiler.compiles, kind == EntryKind::Kernel ? 1 : 0);
    EXPECT_EQ(again.runtime.fakeCompiler.programs, kind == EntryKind::Program ? 1 : 0);
    EXPECT_EQ(again.runtime.fakeCompiler.imports, kind == EntryKind::Kernel ? 0 : 1);
  }
}

TEST_F(CachedModelTest, DamageOfAnyEntryIsFoundAndMended) {
  ASSERT_OK(Process(cache(), CacheMode::ReadWrite).run(5));
  std::mt19937 random(3);
  for (EntryKind kind : {EntryKind::Kernel, EntryKind::Program, EntryKind::Model})
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> paths = entries(kind);
      ASSERT_EQ(paths.size(), 1u) << entryKindName(kind);
      std::string bytes = readWhole(paths[0]);
      if (round % 2)
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      else
        bytes.resize(random() % bytes.size());
      writeWhole(paths[0], bytes);
      Process process(cache(), CacheMode::ReadWrite);
      ASSERT_OK(process.run(5));
      // A flipped format is another version's: not damage.
      EXPECT_LE(process.stack->counters().quarantined, 1u);
      EXPECT_GE(process.runtime.fakeCompiler.imports + process.runtime.fakeCompiler.compiles, 1);
    }
  EXPECT_OK(Process(cache(), CacheMode::Require).run(5));
}

TEST_F(CachedModelTest, AnotherModelIsAnother) {
  ASSERT_OK(Process(cache(), CacheMode::ReadWrite, "model").run(5));
  Process other(cache(), CacheMode::ReadWrite, "model with other content");
  ASSERT_OK(other.run(5));
  EXPECT_EQ(other.runtime.fakeCompiler.imports, 1);
}

TEST_F(CachedModelTest, HistoriesOfShapesInAnyOrderHit) {
  std::mt19937 random(11);
  std::vector<size_t> shapes = {5, 1, 9, 5, 17, 3, 1, 9};
  for (int round = 0; round < 30; ++round) {
    std::filesystem::remove_all(cache());
    std::shuffle(shapes.begin(), shapes.end(), random);
    {
      Process first(cache(), CacheMode::ReadWrite);
      for (size_t n : shapes)
        ASSERT_OK(first.run(n));
    }
    std::vector<size_t> others = shapes;
    for (int order = 0; order < 3; ++order) {
      std::shuffle(others.begin(), others.end(), random);
      Process later(cache(), CacheMode::Require);
      for (size_t n : others)
        ASSERT_OK(later.run(n)) << "round " << round << ", extent " << n;
      EXPECT_EQ(later.runtime.fakeCompiler.imports, 0);
    }
  }
}

TEST_F(CachedModelTest, AShapeNobodyHadRunsByTheDynamicVariant) {
  {
    Process first(cache(), CacheMode::ReadWrite);
    for (size_t n : {5, 9})
      ASSERT_OK(first.run(n));
  }
  Process later(cache(), CacheMode::Require);
  EXPECT_OK(later.run(33));
  EXPECT_THAT(later.run(1), StatusIs(Code::FailedPrecondition, HasSubstr("no cache has its program for 1")))
      << "an extent of 1 may broadcast";
}

TEST_F(CachedModelTest, TwoVersionsOfTheCompilerShareAFolder) {
  for (int round = 0; round < 2; ++round)
    for (const char *version : {"fake compiler 1", "fake compiler 2"}) {
      Process process(cache(), CacheMode::ReadWrite);
      KilnCompiler table = process.runtime.fakeCompiler.table();
      table.version = toStr(version);
      CompilerHandle handle(table);
      process.runtime.instance.instance =
          std::make_shared<Instance>(process.runtime.backends, handle, KernelBudget(), process.stack);
      ASSERT_OK(process.run(5));
      EXPECT_EQ(process.runtime.fakeCompiler.imports, round == 0 ? 1 : 0) << version;
      kiln_model_release(std::exchange(process.model, nullptr));
      kiln_session_release(std::exchange(process.session, nullptr));
    }
}

TEST_F(CachedModelTest, CompilingAheadMakesTheExactAndTheDynamicVariant) {
  {
    Process ahead(cache(), CacheMode::ReadWrite);
    ASSERT_OK(ahead.load());
    KilnCompileOptions options = {};
    size_t calls = 0;
    options.progress = [](void *arg, size_t done, size_t total) {
      EXPECT_LE(done, total);
      ++*static_cast<size_t *>(arg);
    };
    options.progress_arg = &calls;
    ASSERT_OK(ahead.compile(5, options));
    EXPECT_EQ(calls, 2u) << "a kernel of each variant";
    EXPECT_EQ(ahead.runtime.device.devicesOpen, 1u) << "the session's";
    options = {};
    options.device_type = toStr("nowhere");
    EXPECT_THAT(ahead.compile(5, options), StatusIs(Code::NotFound, HasSubstr("nowhere")));
    options = {};
    options.device_options = toStr("wrong=1");
    EXPECT_THAT(ahead.compile(5, options), StatusIs(Code::InvalidArgument, HasSubstr("wrong=1")));
  }
  Process later(cache(), CacheMode::Require);
  for (size_t n : {7, 5, 33})
    EXPECT_OK(later.run(n));
  KilnCacheStats stats = {};
  stats.struct_size = sizeof(stats);
  ASSERT_OK(fromC(kiln_instance_cache_stats(&later.runtime.instance, &stats)));
  EXPECT_GT(stats.directory_hits, 3u);
  EXPECT_EQ(stats.read_only_hits, 0u) << "the user's own folder, though only read";
  EXPECT_EQ(stats.damaged, 0u);
  EXPECT_THAT(fromC(kiln_instance_cache_stats(nullptr, &stats)),
              StatusIs(Code::InvalidArgument, HasSubstr("'instance'")));
}

TEST_F(CachedModelTest, AnOpenExtentIsOneVariant) {
  {
    Process ahead(cache(), CacheMode::ReadWrite);
    ASSERT_OK(ahead.load());
    EXPECT_OK(ahead.compile(-1, {}));
    EXPECT_EQ(ahead.runtime.fakeCompiler.programs, 1);
    EXPECT_THAT(ahead.compile(-2, {}),
                StatusIs(Code::InvalidArgument, HasSubstr("extent 0 is -2; expected at least 0")));
  }
  for (size_t n : {7, 5})
    EXPECT_OK(Process(cache(), CacheMode::Require).run(n));
  EXPECT_THAT(Process(cache(), CacheMode::Require).run(1),
              StatusIs(Code::FailedPrecondition, HasSubstr("no cache has its program for 1")));
}

TEST_F(CachedModelTest, WhatCannotBeDynamicIsCompiledExactly) {
  Process ahead(cache(), CacheMode::ReadWrite);
  ahead.runtime.fakeCompiler.refusesDynamic = true;
  ASSERT_OK(ahead.load());
  EXPECT_OK(ahead.compile(5, {}));
  EXPECT_EQ(ahead.runtime.fakeCompiler.dynamicRequests, 1);
}

TEST_F(CachedModelTest, ABundleRunsWithoutACompilerAndIsNotBelieved) {
  std::string path = folder.path("model.kbundle");
  {
    Process maker(cache(), CacheMode::Off);
    ASSERT_OK(maker.load());
    KilnBundle *bundle = nullptr;
    ASSERT_OK(fromC(kiln_bundle_create(maker.model, toStr(path), &bundle)));
    KilnCompileOptions options = {};
    options.bundle = bundle;
    ASSERT_OK(maker.compile(5, options));
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_OK(fromC(kiln_bundle_finish(bundle)));
    EXPECT_THAT(fromC(kiln_bundle_finish(bundle)), StatusIs(Code::InvalidArgument, HasSubstr("finished")));
    EXPECT_THAT(maker.compile(5, options), StatusIs(Code::InvalidArgument, HasSubstr("finished")));
    kiln_bundle_release(bundle);
    EXPECT_THAT(fromC(kiln_bundle_create(maker.model, toStr("/nowhere/x"), &bundle)),
                StatusIs(Code::NotFound, HasSubstr("/nowhere/x")));
    kiln_bundle_release(nullptr);
  }
  auto runs = [&](size_t n) {
    Process user(cache(), CacheMode::Off);
    KILN_RETURN_IF_ERROR(fromC(kiln_session_open(&user.runtime.instance, nullptr, &user.session)));
    KILN_RETURN_IF_ERROR(
        fromC(kiln_model_load_file(&user.runtime.instance, toStr(path), nullptr, &user.model)));
    Status status = user.run(n);
    EXPECT_EQ(user.runtime.fakeCompiler.imports + user.runtime.fakeCompiler.compiles, 0);
    return status;
  };
  EXPECT_OK(runs(5));
  EXPECT_OK(runs(9)); // the dynamic variant
  EXPECT_THAT(runs(1), StatusIs(Code::FailedPrecondition, HasSubstr("shapes 1; it has 'fake' for 5")));
  std::string bytes = readWhole(path);
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    writeWhole(path, damaged);
    (void)runs(round % 2 ? 5 : 9); // refused, or right: run() compares the outputs
  }
  for (size_t size = 64; size < bytes.size(); size += 64) {
    writeWhole(path, bytes.substr(0, size));
    EXPECT_FALSE(runs(5).ok()) << size;
  }
  Process user(cache(), CacheMode::Off);
  EXPECT_THAT(
      fromC(kiln_model_load_memory(&user.runtime.instance, bytes.data(), bytes.size(), nullptr, &user.model)),
      StatusIs(Code::Unimplemented, HasSubstr("a bundle in memory")));
}

TEST_F(CachedModelTest, APackThatIsNoBundleIsRefused) {
  std::string path = folder.path("some.kpack");
  ASSERT_OK_AND_ASSIGN(PackWriter writer, PackWriter::create(path));
  ASSERT_OK(writer.finish());
  EXPECT_THAT(Bundle::open(path), StatusIs(Code::DataLoss, HasSubstr("expected a bundle")));
}

TEST(ModelRequestTest, EveryPartCounts) {
  const ModelRequest base{"c", "onnx", "main", ".onnx", "v1", {}, KILN_DTYPE_INVALID};
  auto changed = [&](auto change) {
    ModelRequest request = base;
    change(request);
    return differingFields(modelRequestKey(base), modelRequestKey(request));
  };
  EXPECT_THAT(changed([](ModelRequest &) {}), ElementsAre());
  EXPECT_THAT(changed([](ModelRequest &r) { r.contentDigest = "d"; }), ElementsAre("content"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.format = "mlir"; }), ElementsAre("format"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.function = "f"; }), ElementsAre("function"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.ending = ""; }), ElementsAre("ending"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.compilerVersion = "v2"; }), ElementsAre("compiler"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.precision = KILN_F16; }), ElementsAre("precision"));
  EXPECT_THAT(changed([](ModelRequest &r) { r.shapes = {{"x", {1}}}; }), ElementsAre("shape-x"));
}

TEST(PatternTest, AcceptsWhatItIsForAndNeverBroadcasting) {
  EXPECT_TRUE(patternAccepts({{2, -1}}, InputDims{{2, 7}}));
  EXPECT_FALSE(patternAccepts({{2, -1}}, InputDims{{2, 1}}));
  EXPECT_FALSE(patternAccepts({{2, -1}}, InputDims{{3, 7}}));
  EXPECT_FALSE(patternAccepts({{2, -1}}, InputDims{{2, 7, 1}}));
  EXPECT_FALSE(patternAccepts({{2}}, InputDims{{2}, {2}}));
  EXPECT_TRUE(patternAccepts({}, InputDims{}));
}

} // namespace
} // namespace kiln
