// ShapeTest.cpp: kernels that move elements, alone and between arithmetic, against index arithmetic.
#include "backends/host/test/codegen/KernelHarness.h"

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;
using Source = std::function<double(const Shape &)>; // the wanted element at an index of the result

class ShapeTest : public testing::TestWithParam<std::string> {
protected:
  /// Compiles `body` (which maps %a0.. to %r) for the types, runs it on `inputs` and compares.
  void check(const std::vector<Array *> &inputs, const std::string &body, const Shape &result,
             const Source &source, bool isDynamic = false) {
    KilnDType dtype = inputs[0]->dtype();
    auto typeOf = [&](const Shape &shape) {
      return tensorType(dtype, isDynamic ? Shape(shape.size(), -1) : shape);
    };
    std::vector<std::string> types;
    for (Array *input : inputs)
      types.push_back(typeOf(input->shape()));
    std::string text = body;
    for (size_t at; (at = text.find("$r")) != std::string::npos;)
      text.replace(at, 2, typeOf(result));
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t at; (at = text.find("$" + std::to_string(i))) != std::string::npos;)
        text.replace(at, 2, types[i]);
    auto kernel = compileOrFail(kernelText(types, text, typeOf(result)), GetParam());
    ASSERT_TRUE(kernel);
    Array out(dtype, result);
    std::vector<Array *> bindings = inputs;
    bindings.push_back(&out);
    kernel->run(bindings, {}, 1);
    std::vector<double> want;
    forEachIndex(result, [&](const Shape &index) { want.push_back(source(index)); });
    EXPECT_TRUE(closeTo(out, want, 0, 0)) << text;
  }

  static Array numbered(KilnDType dtype, const Shape &shape) {
    Array array(dtype, shape);
    for (int64_t i = 0; i < array.size(); ++i)
      array.set(i, i % 251);
    return array;
  }
};

TEST_P(ShapeTest, TransposesOfAllOrders) {
  for (KilnDType dtype : {KILN_F32, KILN_F64, KILN_I8, KILN_F16})
    for (const Shape &perm :
         {Shape{1, 0}, Shape{0, 2, 1}, Shape{2, 1, 0}, Shape{1, 0, 2}, Shape{0, 2, 3, 1}}) {
      Shape shape = perm.size() == 2   ? Shape{70, 100}
                    : perm.size() == 3 ? Shape{5, 37, 65}
                                       : Shape{2, 9, 17, 20};
      Array x = numbered(dtype, shape);
      Shape result;
      for (int64_t axis : perm)
        result.push_back(shape[axis]);
      for (bool isDynamic : {false, true})
        check(
            {&x}, "  %r = kiln.transpose %a0 perm " + list(perm) + " : $0 -> $r", result,
            [&](const Shape &index) {
              Shape from(perm.size());
              for (size_t i = 0; i < perm.size(); ++i)
                from[perm[i]] = index[i];
              return x.get(position(shape, from));
            },
            isDynamic);
    }
}

TEST_P(ShapeTest, SlicesWithStrides) {
  Array x = numbered(KILN_F32, {20, 50});
  check({&x}, "  %r = kiln.slice %a0 offsets [3, 1] sizes [7, 16] strides [2, 3] : $0 -> $r", {7, 16},
        [&](const Shape &i) { return x.get((3 + 2 * i[0]) * 50 + 1 + 3 * i[1]); });
  check(
      {&x},
      "  %e = kiln.neg %a0 : $0\n  %r = kiln.slice %e offsets [3, 1] sizes [7, 40] strides [1, 1] : $0 -> $r",
      {7, 40}, [&](const Shape &i) { return -x.get((3 + i[0]) * 50 + 1 + i[1]); });
}

TEST_P(ShapeTest, ConcatenatesParts) {
  Array a = numbered(KILN_F32, {4, 30, 3}), b = numbered(KILN_F32, {4, 11, 3}),
        c = numbered(KILN_F32, {4, 1, 3});
  for (bool isDynamic : {false, true})
    check(
        {&a, &b, &c}, "  %r = kiln.concat %a0, %a1, %a2 axis 1 : $0, $1, $2 -> $r", {4, 42, 3},
        [&](const Shape &i) {
          const Array &from = i[1] < 30 ? a : i[1] < 41 ? b : c;
          int64_t at = i[1] < 30 ? i[1] : i[1] < 41 ? i[1] - 30 : 0;
          return from.get(position(from.shape(), {i[0], at, i[2]}));
        },
        isDynamic);
}

TEST_P(ShapeTest, ConcatenationOfComputedParts) {
  Array a = numbered(KILN_F32, {100}), b = numbered(KILN_F32, {57});
  check({&a, &b},
        "  %n = kiln.neg %a0 : $0\n  %p = kiln.add %a1, %a1 : $1, $1 -> $1\n  %r = kiln.concat %n, %p axis 0 "
        ": $0, $1 -> $r",
        {157}, [&](const Shape &i) { return i[0] < 100 ? -a.get(i[0]) : 2 * b.get(i[0] - 100); });
}

TEST_P(ShapeTest, PadsInEveryMode) {
  Array x = numbered(KILN_F32, {6, 19});
  auto source = [&](int64_t i, int64_t k) { return x.get(i * 19 + k); };
  check({&x},
        "  %v = kiln.constant dense<7.5> : tensor<f32>\n  %r = kiln.pad %a0 low [1, 2] high [0, 5] mode "
        "constant value %v : $0, tensor<f32> -> $r",
        {7, 26}, [&](const Shape &i) {
          bool inside = i[0] >= 1 && i[1] >= 2 && i[1] < 21;
          return inside ? source(i[0] - 1, i[1] - 2) : 7.5;
        });
  auto clamp = [](int64_t i, int64_t n) { return std::min(std::max<int64_t>(i, 0), n - 1); };
  check({&x}, "  %r = kiln.pad %a0 low [1, 2] high [0, 5] mode edge : $0 -> $r", {7, 26},
        [&](const Shape &i) { return source(clamp(i[0] - 1, 6), clamp(i[1] - 2, 19)); });
  auto reflect = [](int64_t i, int64_t n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; };
  check({&x}, "  %r = kiln.pad %a0 low [1, 2] high [0, 5] mode reflect : $0 -> $r", {7, 26},
        [&](const Shape &i) { return source(reflect(i[0] - 1, 6), reflect(i[1] - 2, 19)); });
  check({&x}, "  %r = kiln.pad %a0 low [1, 2] high [0, 5] mode wrap : $0 -> $r", {7, 26},
        [&](const Shape &i) { return source((i[0] + 5) % 6, (i[1] + 17) % 19); });
}

TEST_P(ShapeTest, ReversesAndBroadcasts) {
  Array x = numbered(KILN_F32, {5, 40}), row = numbered(KILN_F32, {1, 40}),
        column = numbered(KILN_F32, {5, 1});
  check({&x}, "  %r = kiln.reverse %a0 axes [1] : $0", {5, 40},
        [&](const Shape &i) { return x.get(i[0] * 40 + 39 - i[1]); });
  check({&row}, "  %r = kiln.broadcast %a0 [5, 40] : $0 -> $r", {5, 40},
        [&](const Shape &i) { return row.get(i[1]); });
  check({&column}, "  %r = kiln.broadcast %a0 [5, 40] : $0 -> $r", {5, 40},
        [&](const Shape &i) { return column.get(i[0]); });
  check({&row, &column}, "  %r = kiln.add %a0, %a1 : $0, $1 -> $r", {5, 40},
        [&](const Shape &i) { return row.get(i[1]) + column.get(i[0]); });
}

TEST_P(ShapeTest, ReshapesBetweenArithmetic) {
  Array x = numbered(KILN_F32, {6, 20}), y = numbered(KILN_F32, {5, 24});
  check({&x, &y},
        "  %n = kiln.neg %a0 : $0\n  %s = kiln.reshape %n [5, 24] : $0 -> $1\n  %r = kiln.add %s, %a1 : $1, "
        "$1 -> $1",
        {5, 24}, [&](const Shape &i) { return y.get(i[0] * 24 + i[1]) - x.get(i[0] * 24 + i[1]); });
  check({&x}, "  %n = kiln.neg %a0 : $0\n  %r = kiln.reshape %n [2, 3, 20] : $0 -> $r", {2, 3, 20},
        [&](const Shape &i) { return -x.get((i[0] * 3 + i[1]) * 20 + i[2]); });
}

TEST_P(ShapeTest, EmptyTensors) {
  Array x = numbered(KILN_F32, {0, 5});
  check({&x}, "  %r = kiln.neg %a0 : $0", {0, 5}, [](const Shape &) { return 0.0; });
  check({&x}, "  %r = kiln.neg %a0 : $0", {0, 5}, [](const Shape &) { return 0.0; }, true);
  check({&x}, "  %r = kiln.reduce sum %a0 axes [0] : $0 -> $r", {5}, [](const Shape &) { return 0.0; });
}

INSTANTIATE_TEST_SUITE_P(Archs, ShapeTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
