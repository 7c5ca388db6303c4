// JitBenchTest.cpp: jit-bench's flags, cases, queue measurements, reports and comparison.
#include "tools/lib/JitBench.h"
#include "tools/lib/ToolMain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace kiln::tools {
namespace {

using testing::HasSubstr;

struct BenchOutcome {
  int code;
  std::string out, err;
};
BenchOutcome runBench(std::vector<const char *> words) {
  words.insert(words.begin(), "jit-bench");
  std::ostringstream out, err;
  int code = jitBench(static_cast<int>(words.size()), words.data(), out, err);
  return {code, out.str(), err.str()};
}

std::string writeFile(const std::string &name, const std::string &text) {
  std::string path = testing::TempDir() + "/" + std::to_string(getpid()) + name;
  std::ofstream(path) << text;
  return path;
}

TEST(JitBenchTest, AutoloadMeasuresFindingAndProbing) {
  BenchOutcome outcome =
      runBench({"autoload", "--filter", "20 manifests", "--samples", "3", "--min-time", "0", "--json"});
  EXPECT_EQ(outcome.code, kYes) << outcome.err;
  nlohmann::json cases = nlohmann::json::parse(outcome.out)["cases"];
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0]["suite"], "autoload");
  EXPECT_EQ(cases[1]["samples"], 3);
  EXPECT_GT(cases[1]["median_us"], 0);
}

TEST(JitBenchTest, RefusesWrongUse) {
  EXPECT_EQ(runBench({}).code, kUsage);
  BenchOutcome outcome = runBench({"models"});
  EXPECT_EQ(outcome.code, kUsage);
  EXPECT_THAT(outcome.err,
              HasSubstr("unknown suite 'models'; expected kernels, dispatch, autoload, cache, or compare"));
  EXPECT_THAT(runBench({"kernels", "dispatch"}).err, HasSubstr("unexpected 'dispatch'"));
  EXPECT_THAT(runBench({"compare", "a.json"}).err, HasSubstr("compare: 1 files; expected OLD.json NEW.json"));
  EXPECT_EQ(runBench({"dispatch", "--samples", "many"}).code, kUsage);
}

TEST(JitBenchTest, HelpsWithExamples) {
  BenchOutcome outcome = runBench({"--help"});
  EXPECT_EQ(outcome.code, kYes);
  EXPECT_THAT(outcome.out, HasSubstr("jit-bench compare old.json new.json"));
}

TEST(JitBenchTest, MeasuresTheQueue) {
  BenchOutcome outcome =
      runBench({"dispatch", "--filter", "queue", "--samples", "5", "--min-time", "0", "--json"});
  EXPECT_EQ(outcome.code, kYes) << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["cases"].size(), 5u);
  for (const auto &entry : json["cases"]) {
    EXPECT_GT(entry["median_us"].get<double>(), 0) << entry["name"];
    EXPECT_LE(entry["min_us"].get<double>(), entry["median_us"].get<double>());
    EXPECT_LE(entry["median_us"].get<double>(), entry["p95_us"].get<double>());
  }
}

TEST(JitBenchTest, MeasuresResidentKernelsFromOneThreadAndFromTwo) {
  BenchOutcome outcome =
      runBench({"cache", "--filter", "a kernel by its key", "--samples", "3", "--min-time", "0", "--json"});
  EXPECT_EQ(outcome.code, kYes) << outcome.err;
  nlohmann::json cases = nlohmann::json::parse(outcome.out)["cases"];
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_GT(cases[0]["median_us"], 0);
  EXPECT_FALSE(cases[0].contains("thread_scaling"));
  EXPECT_GT(cases[1]["thread_scaling"], 0);
}

TEST(JitBenchTest, AFilterThatFitsNothingIsAnError) {
  BenchOutcome outcome = runBench({"dispatch", "--filter", "warp drive"});
  EXPECT_EQ(outcome.code, kFailed);
  EXPECT_THAT(outcome.err, HasSubstr("no case of suite 'dispatch' has 'warp drive' in its name"));
}

TEST(JitBenchTest, CasesHaveUniqueNamesAndCosts) {
  std::set<std::string> names;
  for (const KernelCase &kernel : kernelCases()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_GT(kernel.flops, 0) << kernel.name;
    EXPECT_GT(kernel.bytes, 0) << kernel.name;
    EXPECT_GT(kernel.tolerance, 0) << kernel.name;
    EXPECT_THAT(kernel.text, HasSubstr("func.func @main(%a0: tensor<"));
  }
  EXPECT_GT(names.size(), 35u);
}

TEST(JitBenchTest, ReferencesFollowTheDefinition) {
  for (const KernelCase &kernel : kernelCases()) {
    if (kernel.bytes > 4e6)
      continue;
    std::vector<HostTensor> ones;
    for (const auto &shape : kernel.arguments) {
      ones.push_back(*makeTensor("a", KILN_F32, shape));
      for (int64_t i = 0; i < ones.back().elementCount(); ++i)
        ones.back().setElement(i, 1);
    }
    // Of ones, a product is its K, an inner convolution its taps, a softmax 1 over its length.
    int64_t elements = makeTensor("r", KILN_F32, kernel.results[0])->elementCount();
    int64_t middle = elements / 2;
    if (const auto &shape = kernel.results[0]; shape.size() == 4) // away from the padding
      middle = (shape[1] / 2 * shape[2] + shape[2] / 2) * shape[3] + shape[3] / 2;
    double got = kernel.reference(ones, middle);
    if (kernel.name.starts_with("matmul"))
      EXPECT_EQ(got, static_cast<double>(kernel.arguments[0][1])) << kernel.name;
    else if (kernel.name.starts_with("conv") || kernel.name.starts_with("depthwise"))
      EXPECT_EQ(2 * got * static_cast<double>(elements), kernel.flops) << kernel.name;
    else if (kernel.name.starts_with("softmax"))
      EXPECT_NEAR(got, 1.0 / static_cast<double>(kernel.arguments[0][1]), 1e-12) << kernel.name;
  }
}

TEST(JitBenchTest, RooflineIsPlausible) {
  Roofline roofline(1);
  double peak = roofline.measurePeakGflops();
#if defined(__has_feature) && (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
  EXPECT_GT(peak, 0); // of instrumented code
#else
  EXPECT_GT(peak, 0.5);
#endif
  EXPECT_LT(peak, 2000);
  EXPECT_GT(roofline.readGigabytesPerSecond(1 << 14), 0.05);
  // 10^9 operations at 100 GFLOP/s are 10 ms, whatever the memory does with 4 KiB.
  EXPECT_DOUBLE_EQ(roofline.boundUs(1e9, 4096, 100), 10000);
  EXPECT_DOUBLE_EQ(roofline.boundUs(0, 0, 100), 0);
}

TEST(JitBenchTest, ReportsProblemsBesideTheTable) {
  BenchReport report;
  report.results.resize(2);
  report.results[0].name = "good";
  report.results[0].samples = 3;
  report.results[0].us = {1, 2, 3};
  report.results[1].name = "bad";
  report.results[1].problem = "wrong result: element 3";
  std::ostringstream out, json;
  printBench(report, out);
  EXPECT_THAT(out.str(), HasSubstr("good"));
  EXPECT_THAT(out.str(), HasSubstr("bad: wrong result: element 3"));
  printBenchJson(report, json);
  auto parsed = nlohmann::json::parse(json.str());
  EXPECT_EQ(parsed["cases"][0]["median_us"], 2);
  EXPECT_EQ(parsed["cases"][1]["problem"], "wrong result: element 3");
  EXPECT_FALSE(parsed["cases"][1].contains("median_us"));
}

TEST(JitBenchTest, ComparesByName) {
  std::string before = writeFile("old.json", R"({"cases": [{"suite": "k", "name": "a", "median_us": 100},
      {"suite": "k", "name": "b", "median_us": 100}, {"suite": "k", "name": "gone", "median_us": 1}]})");
  std::string after = writeFile("new.json", R"({"cases": [{"suite": "k", "name": "a", "median_us": 105},
      {"suite": "k", "name": "b", "median_us": 50}, {"suite": "k", "name": "failed", "problem": "x"}]})");
  BenchOutcome outcome = runBench({"compare", before.c_str(), after.c_str()});
  EXPECT_EQ(outcome.code, kYes) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("faster"));
  EXPECT_EQ(runBench({"compare", before.c_str(), after.c_str(), "--threshold", "0.01"}).code, kNo);
  outcome = runBench({"compare", after.c_str(), before.c_str()});
  EXPECT_EQ(outcome.code, kNo);
  EXPECT_THAT(outcome.out, HasSubstr("slower"));
}

TEST(JitBenchTest, ComparingWrongFilesIsAnError) {
  std::string good = writeFile("good.json", R"({"cases": [{"suite": "k", "name": "a", "median_us": 1}]})");
  std::string other =
      writeFile("other.json", R"({"cases": [{"suite": "k", "name": "z", "median_us": 1}, 7]})");
  std::string broken = writeFile("broken.json", "{");
  EXPECT_THAT(runBench({"compare", good.c_str(), "/nonexistent.json"}).err,
              HasSubstr("'/nonexistent.json' cannot be read"));
  EXPECT_THAT(runBench({"compare", broken.c_str(), good.c_str()}).err, HasSubstr("has no cases"));
  EXPECT_THAT(runBench({"compare", good.c_str(), other.c_str()}).err, HasSubstr("have no case in common"));
}

} // namespace
} // namespace kiln::tools
