// EntryPoint.cpp: the entry of a kernel: memref descriptors built from pointers and constants in the launch's
// order.
#include "devicekit/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_ENTRYPOINTPASS
#include "devicekit/Passes.h.inc"

namespace {

/// Loads element `index` of an array of `type`.
Value loadElement(OpBuilder &builder, Location loc, Value array, Type type, int64_t index) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address =
      builder.create<LLVM::GEPOp>(loc, pointer, type, array, ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return builder.create<LLVM::LoadOp>(loc, type, address);
}

/// A dense row-major memref at `pointer`; its dynamic extents are the constants from `next` on.
Value makeMemRef(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, MemRefType type,
                 Value pointer, Value constants, int64_t &next) {
  Type i64 = builder.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return builder.create<LLVM::ConstantOp>(loc, i64, builder.getI64IntegerAttr(value));
  };
  MemRefDescriptor descriptor = MemRefDescriptor::undef(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setOffset(builder, loc, number(0));
  SmallVector<Value> extents;
  for (int64_t extent : type.getShape())
    extents.push_back(ShapedType::isDynamic(extent) ? loadElement(builder, loc, constants, i64, next++)
                                                    : number(extent));
  Value stride = number(1);
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    descriptor.setSize(builder, loc, axis, extents[axis]);
    descriptor.setStride(builder, loc, axis, stride);
    stride = builder.create<LLVM::MulOp>(loc, stride, extents[axis]);
  }
  return builder.create<UnrealizedConversionCastOp>(loc, type, Value(descriptor)).getResult(0);
}

struct EntryPoint final : impl::EntryPointPassBase<EntryPoint> {
  void runOnOperation() override {
    for (func::FuncOp func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func->hasAttr("kiln.kernel"))
        addEntry(func);
  }

  void addEntry(func::FuncOp body) {
    Location loc = body.getLoc();
    OpBuilder builder(body);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto entry =
        builder.create<func::FuncOp>(loc, body.getName(), builder.getFunctionType({pointer, pointer}, {}));
    for (StringRef name : {StringRef("kiln.kernel"), StringRef(kSignatureAttr)})
      if (Attribute attr = body->removeAttr(name))
        entry->setAttr(name, attr);
    body.setName((body.getName() + "_body").str());
    body.setPrivate();

    Block *block = entry.addEntryBlock();
    builder.setInsertionPointToStart(block);
    LLVMTypeConverter converter(&getContext());
    TypeRange types = body.getArgumentTypes();
    // Constants: the index arguments, then the dynamic extents of memrefs, from left to right.
    int64_t nextIndex = 0, nextExtent = llvm::count_if(types, [](Type type) { return type.isIndex(); });
    int64_t nextBinding = 0;
    SmallVector<Value> arguments;
    for (Type type : types) {
      if (auto memref = dyn_cast<MemRefType>(type)) {
        Value address = loadElement(builder, loc, block->getArgument(0), pointer, nextBinding++);
        arguments.push_back(
            makeMemRef(builder, loc, converter, memref, address, block->getArgument(1), nextExtent));
        continue;
      }
      Value constant = loadElement(builder, loc, block->getArgument(1), builder.getI64Type(), nextIndex++);
      arguments.push_back(builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), constant));
    }
    builder.create<func::CallOp>(loc, body, arguments);
    builder.create<func::ReturnOp>(loc);
  }
};

} // namespace
} // namespace kiln::devicekit
