// KilnElementwise.td: base classes of the elementwise family; its ops are in KilnMath, KilnActivation, KilnBinary and
// KilnSelect.
#ifndef KILN_ELEMENTWISE_TD
#define KILN_ELEMENTWISE_TD

include "kiln/IR/KilnBase.td"

def Kiln_ElementwiseInterface : TraitList<[DeclareOpInterfaceMethods<Kiln_ElementwiseOpInterface>,
                                           DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>]>;

// One operand and a result of the same type, written once: kiln.exp %x : tensor<4xf32>.
class Kiln_UnaryOp<string mnemonic, Kiln_TensorOf type, list<Trait> traits = []>
    : Kiln_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType, Kiln_ElementwiseInterface], traits)> {
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(::kiln::broadcastExtents(builder, getLoc(), getOperation()->getOperands(), getType()));
      return ::mlir::success();
    }
  }];
}

// A question about each element; the result, tensor<..xi1>, is not written.
class Kiln_PredicateOp<string mnemonic, list<Trait> traits = []>
    : Kiln_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor, Kiln_ElementwiseInterface], traits)> {
  let arguments = (ins Kiln_FloatTensor:$x);
  let results = (outs Kiln_BoolTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
                                                      std::optional<::mlir::Location> location, Adaptor adaptor,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::kiln::inferBroadcast(location, getOperationName(), adaptor.getOperands(), ::mlir::IntegerType::get(context, 1), types);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(::kiln::broadcastExtents(builder, getLoc(), getOperation()->getOperands(), getType()));
      return ::mlir::success();
    }
  }];
}

// Several operands, broadcast to the result's shape. `element` is C++ for the result's element type, `checks` for what
// is verified besides.
class Kiln_BroadcastingOp<string mnemonic, string element, list<Trait> traits = [],
                          string checks = "::mlir::success()">
    : Kiln_CheckedOp<mnemonic, !listconcat([DeclareOpInterfaceMethods<Kiln_ElementwiseOpInterface>], traits)> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::llvm::success(succeeded(::kiln::verifyBroadcast(*this)) && succeeded(}] # checks # [{));
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
                                                      std::optional<::mlir::Location> location, Adaptor adaptor,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::kiln::inferBroadcast(location, getOperationName(), adaptor.getOperands(), }] # element # [{, types);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(::kiln::broadcastExtents(builder, getLoc(), getOperation()->getOperands(), getType()));
      return ::mlir::success();
    }
  }];
}

// Two operands and a result of one element type: kiln.add %a, %b : tensor<4xf32>, tensor<f32> -> tensor<4xf32>.
class Kiln_BinaryOp<string mnemonic, Kiln_TensorOf type, list<Trait> traits = []>
    : Kiln_BroadcastingOp<mnemonic, "::mlir::getElementTypeOrSelf(adaptor.getOperands()[0])",
                       !listconcat([SameOperandsAndResultElementType], traits)> {
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result)";
}

#endif // KILN_ELEMENTWISE_TD
