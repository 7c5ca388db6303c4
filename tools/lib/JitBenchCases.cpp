// JitBenchCases.cpp: the kernels that jit-bench measures: text, cost, and a reference in double for each.
#include "tools/lib/JitBench.h"

#include <fmt/format.h>

#include <cmath>

namespace kiln::tools {
namespace {

using Shape = std::vector<int64_t>;

std::string type(const Shape &shape) { return fmt::format("tensor<{}xf32>", fmt::join(shape, "x")); }

double count(const Shape &shape) {
  double product = 1;
  for (int64_t extent : shape)
    product *= static_cast<double>(extent);
  return product;
}

/// A function of these arguments with one operation: `body` is what stands between `%r = ` and the colon.
KernelCase makeCase(std::string name, std::vector<Shape> arguments, Shape result, std::string_view body,
                    std::string_view types) {
  KernelCase made;
  made.name = std::move(name);
  std::string parameters;
  made.bytes = 4 * count(result);
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters += fmt::format("{}%a{}: {}", i ? ", " : "", i, type(arguments[i]));
    made.bytes += 4 * count(arguments[i]);
  }
  made.text = fmt::format("func.func @main({}) -> {} {{\n  %r = {} : {}\n  return %r : {}\n}}\n", parameters,
                          type(result), body, types, type(result));
  made.arguments = std::move(arguments);
  made.results = {std::move(result)};
  return made;
}

KernelCase matmul(int64_t m, int64_t n, int64_t k) {
  KernelCase made =
      makeCase(fmt::format("matmul {}x{}x{}", m, n, k), {{m, k}, {k, n}}, {m, n}, "kiln.matmul %a0, %a1",
               fmt::format("{}, {} -> {}", type({m, k}), type({k, n}), type({m, n})));
  made.flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
  made.tolerance = 1e-6 * static_cast<double>(k); // rounding of k terms below 1
  made.reference = [=](const std::vector<HostTensor> &in, int64_t index) {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += in[0].element(index / n * k + i) * in[1].element(i * n + index % n);
    return sum;
  };
  return made;
}

struct Conv {
  int64_t channels, size, filters, kernel, stride;
  bool isDepthwise = false;
};

KernelCase conv(const Conv &c) {
  int64_t pad = c.kernel / 2, groups = c.isDepthwise ? c.channels : 1, depth = c.channels / groups;
  int64_t out = (c.size + 2 * pad - c.kernel) / c.stride + 1;
  Shape x = {1, c.channels, c.size, c.size}, w = {c.filters, depth, c.kernel, c.kernel},
        y = {1, c.filters, out, out};
  std::string body = fmt::format(
      "kiln.conv %a0, %a1 strides [{0}, {0}] pads [{1}, {1}, {1}, {1}] dilations [1, 1]", c.stride, pad);
  if (groups > 1)
    body += fmt::format(" groups {}", groups);
  KernelCase made =
      makeCase(fmt::format("{} {}@{} {}x{}{}{}", c.isDepthwise ? "depthwise" : "conv", c.channels, c.size,
                           c.kernel, c.kernel, c.isDepthwise ? "" : fmt::format(" to {}", c.filters),
                           c.stride > 1 ? fmt::format(" stride {}", c.stride) : ""),
               {x, w}, y, body, fmt::format("{}, {} -> {}", type(x), type(w), type(y)));
  made.flops = 2.0 * count(y) * static_cast<double>(depth * c.kernel * c.kernel);
  made.tolerance = 1e-6 * static_cast<double>(depth * c.kernel * c.kernel);
  made.reference = [=](const std::vector<HostTensor> &in, int64_t index) {
    int64_t column = index % out, row = index / out % out, filter = index / (out * out);
    int64_t first = filter / (c.filters / groups) * depth;
    double sum = 0;
    for (int64_t channel = 0; channel < depth; ++channel)
      for (int64_t i = 0; i < c.kernel; ++i)
        for (int64_t j = 0; j < c.kernel; ++j) {
          int64_t h = row * c.stride + i - pad, v = column * c.stride + j - pad;
          if (h >= 0 && h < c.size && v >= 0 && v < c.size)
            sum += in[0].element(((first + channel) * c.size + h) * c.size + v) *
                   in[1].element(((filter * depth + channel) * c.kernel + i) * c.kernel + j);
        }
    return sum;
  };
  return made;
}

KernelCase softmax(int64_t rows, int64_t columns) {
  KernelCase made = makeCase(fmt::format("softmax {}x{}", rows, columns), {{rows, columns}}, {rows, columns},
                             "kiln.softmax %a0 axis -1", type({rows, columns}));
  made.flops = 12.0 * static_cast<double>(rows * columns); // an exp is some ten operations
  made.tolerance = 1e-5;
  made.reference = [=](const std::vector<HostTensor> &in, int64_t index) {
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i)
      sum += std::exp(in[0].element(index / columns * columns + i));
    return std::exp(in[0].element(index)) / sum;
  };
  return made;
}

KernelCase unary(std::string_view op, int64_t elements, double flops, double (*reference)(double)) {
  KernelCase made = makeCase(fmt::format("{} {}", op, elements), {{elements}}, {elements},
                             fmt::format("kiln.{} %a0", op), type({elements}));
  made.flops = flops * static_cast<double>(elements);
  made.tolerance = 1e-5;
  made.reference = [=](const std::vector<HostTensor> &in, int64_t index) {
    return reference(in[0].element(index));
  };
  return made;
}

KernelCase add(int64_t elements) {
  std::string t = type({elements});
  KernelCase made = makeCase(fmt::format("add {}", elements), {{elements}, {elements}}, {elements},
                             "kiln.add %a0, %a1", fmt::format("{}, {} -> {}", t, t, t));
  made.flops = static_cast<double>(elements);
  made.tolerance = 1e-6;
  made.reference = [](const std::vector<HostTensor> &in, int64_t index) {
    return in[0].element(index) + in[1].element(index);
  };
  return made;
}

} // namespace

std::vector<KernelCase> kernelCases() {
  std::vector<KernelCase> cases;
  // M, N, K of ResNet-50, MobileNetV2, BERT-base with 128 tokens, GPT-2, and LLaMA-7B's decode.
  constexpr int64_t products[][3] = {
      {12544, 64, 147},  {3136, 64, 576}, {784, 128, 1152}, {196, 256, 2304}, {49, 512, 4608},
      {49, 2048, 512},   {1, 1000, 2048}, {12544, 96, 16},  {3136, 144, 24},  {196, 384, 64},
      {49, 1280, 320},   {128, 768, 768}, {128, 3072, 768}, {128, 768, 3072}, {1024, 2304, 768},
      {1024, 3072, 768}, {1, 50257, 768}, {1, 4096, 4096},  {1, 11008, 4096}, {1, 4096, 11008},
  };
  for (const auto &[m, n, k] : products)
    cases.push_back(matmul(m, n, k));
  // ResNet-50's 3x3, then MobileNetV2's depthwise.
  for (const Conv &c :
       {Conv{64, 56, 64, 3, 1}, Conv{128, 28, 128, 3, 1}, Conv{256, 14, 256, 3, 1}, Conv{512, 7, 512, 3, 1},
        Conv{3, 224, 64, 7, 2}, Conv{64, 56, 256, 1, 1}, Conv{32, 112, 32, 3, 1, true},
        Conv{96, 112, 96, 3, 2, true}, Conv{144, 56, 144, 3, 1, true}, Conv{384, 14, 384, 3, 1, true},
        Conv{960, 7, 960, 3, 1, true}})
    cases.push_back(conv(c));
  cases.push_back(softmax(1536, 128)); // BERT's attention: 12 heads of 128 rows
  cases.push_back(softmax(64, 1000));
  for (int64_t elements : {4096, 98304, 4194304})
    cases.push_back(add(elements));
  cases.push_back(unary("relu", 98304, 1, [](double x) { return x > 0 ? x : 0; }));
  cases.push_back(unary("exp", 98304, 10, [](double x) { return std::exp(x); }));
  cases.push_back(unary("tanh", 98304, 12, [](double x) { return std::tanh(x); }));
  cases.push_back(
      unary("gelu", 393216, 15, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }));
  return cases;
}

} // namespace kiln::tools
