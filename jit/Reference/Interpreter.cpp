// Interpreter.cpp: walks a function's blocks; index arithmetic and scf here, kiln ops in their families'
// files.
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace kiln::jit;

namespace kiln::reference {
namespace {

constexpr int64_t kMaxRounds = 1 << 20; // of one loop

int64_t floorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

class Interpreter {
public:
  explicit Interpreter(WeightLookup weights) : weights(weights) {
    for (const Family &family :
         {attentionFamily(), contractionFamily(), indexingFamily(), normalizationFamily(), recurrenceFamily(),
          reductionFamily(), resizeFamily(), selectionFamily(), shapeFamily(), sortingFamily()})
      for (const Family::Entry &entry : family.entries)
        evaluators[entry.op] = entry;
  }

  Result<SmallVector<Datum>> run(Block &block, ArrayRef<Datum> arguments) {
    for (auto [argument, datum] : llvm::zip_equal(block.getArguments(), arguments))
      data[argument] = datum;
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        return operandsOf(op);
      KILN_RETURN_IF_ERROR(runOp(op));
    }
    return SmallVector<Datum>();
  }

private:
  SmallVector<Datum> operandsOf(Operation &op) {
    SmallVector<Datum> operands;
    for (Value operand : op.getOperands())
      operands.push_back(data.lookup(operand));
    return operands;
  }

  int64_t index(Value value) { return std::get<int64_t>(data.lookup(value)); }
  TensorRef tensor(Value value) { return std::get<TensorRef>(data.lookup(value)); }
  void set(Value value, int64_t number) { data[value] = number; }
  void set(Value value, Tensor tensor) { data[value] = std::make_shared<const Tensor>(std::move(tensor)); }

  Status located(Operation &op, const Status &status) {
    std::string place = locationText(op.getLoc());
    return Status(status.code(), (place.empty() ? "" : place + ": ") + op.getName().getStringRef().str() +
                                     ": " + status.message());
  }

  Status runOp(Operation &op) {
    if (isa<CheckCloseOp, CheckEqualOp>(op))
      return {};
    if (isa<KilnDialect>(op.getDialect())) {
      Status status = runKiln(op);
      return status.ok() ? status : located(op, status);
    }
    Status status =
        llvm::TypeSwitch<Operation *, Status>(&op)
            .Case<scf::IfOp, scf::ForOp, scf::WhileOp>([&](auto control) { return runControl(control); })
            .Default([&](Operation *other) { return runIndex(*other); });
    return status.ok() ? status : located(op, status);
  }

  Status runKiln(Operation &op) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto type = cast<RankedTensorType>(constant.getType());
      KILN_ASSIGN_OR_RETURN(std::string bytes, constantBytes(constant.getValue()));
      set(constant,
          fromBytes(type.getElementType(), type.getShape(), ArrayRef<char>(bytes.data(), bytes.size())));
      return {};
    }
    if (auto weight = dyn_cast<WeightOp>(op)) {
      auto type = cast<RankedTensorType>(weight.getType());
      KILN_ASSIGN_OR_RETURN(ArrayRef<char> bytes, weights(weight.getDigest()));
      set(weight.getResult(), fromBytes(type.getElementType(), type.getShape(), bytes));
      return {};
    }
    if (auto barrier = dyn_cast<OptimizationBarrierOp>(op)) {
      data[barrier.getResult()] = data.lookup(barrier.getX());
      return {};
    }
    Family::Entry entry = evaluators.lookup(op.getName().getStringRef());
    if (Evaluator elementwise = elementwiseEvaluator(op.getName().getStringRef()))
      entry.evaluate = elementwise;
    SmallVector<Datum> operands = operandsOf(op);
    Call call{&op, operands};
    if (entry.evaluate) {
      KILN_ASSIGN_OR_RETURN(Tensor result, entry.evaluate(call));
      set(op.getResult(0), std::move(result));
      return {};
    }
    if (!entry.evaluateAll)
      return unimplemented("the reference does not know this op; give it one in jit/Reference, or check by "
                           "kiln.check_close");
    KILN_ASSIGN_OR_RETURN(Tensors results, entry.evaluateAll(call));
    for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
      set(value, std::move(result));
    return {};
  }

  Status runIndex(Operation &op) {
    auto binary = [&](auto function) -> Status {
      set(op.getResult(0), static_cast<int64_t>(function(index(op.getOperand(0)), index(op.getOperand(1)))));
      return {};
    };
    auto divide = [&](auto function) -> Status {
      return index(op.getOperand(1)) == 0 ? makeError(Code::OutOfRange, "division by zero")
                                          : binary(function);
    };
    return llvm::TypeSwitch<Operation *, Status>(&op)
        .Case([&](arith::ConstantOp constant) -> Status {
          auto integer = dyn_cast<IntegerAttr>(constant.getValue());
          if (!integer)
            return unimplemented("a constant that is no integer");
          set(constant,
              integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getInt());
          return {};
        })
        .Case([&](arith::AddIOp) { return binary([](int64_t a, int64_t b) { return a + b; }); })
        .Case([&](arith::SubIOp) { return binary([](int64_t a, int64_t b) { return a - b; }); })
        .Case([&](arith::MulIOp) { return binary([](int64_t a, int64_t b) { return a * b; }); })
        .Case([&](arith::MaxSIOp) { return binary([](int64_t a, int64_t b) { return std::max(a, b); }); })
        .Case([&](arith::MinSIOp) { return binary([](int64_t a, int64_t b) { return std::min(a, b); }); })
        .Case([&](arith::AndIOp) { return binary([](int64_t a, int64_t b) { return a & b; }); })
        .Case([&](arith::OrIOp) { return binary([](int64_t a, int64_t b) { return a | b; }); })
        .Case([&](arith::XOrIOp) { return binary([](int64_t a, int64_t b) { return a ^ b; }); })
        .Case<arith::DivSIOp, arith::DivUIOp>(
            [&](auto) { return divide([](int64_t a, int64_t b) { return a / b; }); })
        .Case<arith::RemSIOp, arith::RemUIOp>(
            [&](auto) { return divide([](int64_t a, int64_t b) { return a % b; }); })
        .Case([&](arith::FloorDivSIOp) { return divide(floorDiv); })
        .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
            [&](auto) { return divide([](int64_t a, int64_t b) { return -floorDiv(-a, b); }); })
        .Case([&](arith::CmpIOp compare) {
          return binary([&](int64_t a, int64_t b) {
            return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, a, true), APInt(64, b, true));
          });
        })
        .Case([&](arith::SelectOp select) -> Status {
          data[select.getResult()] =
              data.lookup(index(select.getCondition()) ? select.getTrueValue() : select.getFalseValue());
          return {};
        })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
            [&](auto cast) -> Status {
              set(cast.getResult(), index(cast.getIn()));
              return {};
            })
        .Case([&](arith::TruncIOp cast) -> Status {
          set(cast.getResult(), wrapTo(cast.getType(), index(cast.getIn())));
          return {};
        })
        .Case([&](tensor::CastOp cast) -> Status {
          data[cast.getResult()] = data.lookup(cast.getSource());
          return {};
        })
        .Case([&](tensor::DimOp dim) -> Status {
          TensorRef source = tensor(dim.getSource());
          int64_t axis = index(dim.getIndex());
          if (axis < 0 || axis >= source->rank())
            return makeError(Code::OutOfRange,
                             "axis " + Twine(axis) + "; expected one below " + Twine(source->rank()));
          set(dim.getResult(), source->shape[axis]);
          return {};
        })
        .Case([&](tensor::ExtractOp extract) -> Status {
          TensorRef source = tensor(extract.getTensor());
          int64_t position = 0;
          for (auto [value, extent] : llvm::zip_equal(extract.getIndices(), source->shape)) {
            if (index(value) < 0 || index(value) >= extent)
              return makeError(Code::OutOfRange,
                               "index " + Twine(index(value)) + "; the extent is " + Twine(extent));
            position = position * extent + index(value);
          }
          if (source->isFloat())
            return unimplemented("a float as a scalar");
          set(extract.getResult(), source->integers[position]);
          return {};
        })
        .Default([](Operation *) { return unimplemented("the reference does not know this op"); });
  }

  Status runControl(scf::IfOp op) {
    Region &taken = index(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
    if (taken.empty())
      return {};
    KILN_ASSIGN_OR_RETURN(SmallVector<Datum> results, run(taken.front(), {}));
    for (auto [value, datum] : llvm::zip_equal(op.getResults(), results))
      data[value] = datum;
    return {};
  }

  Status runControl(scf::ForOp op) {
    int64_t lower = index(op.getLowerBound()), upper = index(op.getUpperBound()), step = index(op.getStep());
    if (step <= 0)
      return makeError(Code::OutOfRange, "step " + Twine(step) + "; expected a positive one");
    SmallVector<Datum> carried;
    for (Value init : op.getInitArgs())
      carried.push_back(data.lookup(init));
    for (int64_t i = lower; i < upper; i += step) {
      SmallVector<Datum> arguments{i};
      arguments.append(carried);
      KILN_ASSIGN_OR_RETURN(carried, run(*op.getBody(), arguments));
    }
    for (auto [value, datum] : llvm::zip_equal(op.getResults(), carried))
      data[value] = datum;
    return {};
  }

  Status runControl(scf::WhileOp op) {
    SmallVector<Datum> carried = operandsOf(*op);
    for (int64_t round = 0; round < kMaxRounds; ++round) {
      KILN_ASSIGN_OR_RETURN(SmallVector<Datum> condition, run(op.getBefore().front(), carried));
      carried.assign(condition.begin() + 1, condition.end());
      if (!std::get<int64_t>(condition.front())) {
        for (auto [value, datum] : llvm::zip_equal(op.getResults(), carried))
          data[value] = datum;
        return {};
      }
      KILN_ASSIGN_OR_RETURN(carried, run(op.getAfter().front(), carried));
    }
    return makeError(Code::ResourceExhausted, "more than " + Twine(kMaxRounds) + " rounds");
  }

  WeightLookup weights;
  llvm::StringMap<Family::Entry> evaluators;
  llvm::DenseMap<Value, Datum> data;
};

} // namespace

Type Call::element(unsigned result) const { return getElementTypeOrSelf(op->getResult(result).getType()); }

const Tensor *Call::find(Value value) const {
  for (auto [operand, datum] : llvm::zip_equal(op->getOperands(), operands))
    if (value && operand == value)
      return std::get<TensorRef>(datum).get();
  return nullptr;
}

Shape Call::list(ArrayRef<int64_t> numbers, OperandRange values) const {
  Shape result(numbers);
  unsigned next = values.empty() ? 0 : values.getBeginOperandIndex();
  for (int64_t &number : result)
    if (ShapedType::isDynamic(number))
      number = index(next++);
  return result;
}

Tensor fromBytes(Type element, ArrayRef<int64_t> shape, ArrayRef<char> bytes) {
  Tensor tensor(element, shape);
  unsigned width = element.getIntOrFloatBitWidth();
  for (int64_t i = 0, n = tensor.size(); i < n; ++i) {
    uint64_t bits = 0;
    if (width == 4)
      bits = static_cast<uint8_t>(bytes[i / 2]) >> (i % 2 * 4) & 15;
    else
      std::memcpy(&bits, bytes.data() + i * ((width + 7) / 8), (width + 7) / 8);
    if (auto type = dyn_cast<FloatType>(element)) {
      tensor.values[i] = fromBits(type, bits);
    } else {
      tensor.integers[i] = width == 1 ? bits != 0 : wrapTo(element, static_cast<int64_t>(bits));
    }
  }
  return tensor;
}

Result<std::vector<TensorRef>> evaluate(func::FuncOp function, ArrayRef<TensorRef> arguments,
                                        WeightLookup weights) {
  SmallVector<Datum> data(arguments.begin(), arguments.end());
  KILN_ASSIGN_OR_RETURN(SmallVector<Datum> results,
                        Interpreter(weights).run(function.getBody().front(), data));
  std::vector<TensorRef> tensors;
  for (const Datum &datum : results)
    tensors.push_back(std::get<TensorRef>(datum));
  return tensors;
}

} // namespace kiln::reference
