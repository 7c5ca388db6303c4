// NestBody.cpp: the innermost code of a nest: loads (each once a block), the body on vectors, stores.
#include "backends/host/Transforms/NestEmitter.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln::host {

Value NestEmitter::broadcast(Value value) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return builder.create<vector::BroadcastOp>(vectorOf(value.getType()), value);
}

// ---- Memory ----------------------------------------------------------------------------------------------

NestEmitter::Values NestEmitter::indices(const NestOperand &operand, unsigned jam, unsigned vector,
                                         unsigned lane, unsigned row) {
  Values loops(nest.loops());
  for (unsigned loop = 0; loop < nest.loops(); ++loop) {
    int64_t by = 0;
    if (plan.jamLoop == loop)
      by += jam + row;
    if (plan.vectorLoop == loop)
      by += vector * lanes + lane;
    if (operand.map.isFunctionOfDim(loop))
      loops[loop] = offset(base[loop], by);
  }
  Values results;
  for (AffineExpr expr : operand.map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      results.push_back(loops[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      results.push_back(constantIndex(constant.getValue()));
    else
      results.push_back(affine::expandAffineExpr(builder, builder.getLoc(), expr, loops, {}));
  }
  return results;
}

/// Loads what does not move in the loops `inner`, before they start.
void NestEmitter::preload(ArrayRef<unsigned> inner) {
  for (unsigned i = 0; i < nest.op.getNumDpsInputs(); ++i) {
    const NestOperand &operand = nest.operands[i];
    bool moves = !operand.type;
    for (unsigned loop = 0; loop < nest.loops(); ++loop) // loops further inside have no position yet
      moves |= operand.map.isFunctionOfDim(loop) && (!base[loop] || llvm::is_contained(inner, loop));
    if (moves || nest.op.getBody()->getArgument(i).use_empty())
      continue;
    for (unsigned jam = 0; jam < jamCount; ++jam)
      for (unsigned vector = 0; vector < vectorCount; ++vector)
        load(i, jam, vector);
  }
}

Value NestEmitter::load(unsigned index, unsigned jam, unsigned vector) {
  const NestOperand &operand = nest.operands[index];
  if (!operand.type)
    return operand.value;
  bool byJam = plan.jamLoop && operand.map.isFunctionOfDim(*plan.jamLoop);
  bool byVector = plan.vectorLoop && operand.map.isFunctionOfDim(*plan.vectorLoop);
  auto key = std::make_tuple(index, byJam ? jam : 0, byVector ? vector : 0);
  if (auto found = loaded.find(key); found != loaded.end())
    return found->second;

  Value value;
  if (lanes == 1 || !byVector) {
    value = builder.create<memref::LoadOp>(operand.value, indices(operand, jam, vector));
  } else if (operand.steps[*plan.vectorLoop] == Step::Unit) {
    VectorType type = vectorOf(operand.type.getElementType());
    Values at = indices(operand, jam, vector);
    if (mask) {
      Value zero = builder.create<arith::ConstantOp>(type, builder.getZeroAttr(type));
      value = builder.create<vector::MaskedLoadOp>(type, operand.value, at, mask, zero);
    } else {
      value = loadVector(operand, lanes, at);
    }
  } else if (plan.transposes && jamCount > 1 && operand.steps[*plan.jamLoop] == Step::Unit) {
    loadTransposed(index);
    return loaded.at(key);
  } else if (std::optional<int64_t> stride = operand.smallStride(*plan.vectorLoop)) {
    value = loadInterleaved(operand, jam, vector, *stride);
  } else {
    value = loadLanes(operand, jam, vector);
  }
  loaded[key] = value;
  return value;
}

Value NestEmitter::loadLanes(const NestOperand &operand, unsigned jam, unsigned vector) {
  VectorType type = vectorOf(operand.type.getElementType());
  Value result = builder.create<arith::ConstantOp>(type, builder.getZeroAttr(type));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value element = builder.create<memref::LoadOp>(operand.value, indices(operand, jam, vector, lane));
    result = builder.create<vector::InsertOp>(element, result, lane);
  }
  return result;
}

Value NestEmitter::loadVector(const NestOperand &operand, int64_t count, ArrayRef<Value> at) {
  return builder.create<vector::LoadOp>(VectorType::get({count}, operand.type.getElementType()),
                                        operand.value, at);
}

/// Every stride-th element of contiguous vectors, picked by shuffles. The last vector ends with the last
/// element that is wanted: nothing behind it is read.
Value NestEmitter::loadInterleaved(const NestOperand &operand, unsigned jam, unsigned vector,
                                   int64_t stride) {
  int64_t span = (lanes - 1) * stride + 1;
  auto loadAt = [&](int64_t offsetElements) {
    Values at = indices(operand, jam, vector);
    at.back() = offset(at.back(), offsetElements);
    return loadVector(operand, lanes, at);
  };
  // Lane i is element i * stride; it is taken from the vector that holds it.
  Value result;
  int64_t done = 0;
  for (int64_t part = 0; done < lanes; ++part) {
    int64_t start = std::min(part * lanes, span - lanes);
    Value loadedPart = loadAt(start);
    SmallVector<int64_t> pick(lanes);
    int64_t next = done;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = lane * stride - start;
      bool here = lane >= done && element >= 0 && element < lanes;
      pick[lane] = here ? (result ? lanes : 0) + element : lane;
      if (here)
        next = lane + 1;
    }
    result = builder.create<vector::ShuffleOp>(result ? result : loadedPart, loadedPart, pick);
    done = next;
  }
  return result;
}

/// Swaps the off-diagonal halves of ever smaller blocks: log2(n) rounds of shuffles of two rows.
void NestEmitter::transposeSquare(MutableArrayRef<Value> rows) {
  int64_t size = rows.size();
  for (int64_t half = size / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < size; ++i) {
      low.push_back(i & half ? size + i - half : i);
      high.push_back(i & half ? size + i : i + half);
    }
    for (int64_t i = 0; i < size; ++i)
      if (!(i & half)) {
        Value a = rows[i], b = rows[i + half];
        rows[i] = builder.create<vector::ShuffleOp>(a, b, low);
        rows[i + half] = builder.create<vector::ShuffleOp>(a, b, high);
      }
  }
}

/// Blocks read along the unit-stride loop and transposed in registers: `lanes` rows of `jamCount` elements
/// become `jamCount` vectors of `lanes`. One of the two divides the other.
void NestEmitter::loadTransposed(unsigned index) {
  const NestOperand &operand = nest.operands[index];
  int64_t square = std::min(lanes, jamCount);
  for (int64_t column = 0; column < jamCount; column += square) {
    SmallVector<SmallVector<Value>> blocks; // one below the other
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane % square == 0)
        blocks.emplace_back();
      blocks.back().push_back(loadVector(operand, square, indices(operand, column, 0, lane)));
    }
    for (SmallVector<Value> &block : blocks)
      transposeSquare(block);
    for (int64_t jam = 0; jam < square; ++jam) {
      SmallVector<Value> parts = llvm::map_to_vector(blocks, [&](auto &block) { return block[jam]; });
      while (parts.size() > 1) { // neighbours side by side
        SmallVector<Value> wider;
        int64_t width = cast<VectorType>(parts[0].getType()).getNumElements();
        for (size_t i = 0; i < parts.size(); i += 2)
          wider.push_back(builder.create<vector::ShuffleOp>(
              parts[i], parts[i + 1], llvm::to_vector(llvm::seq<int64_t>(0, 2 * width))));
        parts = std::move(wider);
      }
      loaded[std::make_tuple(index, column + jam, 0)] = parts.front();
    }
  }
}

void NestEmitter::store(Value value, const NestOperand &operand, unsigned jam, unsigned vector) {
  if (lanes == 1) {
    builder.create<memref::StoreOp>(value, operand.value, indices(operand, jam, vector));
    return;
  }
  value = broadcast(value);
  if (operand.steps[*plan.vectorLoop] == Step::Unit) {
    Values at = indices(operand, jam, vector);
    if (mask)
      builder.create<vector::MaskedStoreOp>(operand.value, at, mask, value);
    else
      builder.create<vector::StoreOp>(value, operand.value, at);
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    builder.create<memref::StoreOp>(builder.create<vector::ExtractOp>(value, lane), operand.value,
                                    indices(operand, jam, vector, lane));
}

/// Vectors [a0 a1 ..], [b0 b1 ..], .. as as many that hold a0 b0 .. a1 b1 .. in a row.
NestEmitter::Values NestEmitter::interleave(Values vectors) {
  auto count = static_cast<int64_t>(vectors.size());
  if (count == 1)
    return vectors;
  Values results;
  if (count % 2 == 0) { // of the even ones and of the odd ones, pair by pair
    Values halves[2];
    for (auto [i, value] : llvm::enumerate(vectors))
      halves[i % 2].push_back(value);
    for (auto [a, b] : llvm::zip_equal(interleave(halves[0]), interleave(halves[1])))
      for (int64_t part : {0, 1}) {
        SmallVector<int64_t> pick;
        for (int64_t lane = 0; lane < lanes; ++lane)
          pick.push_back((part * lanes + lane) / 2 + (lane % 2) * lanes);
        results.push_back(builder.create<vector::ShuffleOp>(a, b, pick));
      }
    return results;
  }
  for (int64_t part = 0; part < count; ++part) {
    Value result = vectors[0];
    for (int64_t source = 0; source < count; ++source) {
      SmallVector<int64_t> pick;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t element = part * lanes + lane, own = element / count;
        bool here = element % count == source;
        pick.push_back(source == 0 ? own : here ? lanes + own : lane);
      }
      result = builder.create<vector::ShuffleOp>(result, vectors[source], pick);
    }
    results.push_back(result);
  }
  return results;
}

/// Stores what the iterations of the jam loop computed for one vector, which together are contiguous.
void NestEmitter::storeInterleaved(Values byJam, const NestOperand &operand, unsigned vector) {
  auto count = static_cast<int64_t>(byJam.size());
  for (auto [part, value] : llvm::enumerate(interleave(std::move(byJam)))) {
    auto first = static_cast<int64_t>(part) * lanes;
    builder.create<vector::StoreOp>(value, operand.value,
                                    indices(operand, 0, vector, first / count, first % count));
  }
}

// ---- The body --------------------------------------------------------------------------------------------

Value NestEmitter::loopIndex(unsigned loop, unsigned jam, unsigned vector) {
  if (plan.jamLoop == loop)
    return offset(base[loop], jam);
  if (plan.vectorLoop != loop)
    return base[loop];
  Value first = offset(base[loop], int64_t(vector) * lanes);
  if (lanes == 1)
    return first;
  VectorType type = vectorOf(builder.getIndexType());
  Value steps = builder.create<arith::ConstantOp>(
      type, DenseIntElementsAttr::get(type, llvm::to_vector(llvm::seq<int64_t>(0, lanes))));
  return builder.create<arith::AddIOp>(broadcast(first), steps);
}

/// A load at indices that differ by lane. Contiguous ones are one vector load, backwards ones too.
Value NestEmitter::indexedLoad(memref::LoadOp op, const Values &at) {
  Access access = bodyLanes->accessOf(op);
  if (access == Access::Gathered || (access == Access::Reversed && mask))
    return gather(op, at);
  VectorType type = vectorOf(op.getType());
  Values first(at);
  first.back() = builder.create<vector::ExtractOp>(at.back(), access == Access::Reversed ? lanes - 1 : 0);
  if (mask) {
    Value zero = builder.create<arith::ConstantOp>(type, builder.getZeroAttr(type));
    return builder.create<vector::MaskedLoadOp>(type, op.getMemRef(), first, mask, zero);
  }
  Value value = builder.create<vector::LoadOp>(type, op.getMemRef(), first);
  if (access == Access::Contiguous)
    return value;
  auto backwards = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes)));
  return builder.create<vector::ShuffleOp>(value, value, backwards);
}

/// Lane by lane from anywhere: the indices that are the same for all lanes give the base, the others a vector
/// of distances from it.
Value NestEmitter::gather(memref::LoadOp op, const Values &at) {
  SmallVector<int64_t> strides;
  int64_t baseOffset;
  if (failed(getStridesAndOffset(op.getMemRefType(), strides, baseOffset)))
    llvm_unreachable("buffers of kernels are strided");
  Operation *metadata = nullptr;
  Values base;
  Value distance;
  for (auto [i, index] : llvm::enumerate(at)) {
    if (!isa<VectorType>(index.getType())) {
      base.push_back(index);
      continue;
    }
    base.push_back(constantIndex(0));
    Value part = index;
    if (strides[i] != 1) {
      if (ShapedType::isDynamic(strides[i]) && !metadata)
        metadata = builder.create<memref::ExtractStridedMetadataOp>(op.getMemRef());
      Value stride = ShapedType::isDynamic(strides[i])
                         ? cast<memref::ExtractStridedMetadataOp>(metadata).getStrides()[i]
                         : constantIndex(strides[i]);
      part = builder.create<arith::MulIOp>(part, broadcast(stride));
    }
    distance = distance ? builder.create<arith::AddIOp>(distance, part) : part;
  }
  VectorType type = vectorOf(op.getType());
  VectorType maskType = vectorOf(builder.getI1Type());
  Value active =
      mask ? mask : builder.create<arith::ConstantOp>(maskType, DenseElementsAttr::get(maskType, true));
  Value zero = builder.create<arith::ConstantOp>(type, builder.getZeroAttr(type));
  return builder.create<vector::GatherOp>(type, op.getMemRef(), base, distance, active, zero);
}

Value NestEmitter::evaluateOp(Operation &op, IRMapping &values, unsigned jam, unsigned vector) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return loopIndex(index.getDim(), jam, vector);
  Values operands;
  bool wide = false;
  for (Value operand : op.getOperands()) {
    operands.push_back(values.lookupOrDefault(operand));
    wide |= isa<VectorType>(operands.back().getType());
  }
  if (!wide) // also what stands for all lanes at once: computed once, hoisted later
    return builder.clone(op, values)->getResult(0);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return indexedLoad(load, Values(ArrayRef(operands).drop_front()));
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : operands)
    state.addOperands(broadcast(operand));
  state.addTypes(vectorOf(op.getResult(0).getType()));
  state.addAttributes(op.getAttrs());
  return builder.create(state)->getResult(0);
}

NestEmitter::Values NestEmitter::evaluate(Values accumulators) {
  Block &body = *nest.op.getBody();
  Values results(accumulators.size());
  SmallVector<Values> side(nest.outputs.size() * vectorCount); // of the jam loop, to be interleaved
  for (unsigned jam = 0; jam < jamCount; ++jam)
    for (unsigned vector = 0; vector < vectorCount; ++vector) {
      auto slot = [&](size_t output) { return (output * jamCount + jam) * vectorCount + vector; };
      IRMapping values;
      for (unsigned i = 0; i < nest.op.getNumDpsInputs(); ++i)
        if (!body.getArgument(i).use_empty())
          values.map(body.getArgument(i), load(i, jam, vector));
      size_t accumulator = 0;
      for (const NestOutput &output : nest.outputs)
        if (output.accumulates)
          values.map(body.getArgument(output.operand), accumulators[slot(accumulator++)]);
        else if (output.readsOld) {
          Value old = load(output.operand, jam, vector);
          values.map(body.getArgument(output.operand), old);
        }
      for (Operation &op : body.without_terminator())
        values.map(op.getResult(0), evaluateOp(op, values, jam, vector));

      accumulator = 0;
      for (auto [i, output] : llvm::enumerate(nest.outputs)) {
        Value value = values.lookupOrDefault(body.getTerminator()->getOperand(i));
        if (plan.interleaves && lanes > 1) {
          side[i * vectorCount + vector].push_back(broadcast(value));
          continue;
        }
        if (!output.accumulates) {
          store(value, nest.operands[output.operand], jam, vector);
          continue;
        }
        size_t at = slot(accumulator++);
        value = broadcast(value);
        if (mask && nest.isReduction[*plan.vectorLoop])
          value = builder.create<arith::SelectOp>(mask, value, accumulators[at]);
        results[at] = value;
      }
    }
  for (auto [i, values] : llvm::enumerate(side))
    if (!values.empty())
      storeInterleaved(std::move(values), nest.operands[nest.outputs[i / vectorCount].operand],
                       i % vectorCount);
  return results;
}

} // namespace kiln::host
