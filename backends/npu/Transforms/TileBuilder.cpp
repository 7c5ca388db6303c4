// TileBuilder.cpp: buffers, views and broadcasting. The wider operand is the first; the second is a number, a
// row read again for each row, or a column spread to blocks of equal elements. What fits neither form is
// filled into a tile first.
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
MemRefType inUb(ArrayRef<int64_t> extents, Type element) {
  auto space = ir::MemoryAttr::get(element.getContext(), ir::Memory::UB);
  return MemRefType::get(extents, element, MemRefLayoutAttrInterface(), space);
}

namespace {

/// A column is spread to blocks in eights.
constexpr int64_t kSpread = 8;
/// Rows that one instruction spreads to a repeat each.
constexpr int64_t kMostSpread = 248;

bool isCommutative(ir::Binary kind) {
  switch (kind) {
  case ir::Binary::vadd:
  case ir::Binary::vmul:
  case ir::Binary::vmax:
  case ir::Binary::vmin:
  case ir::Binary::vand:
  case ir::Binary::vor:
    return true;
  case ir::Binary::vsub:
  case ir::Binary::vdiv:
  case ir::Binary::vshl:
  case ir::Binary::vshr:
    return false;
  }
  llvm_unreachable("a binary op");
}

} // namespace

Type TileBuilder::held(Type element) {
  if (element.isBF16() || element.isInteger(16))
    return Float32Type::get(element.getContext());
  if (element.isInteger(1) || element.isInteger(8))
    return Float16Type::get(element.getContext());
  return element;
}

TileValue::Kind TileBuilder::join(Kind a, Kind b) {
  if (a == b || b == Kind::Scalar)
    return a;
  return a == Kind::Scalar ? b : Kind::Full;
}

TileValue TileBuilder::allocate(Kind kind, Type element) {
  TileValue result = allocateAs(kind, held(element));
  result.element = element;
  return result;
}

TileValue TileBuilder::allocateAs(Kind kind, Type type) {
  SmallVector<int64_t> extents;
  switch (kind) {
  case Kind::Scalar:
  case Kind::Column:
    extents = {int64_t(llvm::alignTo(shape.maxRows, kColumnAlign))};
    break;
  case Kind::Row:
    extents = {1, shape.pitch};
    break;
  case Kind::Full:
    extents = {shape.maxRows, shape.pitch};
    break;
  }
  return {kind, builder.create<memref::AllocOp>(loc, inUb(extents, type)), type};
}

Value TileBuilder::viewAs(Value buffer, Kind kind, bool withPads) {
  auto type = mlir::cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> sizes;
  if (type.getRank() == 1)
    sizes = {shape.paddedRows ? OpFoldResult(shape.paddedRows)
                              : builder.getIndexAttr(llvm::alignTo(shape.maxRows, kSpread))};
  else
    sizes = {kind == Kind::Row ? OpFoldResult(builder.getIndexAttr(1)) : shape.rows,
             (withPads && !shape.isLine) || type.getShape()[1] != shape.pitch
                 ? OpFoldResult(builder.getIndexAttr(type.getShape()[1]))
                 : shape.columns};
  bool isWhole = llvm::all_of(llvm::zip(sizes, type.getShape()), [](auto pair) {
    return getConstantIntValue(std::get<0>(pair)) == std::get<1>(pair);
  });
  if (isWhole)
    return buffer;
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0)),
      ones(type.getRank(), builder.getIndexAttr(1));
  return builder.create<memref::SubViewOp>(loc, buffer, zeros, sizes, ones);
}

Value TileBuilder::view(TileValue x, bool withPads) { return viewAs(x.value, x.kind, withPads); }

TileValue TileBuilder::number(double value, Type element) {
  Type type = held(element);
  TypedAttr attr = isa<FloatType>(type) ? TypedAttr(builder.getFloatAttr(type, value))
                                        : TypedAttr(builder.getIntegerAttr(type, int64_t(value)));
  return {Kind::Scalar, builder.create<arith::ConstantOp>(loc, attr), element};
}

TileValue TileBuilder::materialize(TileValue x, Kind kind) {
  if (x.isMask)
    x = unmask(x);
  if (x.kind == kind)
    return x;
  TileValue result = allocate(kind, x.element);
  // Filling with -0 and adding keeps every value, zeros of either sign too.
  Value fill = x.kind == Kind::Scalar ? x.value : number(-0.0, x.element).value;
  builder.create<ir::BroadcastOp>(loc, fill, view(result, true));
  if (x.kind == Kind::Scalar)
    return result;
  return binary(ir::Binary::vadd, result, x);
}

TileValue TileBuilder::negate(TileValue x) {
  FloatAttr constant;
  if (x.kind == Kind::Scalar && matchPattern(x.value, m_Constant(&constant)))
    return number(-constant.getValueAsDouble(), x.element);
  IntegerAttr integer;
  if (x.kind == Kind::Scalar && matchPattern(x.value, m_Constant(&integer)))
    return number(-double(integer.getInt()), x.element);
  if (x.kind == Kind::Scalar)
    x = materialize(x, home);
  return binary(ir::Binary::vmul, x, number(-1, x.element));
}

TileValue TileBuilder::binary(ir::Binary kind, TileValue a, TileValue b) {
  a = a.isMask ? unmask(a) : a;
  b = b.isMask ? unmask(b) : b;
  Kind wide = join(a.kind, b.kind);
  if (wide == Kind::Scalar)
    wide = home;
  if (kind == ir::Binary::vsub && (a.kind != wide || b.kind == Kind::Scalar))
    return binary(ir::Binary::vadd, negate(b), a); // a - b = -b + a
  if (isCommutative(kind) && a.kind != wide && b.kind == wide)
    std::swap(a, b);
  if (a.kind != wide)
    a = materialize(a, wide);
  bool takesNumber = kind == ir::Binary::vadd || kind == ir::Binary::vmul || kind == ir::Binary::vmax ||
                     kind == ir::Binary::vmin || kind == ir::Binary::vshl || kind == ir::Binary::vshr;
  if (b.kind == Kind::Scalar && !takesNumber)
    b = materialize(b, wide);
  TileValue result = allocate(wide, a.element);
  Value rhs = b.value;
  IntegerAttr axis;
  if (b.kind == Kind::Column && wide == Kind::Full) {
    int64_t block = ir::blockElements(held(b.element));
    int64_t padded = llvm::alignTo(shape.maxRows, kColumnAlign);
    // A repeat of blocks a row, where one instruction spreads them.
    bool isWide =
        held(b.element).getIntOrFloatBitWidth() == 32 && llvm::alignTo(shape.maxRows, kSpread) <= kMostSpread;
    auto make = [&](int64_t width) -> Value {
      return builder.create<memref::AllocOp>(loc, inUb({padded, width}, held(b.element)));
    };
    Value spread = make(isWide ? 8 * block : block), temp = isWide ? make(block) : Value();
    auto rowsOf = [&](Value blocks, OpFoldResult rows) -> Value {
      int64_t width = mlir::cast<MemRefType>(blocks.getType()).getShape()[1];
      SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)), ones(2, builder.getIndexAttr(1));
      if (getConstantIntValue(rows) == padded)
        return blocks;
      return builder.create<memref::SubViewOp>(
          loc, blocks, zeros, ArrayRef<OpFoldResult>{rows, builder.getIndexAttr(width)}, ones);
    };
    OpFoldResult all = shape.paddedRows ? OpFoldResult(shape.paddedRows)
                                        : builder.getIndexAttr(llvm::alignTo(shape.maxRows, kSpread));
    builder.create<ir::BroadcastOp>(loc, view(b, true), rowsOf(spread, all),
                                    temp ? rowsOf(temp, all) : Value());
    rhs = rowsOf(spread, shape.rows);
    axis = builder.getI64IntegerAttr(1);
  } else if (b.kind == Kind::Row && wide == Kind::Full) {
    axis = builder.getI64IntegerAttr(0);
  } else if (b.kind != Kind::Scalar) {
    rhs = view(b, true);
  }
  builder.create<ir::BinaryOp>(loc, kind, view(a, true), rhs, view(result, true), axis);
  return result;
}

TileValue TileBuilder::unary(ir::Unary kind, TileValue a) {
  a = a.isMask ? unmask(a) : a;
  if (a.kind == Kind::Scalar)
    a = materialize(a, home);
  TileValue result = allocate(a.kind, a.element);
  builder.create<ir::UnaryOp>(loc, kind, view(a, true), view(result, true));
  return result;
}

TileValue TileBuilder::cast(TileValue x, Type element, ir::Round round) {
  x = x.isMask ? unmask(x) : x;
  if (held(x.element) == held(element)) {
    x.element = element;
    return x;
  }
  if (x.kind == Kind::Scalar)
    x = materialize(x, home);
  TileValue result = allocate(x.kind, element);
  builder.create<ir::CastOp>(loc, round, view(x, true), view(result, true));
  return result;
}

TileValue TileBuilder::compare(ir::Compare kind, TileValue a, TileValue b) {
  Kind wide = join(a.kind, b.kind);
  if (wide == Kind::Scalar)
    wide = home;
  a = materialize(a, wide);
  if (b.kind != Kind::Scalar)
    b = materialize(b, wide);
  auto type = mlir::cast<MemRefType>(a.value.getType());
  Type bit = builder.getI1Type();
  Value bits = builder.create<memref::AllocOp>(loc, inUb(type.getShape(), bit));
  builder.create<ir::CompareOp>(loc, kind, view(a, true), b.kind == Kind::Scalar ? b.value : view(b, true),
                                viewAs(bits, wide, true));
  return {wide, bits, bit, /*isMask=*/true};
}

void TileBuilder::update(ir::Binary kind, TileValue sum, TileValue x) {
  Value rhs = x.kind == Kind::Scalar ? x.value : view(x, true);
  builder.create<ir::BinaryOp>(loc, kind, view(sum, true), rhs, view(sum, true), IntegerAttr());
}

void TileBuilder::replace(TileValue condition, TileValue x, TileValue into) {
  Value to = view(into, true);
  builder.create<ir::SelectOp>(loc, viewAs(condition.value, into.kind, true), view(x, true), to, to);
}

Value TileBuilder::isAtLeast(Value x, double bound) {
  Value least = builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(x.getType(), bound));
  return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UGE, x, least);
}

scf::ForOp TileBuilder::openIf(Value condition) {
  auto index = [&](int64_t value) -> Value { return builder.create<arith::ConstantIndexOp>(loc, value); };
  Value zero = index(0), one = index(1);
  Value count = builder.create<arith::SelectOp>(loc, condition, one, zero);
  auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

void TileBuilder::close(scf::ForOp loop) { builder.setInsertionPointAfter(loop); }

TileValue TileBuilder::mask(TileValue x) {
  return x.isMask ? x : compare(ir::Compare::ne, x, number(0, x.element));
}

TileValue TileBuilder::unmask(TileValue x) {
  if (!x.isMask)
    return x;
  return select(x, number(1, x.element), number(0, x.element));
}

TileValue TileBuilder::select(TileValue condition, TileValue a, TileValue b) {
  Kind wide = join(join(condition.kind, a.kind), b.kind);
  if (wide == Kind::Scalar)
    wide = home;
  if (condition.kind != wide)
    condition = materialize(condition, wide); // its bits would stand elsewhere
  condition = mask(condition);
  a = materialize(a, wide);
  b = materialize(b, wide);
  TileValue result = allocate(wide, a.element);
  builder.create<ir::SelectOp>(loc, viewAs(condition.value, wide, true), view(a, true), view(b, true),
                               view(result, true));
  return result;
}

} // namespace kiln::npu
