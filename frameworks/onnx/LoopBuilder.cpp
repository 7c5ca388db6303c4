// LoopBuilder.cpp: tries the most precise form of each carried value first and gives up what a round breaks.
#include "frameworks/onnx/LoopBuilder.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Stack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr size_t kMaxCarriedNumbers = 8; // longer lists are data
constexpr int kMaxAttempts = 12;         // each makes one value less precise at least

/// How a loop carries one value.
struct Slot {
  enum class Form { Invariant, Numbers, List, Stack, Tensor };
  GraphValue initial;
  Form form = Form::Tensor;
  RankedTensorType type; // of the tensor or stack
  size_t firstArgument = 0;
};

std::string text(Type type) {
  std::string out;
  llvm::raw_string_ostream(out) << type;
  return out;
}

/// Builds one loop. Used once.
class LoopBuilder {
public:
  LoopBuilder(KilnBuilder &build, const LoopLimits &limits, ArrayRef<GraphValue> initial)
      : build(build), limits(limits) {
    for (const GraphValue &value : initial) {
      Slot slot{value, Slot::Form::Tensor, {}};
      if (value.isSequence()) { // a list until a round shows what it puts there
        slot.form = value.stack ? Slot::Form::Stack : Slot::Form::List;
        slot.type = value.stack ? tensorType(value.stack) : RankedTensorType();
        slots.push_back(std::move(slot));
        continue;
      }
      slot.type = value.type();
      const ShapeValue *numbers = asShapeValue(build, slot.initial);
      if (numbers && numbers->elements.size() <= kMaxCarriedNumbers)
        slot.form = Slot::Form::Numbers;
      slots.push_back(std::move(slot));
    }
  }

  Result<LoopResult> run(RoundFn round) {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      KilnBuilder::Knowledge before = build.knowledge();
      Region region; // owns what a round builds until it is taken or dropped
      Block &body = region.emplaceBlock();
      Extent index = body.addArgument(build.builder().getIndexType(), build.location());
      std::vector<GraphValue> arguments = addArguments(body);
      Result<Round> made = makeRound(round, index, arguments, body);
      KILN_RETURN_IF_ERROR(made.status());
      if (isUnsupported(*made)) {
        build.forget(std::move(before));
        return LoopResult{{}, {}, /*unsupported=*/true};
      }
      if (llvm::any_of(made->entries, [](const GraphValue &value) { return value.isSequence(); }))
        return invalid("a round computes a sequence as an entry of a list; expected a tensor");
      KILN_ASSIGN_OR_RETURN(bool settled, settle(*made, arguments));
      if (settled)
        return finish(*made, region);
      build.forget(std::move(before));
    }
    return unsupported("the types that the loop carries do not settle");
  }

private:
  std::vector<GraphValue> addArguments(Block &body) {
    std::vector<GraphValue> arguments;
    for (Slot &slot : slots) {
      slot.firstArgument = body.getNumArguments();
      if (slot.form == Slot::Form::Invariant || slot.form == Slot::Form::List) {
        arguments.push_back(slot.initial);
        continue;
      }
      GraphValue value;
      value.home = &body;
      if (slot.form == Slot::Form::Stack) {
        value.stack = body.addArgument(slot.type, build.location());
      } else if (slot.form == Slot::Form::Tensor) {
        value.tensor = body.addArgument(slot.type, build.location());
      } else {
        value.shape = *slot.initial.shape;
        value.shape->isFromData = true; // any number may come
        for (Extent &extent : value.shape->elements)
          extent = body.addArgument(build.builder().getIndexType(), build.location());
      }
      arguments.push_back(std::move(value));
    }
    return arguments;
  }

  Result<Round> makeRound(RoundFn round, Extent index, ArrayRef<GraphValue> arguments, Block &body) {
    KilnBuilder::InBlock where(build, &body);
    return round(index, arguments, &body);
  }

  static bool isUnsupported(const Round &made) {
    auto is = [](const GraphValue &value) { return value.unsupported; };
    return llvm::any_of(made.carried, is) || llvm::any_of(made.entries, is);
  }

  /// Whether the round gives the carried values in the forms that were assumed; changes the forms if not.
  Result<bool> settle(Round &made, ArrayRef<GraphValue> arguments) {
    bool settled = true;
    for (auto [slot, value, argument] : llvm::zip(slots, made.carried, arguments)) {
      if (slot.form == Slot::Form::Invariant)
        continue;
      if (value.isSame(argument)) {
        slot.form = Slot::Form::Invariant;
        settled = false;
        continue;
      }
      if (value.isSequence() != slot.initial.isSequence())
        return invalid("a carried value changes between a tensor and a sequence; expected one or the other");
      if (value.isSequence()) {
        KILN_ASSIGN_OR_RETURN(bool same, settleStack(slot, value));
        settled &= same;
        continue;
      }
      if (slot.form == Slot::Form::Numbers) {
        const ShapeValue *numbers = asShapeValue(build, value);
        if (numbers && numbers->type() == slot.initial.shape->type())
          continue;
        slot.form = Slot::Form::Tensor;
        settled = false;
      }
      RankedTensorType common = commonType(slot.type, value.type());
      if (!common)
        return unsupported("a carried value changes from {0} to {1}; expected one rank and element type",
                           text(slot.type), text(value.type()));
      settled &= common == slot.type;
      slot.type = common;
    }
    return settled;
  }

  /// The same for a sequence that rounds change.
  Result<bool> settleStack(Slot &slot, const GraphValue &value) {
    KILN_ASSIGN_OR_RETURN(RankedTensorType before, stackType(slot.initial));
    KILN_ASSIGN_OR_RETURN(RankedTensorType after, stackType(value));
    RankedTensorType common = slot.type;
    for (RankedTensorType type : {before, after}) {
      if (type && common && !commonType(common, type))
        return unsupported(
            "a carried sequence changes from {0} to {1}; expected elements of one rank and type",
            text(common), text(type));
      common = type && common ? commonType(common, type) : type ? type : common;
    }
    if (!common)
      return unsupported("a carried sequence without elements: their type is not known");
    if (!common.isDynamicDim(0)) {
      SmallVector<int64_t> shape(common.getShape());
      shape.front() = ShapedType::kDynamic;
      common = common.clone(shape);
    }
    bool isSame = slot.form == Slot::Form::Stack && slot.type == common;
    slot.form = Slot::Form::Stack;
    slot.type = common;
    return isSame;
  }

  Value asType(GraphValue value, RankedTensorType type) {
    Value tensor = materialize(build, value, "");
    if (tensor.getType() == type)
      return tensor;
    return build.builder().create<tensor::CastOp>(build.location(), type, tensor);
  }

  /// The values that a slot is carried as.
  Status appendValues(const Slot &slot, GraphValue value, SmallVectorImpl<Value> &values) {
    if (slot.form == Slot::Form::Stack) {
      KILN_ASSIGN_OR_RETURN(Value stack, asStack(build, value, slot.type));
      values.push_back(stack);
    } else if (slot.form == Slot::Form::Tensor) {
      values.push_back(asType(std::move(value), slot.type));
    } else if (slot.form == Slot::Form::Numbers) {
      for (Extent extent : asShapeValue(build, value)->elements)
        values.push_back(build.math().value(extent));
    }
    return {};
  }

  Result<LoopResult> finish(Round &made, Region &region) {
    Block &body = region.front();
    SmallVector<Value> initial, yielded;
    for (auto [slot, value] : llvm::zip(slots, made.carried)) {
      KILN_RETURN_IF_ERROR(appendValues(slot, slot.initial, initial));
      KilnBuilder::InBlock where(build, &body);
      KILN_RETURN_IF_ERROR(appendValues(slot, value, yielded));
    }
    for (GraphValue &value : made.entries) {
      Value entry;
      {
        KilnBuilder::InBlock where(build, &body);
        entry = materialize(build, value, "");
      }
      auto type = cast<RankedTensorType>(entry.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), ShapedType::kDynamic);
      KILN_ASSIGN_OR_RETURN(Value empty, emptyList(entry, type.clone(shape), body));
      initial.push_back(empty);
      Value list = body.addArgument(empty.getType(), build.location());
      KilnBuilder::InBlock where(build, &body);
      KILN_ASSIGN_OR_RETURN(Value longer, build.make<AppendOp>({list, entry}));
      yielded.push_back(longer);
    }
    bool isCounted =
        limits.count && IndexMath::isKnown(limits.goesOn, 1) && IndexMath::isKnown(made.goesOn, 1);
    ResultRange results =
        isCounted ? buildFor(region, initial, yielded) : buildWhile(region, initial, yielded, made.goesOn);
    return collect(results, made.entries.size());
  }

  /// A list of no entries like `entry`; extents that differ by round are 0.
  Result<Value> emptyList(Value entry, RankedTensorType type, Block &body) {
    Extents extents{build.math().constant(0)};
    bool isKnown = true;
    for (int64_t axis = 0; axis + 1 < type.getRank(); ++axis) {
      Extent extent = build.dim(entry, axis);
      auto value = dyn_cast_if_present<Value>(extent);
      if (value && value.getParentBlock() == &body)
        extent = build.math().constant(0);
      isKnown &= IndexMath::known(extent).has_value();
      extents.push_back(extent);
    }
    Value empty;
    if (isKnown) {
      SmallVector<int64_t> shape;
      for (Extent extent : extents)
        shape.push_back(*IndexMath::known(extent));
      empty = build.constant(TensorData::fromBytes(type.clone(shape), ""), "");
    } else {
      KILN_ASSIGN_OR_RETURN(empty, build.broadcast(build.scalar(type.getElementType(), 0), extents));
    }
    if (empty.getType() == type)
      return empty;
    return Value(build.builder().create<tensor::CastOp>(build.location(), type, empty));
  }

  ResultRange buildFor(Region &region, ValueRange initial, ValueRange yielded) {
    OpBuilder &builder = build.builder();
    {
      KilnBuilder::InBlock where(build, &region.front());
      builder.create<scf::YieldOp>(build.location(), yielded);
    }
    IndexMath &math = build.math();
    auto loop = builder.create<scf::ForOp>(build.location(), math.value(math.constant(0)),
                                           math.value(*limits.count), math.value(math.constant(1)), initial);
    loop.getRegion().takeBody(region);
    return loop.getResults();
  }

  /// Carries the index and whether it goes on in front of the rest.
  ResultRange buildWhile(Region &region, ArrayRef<Value> initial, ArrayRef<Value> yielded, Extent goesOn) {
    OpBuilder &builder = build.builder();
    Location loc = build.location();
    IndexMath &math = build.math();
    Block &body = region.front();
    body.insertArgument(1u, builder.getI1Type(), loc);
    SmallVector<Value> inits{math.value(math.constant(0)), math.flag(limits.goesOn)};
    llvm::append_range(inits, initial);
    {
      KilnBuilder::InBlock where(build, &body);
      SmallVector<Value> next{math.value(math.add(Extent(body.getArgument(0)), math.constant(1))),
                              math.flag(goesOn)};
      llvm::append_range(next, yielded);
      builder.create<scf::YieldOp>(loc, next);
    }
    auto loop = builder.create<scf::WhileOp>(loc, TypeRange(ValueRange(inits)), inits);
    Block &before = loop.getBefore().emplaceBlock();
    before.addArguments(TypeRange(ValueRange(inits)), SmallVector<Location>(inits.size(), loc));
    {
      KilnBuilder::InBlock where(build, &before);
      Value condition = before.getArgument(1);
      if (limits.count) {
        Value inside = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, before.getArgument(0),
                                                     math.value(*limits.count));
        condition = builder.create<arith::AndIOp>(loc, inside, condition);
      }
      builder.create<scf::ConditionOp>(loc, condition, before.getArguments());
    }
    loop.getAfter().takeBody(region);
    return loop.getResults().drop_front(2);
  }

  LoopResult collect(ResultRange results, size_t lists) {
    LoopResult result;
    auto next = results.begin();
    for (const Slot &slot : slots) {
      GraphValue value;
      if (slot.form == Slot::Form::Invariant) {
        value = slot.initial;
      } else if (slot.form == Slot::Form::Stack) {
        value.stack = *next++;
      } else if (slot.form == Slot::Form::Tensor) {
        value.tensor = *next++;
      } else {
        value.shape = *slot.initial.shape;
        value.shape->isFromData = true;
        for (Extent &extent : value.shape->elements)
          extent = *next++;
      }
      result.carried.push_back(std::move(value));
    }
    for (size_t i = 0; i < lists; ++i)
      result.lists.push_back(*next++);
    return result;
  }

  KilnBuilder &build;
  const LoopLimits &limits;
  std::vector<Slot> slots;
};

} // namespace

RankedTensorType commonType(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() != b.getRank() || a.getElementType() != b.getElementType())
    return {};
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip(shape, b.getShape()))
    extent = extent == other ? extent : ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType());
}

Result<LoopResult> buildLoop(KilnBuilder &build, const LoopLimits &limits, ArrayRef<GraphValue> initial,
                             RoundFn round) {
  return LoopBuilder(build, limits, initial).run(round);
}

} // namespace kiln::onnx
