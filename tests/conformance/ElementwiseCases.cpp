// ElementwiseCases.cpp: unary and binary ops, compare, select, convert: over types, broadcasting, dynamic
// extents.
#include "tests/conformance/KernelCases.h"

#include <fmt/format.h>

#include <cmath>

namespace kiln::conformance {
namespace {

using Shapes = std::vector<std::vector<std::vector<int64_t>>>;

// Lengths around vector widths, and one that takes several threads.
const Shapes kUnaryShapes = {{{1, 1}}, {{3, 5}}, {{8, 16}}, {{129, 257}}};

struct Unary {
  const char *op;
  double (*function)(double);
  double low, high; // where the function is defined and its result fits every type tested
};
const Unary kFloatOps[] = {
    {"exp", std::exp, -5, 5},
    {"expm1", std::expm1, -2, 2},
    {"log", std::log, 0.01, 10},
    {"log1p", std::log1p, -0.5, 5},
    {"sqrt", std::sqrt, 0, 10},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.05, 10},
    {"sin", std::sin, -3, 3},
    {"cos", std::cos, -3, 3},
    {"tanh", std::tanh, -4, 4},
    {"erf", std::erf, -3, 3},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -6, 6},
    {"gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }, -4, 4},
    {"silu", [](double x) { return x / (1 + std::exp(-x)); }, -6, 6},
    {"softplus", [](double x) { return std::log1p(std::exp(x)); }, -6, 6},
    {"ceil", std::ceil, -9, 9},
    {"floor", std::floor, -9, 9},
    {"round", std::nearbyint, -9, 9},
    {"reciprocal", [](double x) { return 1 / x; }, 0.1, 10},
};
const Unary kNumberOps[] = {
    {"neg", [](double x) { return -x; }, -100, 100},
    {"abs", [](double x) { return std::fabs(x); }, -100, 100},
    {"sign", [](double x) { return double((x > 0) - (x < 0)); }, -3, 3},
    {"relu", [](double x) { return x > 0 ? x : 0; }, -100, 100},
};

KernelCase unaryCase(const Unary &unary, KilnDType dtype) {
  std::string type = dynamicType(dtype, 2);
  KernelCase kernel;
  kernel.name = fmt::format("{}_{}", unary.op, tools::dtypeName(dtype));
  kernel.text =
      fmt::format("func.func @main(%x: {0}) -> {0} {{\n  %y = kiln.{1} %x : {0}\n  return %y : {0}\n}}\n",
                  type, unary.op);
  kernel.inputs = {{dtype, unary.low, unary.high}};
  kernel.shapes = kUnaryShapes;
  kernel.result = dtype;
  kernel.reference = [function = unary.function](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    for (double &value : result.values)
      value = function(value);
    return result;
  };
  return kernel;
}

struct Binary {
  const char *op;
  double (*function)(double, double);
  double low, high;
};
const Binary kBinaryOps[] = {
    {"add", [](double a, double b) { return a + b; }, -50, 50},
    {"sub", [](double a, double b) { return a - b; }, -50, 50},
    {"mul", [](double a, double b) { return a * b; }, -10, 10},
    {"max", [](double a, double b) { return a > b ? a : b; }, -50, 50},
    {"min", [](double a, double b) { return a < b ? a : b; }, -50, 50},
};
const Binary kFloatDivide = {"div", [](double a, double b) { return a / b; }, 0.5, 20};
const Binary kFloatPow = {"pow", [](double a, double b) { return std::pow(a, b); }, 0.5, 3};
const Binary kIntegerDivide = {"div", [](double a, double b) { return std::trunc(a / b); }, 1, 60};

// Same shapes, a row against a matrix, a column against a row, a scalar.
const Shapes kBinaryShapes = {
    {{4, 7}, {4, 7}}, {{1, 7}, {5, 7}}, {{6, 1}, {1, 9}}, {{1, 1}, {3, 33}}, {{65, 100}, {65, 1}}};

KernelCase binaryCase(const Binary &binary, KilnDType dtype) {
  std::string type = dynamicType(dtype, 2);
  KernelCase kernel;
  kernel.name = fmt::format("{}_{}", binary.op, tools::dtypeName(dtype));
  kernel.text =
      fmt::format("func.func @main(%a: {0}, %b: {0}) -> {0} {{\n  %y = kiln.{1} %a, %b : {0}, {0} -> {0}\n"
                  "  return %y : {0}\n}}\n",
                  type, binary.op);
  bool isUnsigned = dtype == KILN_U8;
  kernel.inputs = {{dtype, isUnsigned ? 0 : binary.low, binary.high},
                   {dtype, isUnsigned ? 1 : binary.low, binary.high}};
  kernel.shapes = kBinaryShapes;
  kernel.result = dtype;
  kernel.reference = [function = binary.function, isUnsigned](const std::vector<Numbers> &inputs) {
    Numbers result;
    result.dims = broadcastDims(inputs[0].dims, inputs[1].dims);
    for (int64_t i = 0; i < result.count(); ++i) {
      double value = function(inputs[0].broadcast(result.dims, i), inputs[1].broadcast(result.dims, i));
      result.values.push_back(isUnsigned && value < 0 ? value + 256 : value); // u8 wraps
    }
    return result;
  };
  return kernel;
}

KernelCase compareCase() {
  KernelCase kernel;
  kernel.name = "compare_select_f32";
  kernel.text =
      "func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
      "  %c = kiln.compare lt %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xi1>\n"
      "  %y = kiln.select %c, %a, %b : tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>\n"
      "  return %y : tensor<?x?xf32>\n}\n";
  kernel.inputs = {{KILN_F32, -5, 5}, {KILN_F32, -5, 5}};
  kernel.shapes = {{{4, 7}, {4, 7}}, {{33, 65}, {33, 65}}};
  kernel.result = KILN_F32;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    for (size_t i = 0; i < result.values.size(); ++i)
      result.values[i] = std::min(inputs[0].values[i], inputs[1].values[i]);
    return result;
  };
  return kernel;
}

KernelCase booleanCase() {
  KernelCase kernel;
  kernel.name = "compare_i32_to_bool";
  kernel.text = "func.func @main(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi1> {\n"
                "  %c = kiln.compare ge %a, %b : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>\n"
                "  return %c : tensor<?xi1>\n}\n";
  kernel.inputs = {{KILN_I32, -3, 3}, {KILN_I32, -3, 3}};
  kernel.shapes = {{{5}, {5}}, {{300}, {300}}};
  kernel.result = KILN_I1;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    for (size_t i = 0; i < result.values.size(); ++i)
      result.values[i] = inputs[0].values[i] >= inputs[1].values[i];
    return result;
  };
  return kernel;
}

KernelCase convertCase(KilnDType from, KilnDType to, double low, double high) {
  KernelCase kernel;
  kernel.name = fmt::format("convert_{}_to_{}", tools::dtypeName(from), tools::dtypeName(to));
  kernel.text = fmt::format("func.func @main(%x: {0}) -> {1} {{\n  %y = kiln.convert %x : {0} to {1}\n"
                            "  return %y : {1}\n}}\n",
                            dynamicType(from, 1), dynamicType(to, 1));
  kernel.inputs = {{from, low, high}};
  kernel.shapes = {{{1}}, {{17}}, {{1000}}};
  kernel.result = to;
  bool toInteger = toleranceFor(to, 1).atol == 0;
  kernel.reference = [toInteger](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    for (double &value : result.values)
      value = toInteger ? std::trunc(value) : value;
    return result;
  };
  return kernel;
}

// Several ops that a device may fuse into one kernel.
KernelCase chainCase() {
  KernelCase kernel;
  kernel.name = "chain_f32";
  kernel.text = "func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {\n"
                "  %s = kiln.add %x, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>\n"
                "  %t = kiln.tanh %s : tensor<?x?xf32>\n"
                "  %m = kiln.mul %t, %x : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>\n"
                "  %r = kiln.relu %m : tensor<?x?xf32>\n"
                "  return %r : tensor<?x?xf32>\n}\n";
  kernel.inputs = {{KILN_F32, -2, 2}, {KILN_F32, -1, 1}};
  kernel.shapes = {{{3, 5}, {5}}, {{70, 130}, {130}}};
  kernel.result = KILN_F32;
  kernel.reference = [](const std::vector<Numbers> &inputs) {
    Numbers result = inputs[0];
    for (size_t i = 0; i < result.values.size(); ++i) {
      double sum = inputs[0].values[i] + inputs[1].broadcast(result.dims, i);
      result.values[i] = std::max(0.0, std::tanh(sum) * inputs[0].values[i]);
    }
    return result;
  };
  return kernel;
}

} // namespace

std::vector<KernelCase> elementwiseCases() {
  std::vector<KernelCase> cases;
  for (const Unary &unary : kFloatOps)
    cases.push_back(unaryCase(unary, KILN_F32));
  for (const char *op : {"exp", "tanh", "sqrt"})
    for (const Unary &unary : kFloatOps)
      if (std::string_view(unary.op) == op)
        for (KilnDType dtype : {KILN_F16, KILN_BF16, KILN_F64})
          cases.push_back(unaryCase(unary, dtype));
  for (const Unary &unary : kNumberOps)
    for (KilnDType dtype : {KILN_F32, KILN_I32, KILN_I8})
      cases.push_back(unaryCase(unary, dtype));
  for (const Binary &binary : kBinaryOps)
    for (KilnDType dtype : {KILN_F32, KILN_F64, KILN_F16, KILN_BF16, KILN_I32, KILN_I64, KILN_I8, KILN_U8})
      cases.push_back(binaryCase(binary, dtype));
  cases.push_back(binaryCase(kFloatDivide, KILN_F32));
  cases.push_back(binaryCase(kFloatPow, KILN_F32));
  cases.push_back(binaryCase(kIntegerDivide, KILN_I32));
  cases.push_back(compareCase());
  cases.push_back(booleanCase());
  cases.push_back(convertCase(KILN_F32, KILN_I32, -1000, 1000));
  cases.push_back(convertCase(KILN_F32, KILN_U8, 0, 255));
  cases.push_back(convertCase(KILN_I32, KILN_F32, -100000, 100000));
  cases.push_back(convertCase(KILN_F32, KILN_F16, -100, 100));
  cases.push_back(convertCase(KILN_F32, KILN_BF16, -100, 100));
  cases.push_back(convertCase(KILN_F16, KILN_F32, -100, 100));
  cases.push_back(chainCase());
  return cases;
}

} // namespace kiln::conformance
