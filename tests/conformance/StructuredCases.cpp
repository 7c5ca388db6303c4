// StructuredCases.cpp: reductions, contractions, normalisations and shape ops, each against loops.
#include "tests/conformance/KernelCases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::conformance {
namespace {

struct Reduction {
  const char *op;
  double initial;
  double (*combine)(double, double);
  bool isMean;
};
const Reduction kReductions[] = {
    {"sum", 0, [](double a, double b) { return a + b; }, false},
    {"mean", 0, [](double a, double b) { return a + b; }, true},
    {"max", -std::numeric_limits<double>::infinity(), [](double a, double b) { return std::max(a, b); },
     false},
    {"min", std::numeric_limits<double>::infinity(), [](double a, double b) { return std::min(a, b); },
     false},
    {"sum_square", 0, [](double a, double b) { return a + b * b; }, false},
};

// Over one axis of a tensor of rank 3; it stays with extent 1 where `keep`.
Numbers reduce(const Reduction &reduction, const Numbers &x, size_t axis, bool keep) {
  int64_t outer = 1, inner = 1, extent = x.dims[axis];
  for (size_t i = 0; i < x.dims.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : x.dims[i];
  Numbers result;
  result.dims = x.dims;
  if (keep)
    result.dims[axis] = 1;
  else
    result.dims.erase(result.dims.begin() + axis);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      double value = reduction.initial;
      for (int64_t k = 0; k < extent; ++k)
        value = reduction.combine(value, x.values[(o * extent + k) * inner + i]);
      result.values.push_back(reduction.isMean ? value / extent : value);
    }
  return result;
}

KernelCase reduceCase(const Reduction &reduction, KilnDType dtype, size_t axis, bool keep) {
  std::string in = dynamicType(dtype, 3), out = dynamicType(dtype, keep ? 3 : 2);
  if (keep) // the kept axis has extent 1
    out = axis == 0 ? "tensor<1x?x?x" + in.substr(in.rfind('x') + 1)
                    : "tensor<?x?x1x" + in.substr(in.rfind('x') + 1);
  KernelCase kernel;
  kernel.name =
      fmt::format("reduce_{}_axis{}{}_{}", reduction.op, axis, keep ? "_keep" : "", tools::dtypeName(dtype));
  kernel.text =
      fmt::format("func.func @main(%x: {0}) -> {1} {{\n  %y = kiln.reduce {2} %x axes [{3}]{4} : {0} -> {1}\n"
                  "  return %y : {1}\n}}\n",
                  in, out, reduction.op, axis, keep ? " keepdims" : "");
  kernel.inputs = {{dtype, -4, 4}};
  kernel.shapes = {{{2, 3, 4}}, {{5, 17, 33}}, {{3, 1, 1000}}};
  kernel.result = dtype;
  kernel.reference = [reduction, axis, keep](const std::vector<Numbers> &inputs) {
    return reduce(reduction, inputs[0], axis, keep);
  };
  kernel.toleranceScale = 20; // up to a thousand terms that cancel
  return kernel;
}

Numbers matmul(const Numbers &a, const Numbers &b) {
  int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
  Numbers result{{m, n}, {}};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += a.values[i * k + p] * b.values[p * n + j];
      result.values.push_back(sum);
    }
  return result;
}

KernelCase matmulCase(KilnDType dtype, KilnDType result, bool withEpilogue) {
  std::string in = dynamicType(dtype, 2), out = dynamicType(result, 2), bias = dynamicType(result, 1);
  KernelCase kernel;
  kernel.name = fmt::format("matmul{}_{}", withEpilogue ? "_bias_relu" : "", tools::dtypeName(dtype));
  std::string product = fmt::format("  %c = kiln.matmul %a, %b : {0}, {0} -> {1}\n", in, out);
  if (withEpilogue)
    kernel.text = fmt::format(
        "func.func @main(%a: {0}, %b: {0}, %d: {2}) -> {1} {{\n{3}"
        "  %s = kiln.add %c, %d : {1}, {2} -> {1}\n  %r = kiln.relu %s : {1}\n  return %r : {1}\n}}\n",
        in, out, bias, product);
  else
    kernel.text = fmt::format("func.func @main(%a: {0}, %b: {0}) -> {1} {{\n{2}  return %c : {1}\n}}\n", in,
                              out, product);
  kernel.inputs = {{dtype, -2, 2}, {dtype, -2, 2}};
  kernel.shapes = {{{1, 1}, {1, 1}}, {{5, 7}, {7, 3}}, {{33, 65}, {65, 47}}, {{1, 300}, {300, 70}}};
  if (withEpilogue) {
    kernel.inputs.push_back({result, -1, 1});
    for (auto &set : kernel.shapes)
      set.push_back({set[1][1]});
  }
  kernel.result = result;
  kernel.toleranceScale = 20; // sums of up to 300 products
  kernel.reference = [withEpilogue](const std::vector<Numbers> &inputs) {
    Numbers result = matmul(inputs[0], inputs[1]);
    for (int64_t i = 0; withEpilogue && i < result.count(); ++i)
      result.values[i] = std::max(0.0, result.values[i] + inputs[2].values[i % result.dims[1]]);
    return result;
  };
  return kernel;
}

KernelCase softmaxCase(KilnDType dtype) {
  std::string type = dynamicType(dtype, 2);
  KernelCase kernel;
  kernel.name = fmt::format("softmax_{}", tools::dtypeName(dtype));
  kernel.text = fmt::format("func.func @main(%x: {0}) -> {0} {{\n  %y = kiln.softmax %x axis -1 : {0}\n"
                            "  return %y : {0}\n}}\n",
                            type);
  kernel.inputs = {{dtype, -8, 8}};
  kernel.shapes = {{{1, 1}}, {{4, 10}}, {{65, 1000}}};
  kernel.result = dtype;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    int64_t width = result.dims[1];
    for (int64_t row = 0; row < result.dims[0]; ++row) {
      auto begin = result.values.begin() + row * width, end = begin + width;
      double highest = *std::max_element(begin, end), sum = 0;
      for (auto it = begin; it != end; ++it)
        sum += *it = std::exp(*it - highest);
      for (auto it = begin; it != end; ++it)
        *it /= sum;
    }
    return result;
  };
  return kernel;
}

KernelCase transposeCase() {
  KernelCase kernel;
  kernel.name = "transpose_f32";
  kernel.text = "func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
                "  %y = kiln.transpose %x perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>\n"
                "  return %y : tensor<?x?xf32>\n}\n";
  kernel.inputs = {{KILN_F32, -9, 9}};
  kernel.shapes = {{{1, 7}}, {{33, 65}}};
  kernel.result = KILN_F32;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    int64_t rows = inputs[0].dims[0], columns = inputs[0].dims[1];
    Numbers result{{columns, rows}, {}};
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        result.values.push_back(inputs[0].values[i * columns + j]);
    return result;
  };
  return kernel;
}

KernelCase concatCase() {
  KernelCase kernel;
  kernel.name = "concat_i32";
  kernel.text = "func.func @main(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> {\n"
                "  %y = kiln.concat %a, %b axis 0 : tensor<?x?xi32>, tensor<?x?xi32> -> tensor<?x?xi32>\n"
                "  return %y : tensor<?x?xi32>\n}\n";
  kernel.inputs = {{KILN_I32, -99, 99}, {KILN_I32, -99, 99}};
  kernel.shapes = {{{2, 3}, {1, 3}}, {{17, 40}, {9, 40}}};
  kernel.result = KILN_I32;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    result.dims[0] += inputs[1].dims[0];
    result.values.insert(result.values.end(), inputs[1].values.begin(), inputs[1].values.end());
    return result;
  };
  return kernel;
}

KernelCase convCase() {
  KernelCase kernel;
  kernel.name = "conv_f32";
  kernel.text =
      "func.func @main(%x: tensor<2x3x9x11xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x5x6xf32> {\n"
      "  %y = kiln.conv %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<2x3x9x11xf32>, "
      "tensor<4x3x3x3xf32> -> tensor<2x4x5x6xf32>\n"
      "  return %y : tensor<2x4x5x6xf32>\n}\n";
  kernel.inputs = {{KILN_F32, -1, 1}, {KILN_F32, -1, 1}};
  kernel.shapes = {{{2, 3, 9, 11}, {4, 3, 3, 3}}};
  kernel.result = KILN_F32;
  kernel.toleranceScale = 5; // 27 products
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result{{2, 4, 5, 6}, {}};
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t o = 0; o < 4; ++o)
        for (int64_t oy = 0; oy < 5; ++oy)
          for (int64_t ox = 0; ox < 6; ++ox) {
            double sum = 0;
            for (int64_t c = 0; c < 3; ++c)
              for (int64_t ky = 0; ky < 3; ++ky)
                for (int64_t kx = 0; kx < 3; ++kx) {
                  int64_t y = 2 * oy + ky - 1, x = 2 * ox + kx - 1;
                  if (y >= 0 && y < 9 && x >= 0 && x < 11)
                    sum += inputs[0].values[((n * 3 + c) * 9 + y) * 11 + x] *
                           inputs[1].values[((o * 3 + c) * 3 + ky) * 3 + kx];
                }
            result.values.push_back(sum);
          }
    return result;
  };
  return kernel;
}

} // namespace

std::vector<KernelCase> structuredCases() {
  std::vector<KernelCase> cases;
  for (const Reduction &reduction : kReductions)
    for (size_t axis : {0, 2})
      cases.push_back(reduceCase(reduction, KILN_F32, axis, false));
  cases.push_back(reduceCase(kReductions[0], KILN_F32, 2, true));
  cases.push_back(reduceCase(kReductions[2], KILN_F32, 0, true));
  cases.push_back(reduceCase(kReductions[0], KILN_I32, 2, false));
  cases.push_back(reduceCase(kReductions[0], KILN_F64, 0, false));
  cases.push_back(reduceCase(kReductions[2], KILN_I8, 2, false));
  for (KilnDType dtype : {KILN_F32, KILN_F64, KILN_F16, KILN_BF16, KILN_I32})
    cases.push_back(matmulCase(dtype, dtype, false));
  cases.push_back(matmulCase(KILN_I8, KILN_I32, false));
  cases.push_back(matmulCase(KILN_F32, KILN_F32, true));
  cases.push_back(softmaxCase(KILN_F32));
  cases.push_back(softmaxCase(KILN_F16));
  cases.push_back(transposeCase());
  cases.push_back(concatCase());
  cases.push_back(convCase());
  return cases;
}

} // namespace kiln::conformance
