// Arithmetic.cpp: formulas of the elementwise ops on numbers and booleans.
#include "jit/Reference/Elementwise.h"

#include "kiln/IR/Kiln.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::reference {
namespace {

template <double (*function)(double)> Outcome apply(Operation *, const Element *x) {
  return number(function(x[0].value));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double reciprocal(double x) { return 1 / x; }
double roundEven(double x) { return std::nearbyint(x); } // the default rounding mode
double signOf(double x) { return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : x; }
double silu(double x) { return x / (1 + std::exp(-x)); }
double mish(double x) { return x * std::tanh(softplus(x)); }
double hardSwish(double x) { return x * std::fmax(0, std::fmin(1, x / 6 + 0.5)); }

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double smaller(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}

bool lessThan(const Element &a, const Element &b) {
  if (a.isFloat())
    return a.value < b.value;
  if (a.isUnsigned() || a.type.isInteger(1))
    return static_cast<uint64_t>(a.integer) < static_cast<uint64_t>(b.integer);
  return a.integer < b.integer;
}
bool equals(const Element &a, const Element &b) {
  return a.isFloat() ? a.value == b.value : a.integer == b.integer;
}

/// The least signed number of the type divided by -1 wraps; division by zero gives 0.
int64_t quotient(const Element &a, const Element &b) {
  if (b.integer == 0)
    return 0;
  if (a.isUnsigned())
    return static_cast<int64_t>(static_cast<uint64_t>(a.integer) / static_cast<uint64_t>(b.integer));
  return b.integer == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a.integer)) : a.integer / b.integer;
}
int64_t remainderOf(const Element &a, const Element &b) {
  if (b.integer == 0 || (!a.isUnsigned() && b.integer == -1))
    return 0;
  return a.isUnsigned()
             ? static_cast<int64_t>(static_cast<uint64_t>(a.integer) % static_cast<uint64_t>(b.integer))
             : a.integer % b.integer;
}
int64_t power(const Element &a, const Element &b) {
  if (!b.isUnsigned() && b.integer < 0) // the exact power, truncated
    return a.integer == 1 ? 1 : a.integer == -1 && !a.isUnsigned() ? (b.integer % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = static_cast<uint64_t>(a.integer);
  for (uint64_t left = static_cast<uint64_t>(b.integer); left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return static_cast<int64_t>(result);
}
int64_t shifted(const Element &a, const Element &b, bool left) {
  unsigned width = a.type.getIntOrFloatBitWidth();
  uint64_t by = static_cast<uint64_t>(b.integer);
  if (width < 64)
    by &= (uint64_t{1} << width) - 1; // b counts as unsigned
  if (left)
    return by >= width ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a.integer) << by);
  if (by >= width)
    return !a.isUnsigned() && a.integer < 0 ? -1 : 0;
  return a.isUnsigned() ? static_cast<int64_t>(static_cast<uint64_t>(a.integer) >> by) : a.integer >> by;
}

Outcome mod(const Element *x) {
  if (x[0].isFloat()) {
    double r = std::fmod(x[0].value, x[1].value);
    return number(r != 0 && (r < 0) != (x[1].value < 0) ? r + x[1].value
                  : r == 0                              ? std::copysign(0.0, x[1].value)
                                                        : r);
  }
  int64_t r = remainderOf(x[0], x[1]);
  return integer(!x[0].isUnsigned() && r != 0 && (r < 0) != (x[1].integer < 0) ? r + x[1].integer : r);
}

/// An operation that exists on floats and on integers, where unsigned arithmetic wraps.
template <typename OnFloats, typename OnIntegers>
Outcome either(const Element *x, OnFloats onFloats, OnIntegers onIntegers) {
  return x[0].isFloat() ? number(onFloats(x[0].value, x[1].value))
                        : integer(static_cast<int64_t>(onIntegers(static_cast<uint64_t>(x[0].integer),
                                                                  static_cast<uint64_t>(x[1].integer))));
}

Outcome compareOp(Operation *op, const Element *x) {
  switch (cast<CompareOp>(op).getDirection()) {
  case CompareDirection::Eq:
    return integer(equals(x[0], x[1]));
  case CompareDirection::Ne:
    return integer(!equals(x[0], x[1]));
  case CompareDirection::Lt:
    return integer(lessThan(x[0], x[1]));
  case CompareDirection::Le:
    return integer(lessThan(x[0], x[1]) || equals(x[0], x[1]));
  case CompareDirection::Gt:
    return integer(lessThan(x[1], x[0]));
  case CompareDirection::Ge:
    return integer(lessThan(x[1], x[0]) || equals(x[0], x[1]));
  }
  return {};
}

Outcome clampOp(Operation *op, const Element *x) {
  auto clamp = cast<ClampOp>(op);
  Element result = x[0];
  auto limit = [&](std::optional<Attribute> bound, bool isUpper) {
    if (!bound)
      return;
    Element other{x[0].type};
    if (auto value = dyn_cast<FloatAttr>(*bound))
      other.value = roundTo(x[0].type, value.getValueAsDouble());
    else
      other.integer = cast<IntegerAttr>(*bound).getInt();
    if (isUpper ? lessThan(other, result) : lessThan(result, other))
      other.error = result.error, result = other;
  };
  limit(clamp.getMin(), false);
  limit(clamp.getMax(), true);
  return {result.value, result.integer};
}

double parameter(Operation *op, llvm::StringRef name) {
  return op->getAttrOfType<FloatAttr>(name).getValueAsDouble();
}

} // namespace

void addArithmetic(ElementwiseTable &table) {
  ElementwiseTable entries{
      // Functions of one float.
      {"kiln.exp", {apply<std::exp>, kFunction}},
      {"kiln.expm1", {apply<std::expm1>, kFunction}},
      {"kiln.log", {apply<std::log>, kFunction}},
      {"kiln.log1p", {apply<std::log1p>, kFunction}},
      {"kiln.sqrt", {apply<std::sqrt>, kRounded}},
      {"kiln.rsqrt", {apply<rsqrt>, kFunction}},
      {"kiln.sin", {apply<std::sin>, kFunction}},
      {"kiln.cos", {apply<std::cos>, kFunction}},
      {"kiln.tan", {apply<std::tan>, kFunction}},
      {"kiln.asin", {apply<std::asin>, kFunction}},
      {"kiln.acos", {apply<std::acos>, kFunction}},
      {"kiln.atan", {apply<std::atan>, kFunction}},
      {"kiln.sinh", {apply<std::sinh>, kFunction}},
      {"kiln.cosh", {apply<std::cosh>, kFunction}},
      {"kiln.tanh", {apply<std::tanh>, kFunction}},
      {"kiln.asinh", {apply<std::asinh>, kFunction}},
      {"kiln.acosh", {apply<std::acosh>, kFunction}},
      {"kiln.atanh", {apply<std::atanh>, kFunction}},
      {"kiln.erf", {apply<std::erf>, kFunction}},
      {"kiln.ceil", {apply<std::ceil>, kExact}},
      {"kiln.floor", {apply<std::floor>, kExact}},
      {"kiln.round", {apply<roundEven>, kExact}},
      {"kiln.reciprocal", {apply<reciprocal>, kRounded}},
      {"kiln.sigmoid", {apply<sigmoid>, kFunction, 0, 0x1p-102}}, // e^-x overflows where it is not normal
      {"kiln.softplus", {apply<softplus>, kFunction}},
      {"kiln.silu", {apply<silu>, 2 * kFunction}},
      {"kiln.mish", {apply<mish>, 3 * kFunction}},
      {"kiln.hard_swish", {apply<hardSwish>, kFunction, 4}},
      // Activations with parameters.
      {"kiln.gelu",
       {[](Operation *op, const Element *x) {
          double v = x[0].value;
          return number(cast<GeluOp>(op).getApproximate() == GeluApproximation::Tanh
                            ? v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)))
                            : v / 2 * std::erfc(-v / M_SQRT2));
        },
        4 * kFunction, 8}},
      {"kiln.leaky_relu",
       {[](Operation *op, const Element *x) {
          return number(x[0].value >= 0 || std::isnan(x[0].value) ? x[0].value
                                                                  : parameter(op, "alpha") * x[0].value);
        },
        1}},
      {"kiln.elu",
       {[](Operation *op, const Element *x) {
          return number(x[0].value > 0 ? x[0].value : parameter(op, "alpha") * std::expm1(x[0].value));
        },
        kFunction}},
      {"kiln.selu",
       {[](Operation *op, const Element *x) {
          double v = x[0].value;
          return number(parameter(op, "gamma") * (v > 0 ? v : parameter(op, "alpha") * std::expm1(v)));
        },
        kFunction}},
      {"kiln.celu",
       {[](Operation *op, const Element *x) {
          double v = x[0].value, alpha = parameter(op, "alpha");
          return number(larger(v, 0) + smaller(0, alpha * std::expm1(v / alpha)));
        },
        kFunction}},
      {"kiln.hard_sigmoid",
       {[](Operation *op, const Element *x) {
          double v = parameter(op, "alpha") * x[0].value + parameter(op, "beta");
          return number(larger(0, smaller(1, v)));
        },
        kFunction, 4}},
      {"kiln.thresholded_relu",
       {[](Operation *op, const Element *x) {
          return number(x[0].value > roundTo(x[0].type, parameter(op, "alpha")) ? x[0].value : 0);
        },
        kExact}},
      {"kiln.shrink",
       {[](Operation *op, const Element *x) {
          double v = x[0].value, bias = parameter(op, "bias"), lambd = parameter(op, "lambd");
          return number(v < -lambd ? v + bias : v > lambd ? v - bias : 0);
        },
        1}},
      // One operand, floats or integers.
      {"kiln.relu",
       {[](Operation *, const Element *x) {
          return x[0].isFloat()
                     ? number(larger(x[0].value, 0))
                     : integer(x[0].isUnsigned() ? x[0].integer : std::max<int64_t>(x[0].integer, 0));
        },
        kExact}},
      {"kiln.neg",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(-x[0].value)
                                : integer(static_cast<int64_t>(0 - static_cast<uint64_t>(x[0].integer)));
        },
        kExact}},
      {"kiln.abs",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(std::fabs(x[0].value))
                                : integer(!x[0].isUnsigned() && x[0].integer < 0
                                              ? static_cast<int64_t>(0 - static_cast<uint64_t>(x[0].integer))
                                              : x[0].integer);
        },
        kExact}},
      {"kiln.sign",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(signOf(x[0].value))
                                : integer(x[0].integer == 0                       ? 0
                                          : x[0].isUnsigned() || x[0].integer > 0 ? 1
                                                                                  : -1);
        },
        kExact}},
      {"kiln.not",
       {[](Operation *, const Element *x) {
          return integer(x[0].type.isInteger(1) ? !x[0].integer : ~x[0].integer);
        },
        kExact}},
      {"kiln.clamp", {clampOp, kExact}},
      {"kiln.is_nan",
       {[](Operation *, const Element *x) { return integer(std::isnan(x[0].value)); }, kExact}},
      {"kiln.is_inf",
       {[](Operation *op, const Element *x) {
          auto test = cast<IsInfOp>(op);
          return integer(std::isinf(x[0].value) &&
                         (x[0].value > 0 ? test.getDetectPositive() : test.getDetectNegative()));
        },
        kExact}},
      // Two operands.
      {"kiln.add", {[](Operation *, const Element *x) {
         return either(
             x, [](double a, double b) { return a + b; }, [](uint64_t a, uint64_t b) { return a + b; });
       }}},
      {"kiln.sub", {[](Operation *, const Element *x) {
         return either(
             x, [](double a, double b) { return a - b; }, [](uint64_t a, uint64_t b) { return a - b; });
       }}},
      {"kiln.mul", {[](Operation *, const Element *x) {
         return either(
             x, [](double a, double b) { return a * b; }, [](uint64_t a, uint64_t b) { return a * b; });
       }}},
      {"kiln.div", {[](Operation *, const Element *x) {
         return x[0].isFloat() ? number(x[0].value / x[1].value) : integer(quotient(x[0], x[1]));
       }}},
      {"kiln.mod", {[](Operation *, const Element *x) { return mod(x); }}},
      {"kiln.rem",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(std::fmod(x[0].value, x[1].value))
                                : integer(remainderOf(x[0], x[1]));
        },
        kExact}},
      {"kiln.pow",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(std::pow(x[0].value, x[1].value)) : integer(power(x[0], x[1]));
        },
        2 * kFunction}},
      {"kiln.max",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(larger(x[0].value, x[1].value))
                                : integer(lessThan(x[0], x[1]) ? x[1].integer : x[0].integer);
        },
        kExact}},
      {"kiln.min",
       {[](Operation *, const Element *x) {
          return x[0].isFloat() ? number(smaller(x[0].value, x[1].value))
                                : integer(lessThan(x[1], x[0]) ? x[1].integer : x[0].integer);
        },
        kExact}},
      {"kiln.atan2",
       {[](Operation *, const Element *x) { return number(std::atan2(x[0].value, x[1].value)); }, kFunction}},
      {"kiln.and", {[](Operation *, const Element *x) { return integer(x[0].integer & x[1].integer); }}},
      {"kiln.or", {[](Operation *, const Element *x) { return integer(x[0].integer | x[1].integer); }}},
      {"kiln.xor", {[](Operation *, const Element *x) { return integer(x[0].integer ^ x[1].integer); }}},
      {"kiln.shl", {[](Operation *, const Element *x) { return integer(shifted(x[0], x[1], true)); }}},
      {"kiln.shr", {[](Operation *, const Element *x) { return integer(shifted(x[0], x[1], false)); }}},
      {"kiln.compare", {compareOp, kExact}},
      {"kiln.select",
       {[](Operation *, const Element *x) {
          const Element &chosen = x[0].integer ? x[1] : x[2];
          return Outcome{chosen.value, chosen.integer};
        },
        kExact}},
  };
  for (auto &entry : entries)
    table[entry.getKey()] = entry.getValue();
}

} // namespace kiln::reference
