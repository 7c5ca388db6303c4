// ElementwiseTest.cpp: elementwise kernels against scalar references.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

class ElementwiseTest : public testing::TestWithParam<std::string> {};

TEST_P(ElementwiseTest, AddsVectorsOfAnyLength) {
  for (int64_t n : {1, 7, 16, 100, 1000, 100003}) {
    std::string type = "tensor<" + std::to_string(n) + "xf32>";
    auto kernel = compileOrFail(R"(
      #id = affine_map<(d0) -> (d0)>
      func.func @add(%a: )" + type +
                                    ", %b: " + type + ") -> " + type + R"( attributes {kiln.kernel} {
        %e = tensor.empty() : )" + type +
                                    R"(
        %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
            ins(%a, %b : )" + type + ", " +
                                    type + ") outs(%e : " + type + R"() {
        ^bb0(%x: f32, %y: f32, %o: f32):
          %s = arith.addf %x, %y : f32
          linalg.yield %s : f32
        } -> )" + type + R"(
        return %r : )" + type + "}",
                                GetParam());
    ASSERT_TRUE(kernel);
    Array a = Array::random(KILN_F32, {n}, -1, 1, 1), b = Array::random(KILN_F32, {n}, -1, 1, 2),
          out(KILN_F32, {n});
    std::vector<double> want;
    for (int64_t i = 0; i < n; ++i)
      want.push_back(float(a.get(i)) + float(b.get(i)));
    kernel->run({&a, &b, &out}, {}, 1);
    EXPECT_TRUE(closeTo(out, want, 0, 0)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, ElementwiseTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param == "x86-64-v3" ? "v3" : "v4"; });

} // namespace
} // namespace kiln::host::test
