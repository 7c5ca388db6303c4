// IndexingTest.cpp: kernels that read and write at indices that are data, against loops.
#include "backends/host/test/codegen/KernelHarness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

std::string typeOf(const Array &array, bool isDynamic) {
  return tensorType(array.dtype(), isDynamic ? Shape(array.shape().size(), -1) : array.shape());
}

/// A kernel @k whose body names its arguments %a0.. and yields %r0..; `$0` stands for the type of argument 0,
/// `$r0` for that of result 0.
std::string kernelOf(std::string body, const std::vector<Array *> &inputs,
                     const std::vector<Array *> &results, bool isDynamic) {
  auto replaceAll = [&](const std::string &what, const std::string &by) {
    for (size_t at; (at = body.find(what)) != std::string::npos;)
      body.replace(at, what.size(), by);
  };
  std::string arguments, types, yielded;
  for (size_t i = 0; i < inputs.size(); ++i) {
    replaceAll("$" + std::to_string(i), typeOf(*inputs[i], isDynamic));
    arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " + typeOf(*inputs[i], isDynamic);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string separator = i ? ", " : "";
    replaceAll("$r" + std::to_string(i), typeOf(*results[i], isDynamic));
    types += separator + typeOf(*results[i], isDynamic);
    yielded += separator + "%r" + std::to_string(i);
  }
  return "kiln.kernel @k(" + arguments + ") -> (" + types + ") {\n" + body + "\n  kiln.yield " + yielded +
         " : " + types + "\n}\n";
}

class IndexingTest : public testing::TestWithParam<std::string> {
protected:
  /// Runs `body`, tile by tile, and checks that nothing around the results was written.
  void run(const std::string &body, const std::vector<Array *> &inputs, const std::vector<Array *> &results,
           bool isDynamic) {
    auto kernel = compileOrFail(kernelOf(body, inputs, results, isDynamic), GetParam());
    ASSERT_TRUE(kernel);
    std::vector<Array *> bindings = inputs;
    bindings.insert(bindings.end(), results.begin(), results.end());
    kernel->run(bindings, {}, 1);
    for (Array *result : results)
      EXPECT_TRUE(result->guardsIntact()) << body;
  }
  void check(const std::string &body, const std::vector<Array *> &inputs, Array &result,
             const std::vector<double> &want, bool isDynamic, double rtol = 0) {
    run(body, inputs, {&result}, isDynamic);
    EXPECT_TRUE(closeTo(result, want, rtol, 0)) << body << (isDynamic ? "dynamic" : "static");
  }

  static Array numbered(KilnDType dtype, const Shape &shape) {
    Array array(dtype, shape);
    for (int64_t i = 0; i < array.size(); ++i)
      array.set(i, dtype == KILN_I1 ? i % 3 == 0 : i % 97);
    return array;
  }
  /// Indices from the front, from the end and out of range on both sides.
  static Array wildIndices(KilnDType dtype, const Shape &shape, int64_t extent) {
    Array array(dtype, shape);
    for (int64_t i = 0; i < array.size(); ++i)
      array.set(i, (i * 7919) % (2 * extent + 6) - extent - 3);
    return array;
  }
  static int64_t clamped(double index, int64_t extent) {
    auto i = static_cast<int64_t>(index);
    return std::clamp<int64_t>(i < 0 ? i + extent : i, 0, extent - 1);
  }
};

TEST_P(IndexingTest, GathersAlongEveryAxisAndType) {
  for (KilnDType dtype : {KILN_F32, KILN_F64, KILN_BF16, KILN_I8, KILN_I1})
    for (int64_t axis : {0, 1, 2})
      for (bool isDynamic : {false, true}) {
        if (isDynamic && dtype != KILN_F32)
          continue; // the code differs by width only
        Shape shape{9, 11, 37}, result = shape;
        Array x = numbered(dtype, shape),
              indices = wildIndices(axis ? KILN_I64 : KILN_I32, {21}, shape[axis]);
        result[axis] = 21;
        std::vector<double> want;
        forEachIndex(result, [&](Shape index) {
          index[axis] = clamped(indices.get(index[axis]), shape[axis]);
          want.push_back(x.get(position(shape, index)));
        });
        Array out(dtype, result);
        check("  %r0 = kiln.gather %a0, %a1 axis " + std::to_string(axis) + " : $0, $1 -> $r0",
              {&x, &indices}, out, want, isDynamic);
      }
}

TEST_P(IndexingTest, GathersByBatchAndFromScalars) {
  Array x = numbered(KILN_F32, {4, 6, 33}), indices = wildIndices(KILN_I64, {4, 5}, 6);
  std::vector<double> want;
  forEachIndex({4, 5, 33}, [&](const Shape &i) {
    want.push_back(x.get(position({4, 6, 33}, {i[0], clamped(indices.get(i[0] * 5 + i[1]), 6), i[2]})));
  });
  for (bool isDynamic : {false, true}) {
    Array out(KILN_F32, {4, 5, 33});
    check("  %r0 = kiln.gather %a0, %a1 axis 1 {batch_dims = 1} : $0, $1 -> $r0", {&x, &indices}, out, want,
          isDynamic);
  }
  Array line = numbered(KILN_F32, {50}), one = Array::of(KILN_I64, {}, {-2}), out(KILN_F32, {});
  check("  %r0 = kiln.gather %a0, %a1 axis 0 : $0, $1 -> $r0", {&line, &one}, out, {48}, false);
}

// The gather between what makes its indices and what reads its result.
TEST_P(IndexingTest, GathersInsideElementwiseKernels) {
  Array x = numbered(KILN_F32, {20, 45}), indices = wildIndices(KILN_I64, {70}, 20),
        bias = numbered(KILN_F32, {45});
  std::vector<double> want;
  forEachIndex({70, 45}, [&](const Shape &i) {
    double value = x.get(clamped(indices.get(i[0]) - 1, 20) * 45 + i[1]) + bias.get(i[1]);
    want.push_back(value * value);
  });
  for (bool isDynamic : {false, true}) {
    Array out(KILN_F32, {70, 45});
    check("  %one = kiln.constant dense<1> : tensor<i64>\n"
          "  %i = kiln.sub %a1, %one : $1, tensor<i64> -> $1\n"
          "  %g = kiln.gather %a0, %i axis 0 : $0, $1 -> $r0\n"
          "  %b = kiln.add %g, %a2 : $r0, $2 -> $r0\n"
          "  %r0 = kiln.mul %b, %b : $r0, $r0 -> $r0",
          {&x, &indices, &bias}, out, want, isDynamic);
  }
}

TEST_P(IndexingTest, GathersElementsAndTuples) {
  for (bool isDynamic : {false, true}) {
    Shape shape{7, 8, 19};
    Array x = numbered(KILN_F32, shape);
    for (int64_t axis : {0, 1, 2}) {
      Shape result{6, 8, 17};
      Array indices = wildIndices(KILN_I64, result, shape[axis]), out(KILN_F32, result);
      std::vector<double> want;
      forEachIndex(result, [&](Shape index) {
        index[axis] = clamped(indices.get(position(result, index)), shape[axis]);
        want.push_back(x.get(position(shape, index)));
      });
      check("  %r0 = kiln.gather_elements %a0, %a1 axis " + std::to_string(axis) + " : $0, $1 -> $r0",
            {&x, &indices}, out, want, isDynamic);
    }
    // Tuples of two; the last extent of the indices is static.
    Array tuples = wildIndices(KILN_I64, {23, 2}, 7), out(KILN_F32, {23, 19});
    std::vector<double> want;
    forEachIndex({23, 19}, [&](const Shape &i) {
      want.push_back(x.get(
          position(shape, {clamped(tuples.get(i[0] * 2), 7), clamped(tuples.get(i[0] * 2 + 1), 8), i[1]})));
    });
    std::string indexType = isDynamic ? "tensor<?x2xi64>" : "tensor<23x2xi64>";
    check("  %i = tensor.cast %a1 : $1 to " + indexType + "\n  %r0 = kiln.gather_nd %a0, %i : $0, " +
              indexType + " -> $r0",
          {&x, &tuples}, out, want, isDynamic);
  }
}

TEST_P(IndexingTest, MarksOneHot) {
  Array indices = wildIndices(KILN_I32, {5, 21}, 10), on = Array::of(KILN_F32, {}, {3}),
        off = Array::of(KILN_F32, {}, {-1}), out(KILN_F32, {5, 10, 21});
  std::vector<double> want;
  forEachIndex({5, 10, 21}, [&](const Shape &i) {
    double index = indices.get(i[0] * 21 + i[2]);
    want.push_back((index < 0 ? index + 10 : index) == double(i[1]) ? 3 : -1);
  });
  check("  %r0 = kiln.one_hot %a0 depth [10] axis 1 on %a1 off %a2 : $0, $1 -> $r0", {&indices, &on, &off},
        out, want, false);
}

// Several updates of one element come in order; those out of range do nothing.
TEST_P(IndexingTest, ScattersElements) {
  struct Case {
    const char *kind;
    double (*combine)(double, double);
  };
  const Case cases[] = {{"replace", [](double, double b) { return b; }},
                        {"add", [](double a, double b) { return a + b; }},
                        {"mul", [](double a, double b) { return a * b; }},
                        {"min", [](double a, double b) { return std::min(a, b); }},
                        {"max", [](double a, double b) { return std::max(a, b); }}};
  for (const Case &c : cases)
    for (KilnDType dtype : {KILN_F32, KILN_I64, KILN_F16})
      for (int64_t axis : {0, 1})
        for (bool isDynamic : {false, true}) {
          if ((isDynamic || c.kind != std::string("add")) && dtype != KILN_F32)
            continue;
          Shape shape{6, 9}, part{5, 8};
          Array x = numbered(dtype, shape), indices = wildIndices(KILN_I64, part, shape[axis]),
                updates(dtype, part);
          for (int64_t i = 0; i < updates.size(); ++i)
            updates.set(i, i % 3 + 1);
          std::vector<double> want = x.values();
          forEachIndex(part, [&](Shape index) {
            int64_t from = position(part, index);
            auto to = static_cast<int64_t>(indices.get(from));
            to = to < 0 ? to + shape[axis] : to;
            index[axis] = to;
            if (to >= 0 && to < shape[axis])
              want[position(shape, index)] = c.combine(want[position(shape, index)], updates.get(from));
          });
          Array out(dtype, shape);
          check(std::string("  %r0 = kiln.scatter_elements ") + c.kind + " %a0, %a1, %a2 axis " +
                    std::to_string(axis) + " : $0, $1, $2",
                {&x, &indices, &updates}, out, want, isDynamic);
        }
}

TEST_P(IndexingTest, ScattersRows) {
  for (std::string kind : {"replace", "add"})
    for (bool isDynamic : {false, true}) {
      Array x = numbered(KILN_F32, {8, 37}), indices = wildIndices(KILN_I64, {12, 1}, 8),
            updates = numbered(KILN_F32, {12, 37}), out(KILN_F32, {8, 37});
      std::vector<double> want = x.values();
      for (int64_t i = 0; i < 12; ++i) {
        auto row = static_cast<int64_t>(indices.get(i));
        row = row < 0 ? row + 8 : row;
        for (int64_t k = 0; row >= 0 && row < 8 && k < 37; ++k)
          want[row * 37 + k] = updates.get(i * 37 + k) + (kind == "add" ? want[row * 37 + k] : 0);
      }
      std::string indexType = isDynamic ? "tensor<?x1xi64>" : "tensor<12x1xi64>";
      check("  %i = tensor.cast %a1 : $1 to " + indexType + "\n  %r0 = kiln.scatter_nd " + kind +
                " %a0, %i, %a2 : $0, " + indexType + ", $2",
            {&x, &indices, &updates}, out, want, isDynamic);
    }
}

// Ties by index, NaN as the largest number; every type; each axis.
TEST_P(IndexingTest, OrdersLines) {
  for (KilnDType dtype : {KILN_F32, KILN_F64, KILN_BF16, KILN_I32, KILN_U8})
    for (bool smallest : {false, true})
      for (bool isDynamic : {false, true}) {
        if (isDynamic && dtype != KILN_F32)
          continue;
        constexpr int64_t rows = 3, n = 65, k = 7;
        Array x(dtype, {rows, n});
        for (int64_t i = 0; i < x.size(); ++i)
          x.set(i, (i * 37) % 41);
        if (dtype != KILN_I32 && dtype != KILN_U8)
          x.set(n + 5, std::nan(""));
        std::vector<double> values, indices;
        for (int64_t row = 0; row < rows; ++row) {
          std::vector<int64_t> order(n);
          std::iota(order.begin(), order.end(), 0);
          auto key = [&](int64_t i) {
            double value = x.get(row * n + i);
            return std::isnan(value) ? HUGE_VAL : value;
          };
          std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            double first = smallest ? key(a) : key(b), second = smallest ? key(b) : key(a);
            return first != second ? first < second : a < b;
          });
          for (int64_t i = 0; i < k; ++i) {
            values.push_back(x.get(row * n + order[i]));
            indices.push_back(order[i]);
          }
        }
        Array v(dtype, {rows, k}), p(KILN_I64, {rows, k});
        std::string flag = smallest ? " smallest" : "";
        std::string text =
            "  %v, %p = kiln.top_k %a0 k [7] axis 1" + flag + " : $0 -> " +
            (isDynamic ? std::string("tensor<?x7x") + "f32>, tensor<?x7xi64>" : "$r0, $r1") +
            (isDynamic ? "\n  %r0 = tensor.cast %v : tensor<?x7xf32> to $r0\n"
                         "  %r1 = tensor.cast %p : tensor<?x7xi64> to $r1"
                       : "\n  %r0 = tensor.cast %v : $r0 to $r0\n  %r1 = tensor.cast %p : $r1 to $r1");
        run(text, {&x}, {&v, &p}, isDynamic);
        EXPECT_TRUE(closeTo(v, values, 0, 0)) << text;
        EXPECT_TRUE(closeTo(p, indices, 0, 0)) << text;
      }
  // Along the first axis: lines with a stride, all elements.
  Array x = Array::random(KILN_F32, {33, 5}, -1, 1), v(KILN_F32, {33, 5}), p(KILN_I64, {33, 5});
  run("  %r0, %r1 = kiln.sort %a0 axis 0 : $0 -> $r0, $r1", {&x}, {&v, &p}, true);
  for (int64_t column = 0; column < 5; ++column)
    for (int64_t i = 0; i < 33; ++i) {
      EXPECT_EQ(v.get(i * 5 + column), x.get(static_cast<int64_t>(p.get(i * 5 + column)) * 5 + column));
      if (i > 0) {
        EXPECT_LE(v.get((i - 1) * 5 + column), v.get(i * 5 + column));
      }
    }
}

TEST_P(IndexingTest, FindsNonzeroElements) {
  for (KilnDType dtype : {KILN_F32, KILN_I1, KILN_I8}) {
    Array x(dtype, {4, 9});
    std::vector<double> rows, columns;
    for (int64_t i = 0; i < x.size(); ++i) {
      x.set(i, i % 5 == 2);
      if (i % 5 == 2) {
        rows.push_back(i / 9);
        columns.push_back(i % 9);
      }
    }
    auto count = static_cast<int64_t>(rows.size());
    rows.insert(rows.end(), columns.begin(), columns.end());
    Array out(KILN_I64, {2, count});
    check("  %r0 = kiln.nonzero %a0 count [" + std::to_string(count) + "] : $0 -> $r0", {&x}, out, rows,
          false);
  }
}

TEST_P(IndexingTest, NumbersDistinctSlices) {
  Array line = Array::of(KILN_F32, {7}, {2, 1, 1, 3, 4, 3, std::nan("")});
  auto results = [](int64_t n) {
    return std::vector<Array>{Array(KILN_I64, {n}), Array(KILN_I64, {n}), Array(KILN_I64, {n}),
                              Array(KILN_I64, {})};
  };
  auto unique = [&](Array &x, const std::string &flags, std::vector<Array> &out, bool isDynamic) {
    std::string text =
        "  %r0, %r1, %r2, %r3 = kiln.unique %a0 axis 0" + flags + " : $0 -> $r0, $r1, $r2, $r3";
    run(text, {&x}, {&out[0], &out[1], &out[2], &out[3]}, isDynamic);
  };
  for (bool isDynamic : {false, true}) {
    std::vector<Array> out = results(7);
    unique(line, " sorted", out, isDynamic);
    EXPECT_TRUE(closeTo(out[0], {1, 0, 3, 4, 6, 0, 0}, 0, 0));
    EXPECT_TRUE(closeTo(out[1], {1, 0, 0, 2, 3, 2, 4}, 0, 0));
    EXPECT_TRUE(closeTo(out[2], {2, 1, 2, 1, 1, 0, 0}, 0, 0));
    EXPECT_TRUE(closeTo(out[3], {5}, 0, 0));
    unique(line, "", out, isDynamic);
    EXPECT_TRUE(closeTo(out[0], {0, 1, 3, 4, 6, 0, 0}, 0, 0));
    EXPECT_TRUE(closeTo(out[1], {0, 1, 1, 2, 3, 2, 4}, 0, 0));
    EXPECT_TRUE(closeTo(out[2], {1, 2, 2, 1, 1, 0, 0}, 0, 0));
  }
  Array rows = Array::of(KILN_I32, {4, 3}, {1, 0, 0, 1, 0, 0, 0, 3, 4, 1, 0, 1});
  std::vector<Array> out = results(4);
  unique(rows, " sorted", out, true);
  EXPECT_TRUE(closeTo(out[0], {2, 0, 3, 0}, 0, 0));
  EXPECT_TRUE(closeTo(out[1], {1, 1, 0, 2}, 0, 0));
  EXPECT_TRUE(closeTo(out[2], {1, 2, 1, 0}, 0, 0));
}

// Two classes; a box that equals a better one, one that touches none, one below the threshold.
TEST_P(IndexingTest, SuppressesOverlappingBoxes) {
  Array boxes = Array::of(KILN_F32, {1, 4, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 1, 1, 0, 0});
  Array scores = Array::of(KILN_F32, {1, 2, 4}, {0.9, 0.75, 0.6, 0.95, 0.2, 0.8, 0.1, 0.8});
  Array iou = Array::of(KILN_F32, {}, {0.5}), least = Array::of(KILN_F32, {}, {0.15});
  Array selected(KILN_I64, {1, 2, 3}), counts(KILN_I64, {1, 2});
  run("  %r0, %r1 = kiln.nms %a0, %a1 limit [3] iou %a2 score %a3 : $0, $1 -> $r0, $r1",
      {&boxes, &scores, &iou, &least}, {&selected, &counts}, false);
  EXPECT_TRUE(closeTo(selected, {3, 2, 0, 1, 0, 0}, 0, 0));
  EXPECT_TRUE(closeTo(counts, {2, 1}, 0, 0));
}

INSTANTIATE_TEST_SUITE_P(Archs, IndexingTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
