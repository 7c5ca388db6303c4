// KilnBase.td: the kiln dialect, its type constraints and the base classes of its ops.
#ifndef KILN_BASE_TD
#define KILN_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "kiln/IR/KilnInterfaces.td"

def Kiln_Dialect : Dialect {
  let name = "kiln";
  let cppNamespace = "::kiln";
  let summary = "tensor kernels with explicit, numpy-style semantics";
  let description = [{
    A closed set of tensor ops that models are imported into and that every backend lowers. Tensors are values; shapes
    may have dynamic extents; broadcasting follows numpy and is verified. `uiN` is unsigned, `iN` signed, `i1` boolean.
    `kiln.kernel` holds the body of one kernel, `kiln.launch` uses it. Control flow is `scf`, shape arithmetic is
    `arith` on `index`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Adds one to a named counter of this context ("fold-transpose.folded"). Thread-safe.
    void count(::llvm::StringRef counter);
    /// The counters so far, sorted by name.
    ::std::vector<::std::pair<::std::string, uint64_t>> counters() const;
  private:
    ::std::shared_ptr<struct CounterTable> counterTable;
    friend struct CounterTable;
  public:
  }];
}

// ---- Types (contracts: docs/architecture.md) -------------------------------------------------------------

def Kiln_UInt : AnyTypeOf<[UI8, UI16, UI32, UI64]>;
def Kiln_SInt : AnyTypeOf<[I8, I16, I32, I64]>;
def Kiln_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "8- to 64-bit integer">;
def Kiln_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Kiln_Bool : TypeAlias<I1, "boolean">;
// Storage only: fp8 and 4-bit integers exist for kiln.convert, shape ops and constants.
def Kiln_Narrow : AnyTypeOf<[F8E4M3FN, F8E5M2, I<4>, UI<4>], "fp8 or 4-bit integer">;
def Kiln_Number : AnyTypeOf<[Kiln_Float, Kiln_Int], "float or integer">;
def Kiln_Element : AnyTypeOf<[Kiln_Float, Kiln_Int, I1, Kiln_Narrow], "kiln element">;

class Kiln_TensorOf<Type element, string what> : RankedTensorOf<[element], [], what>;
def Kiln_Tensor : Kiln_TensorOf<Kiln_Element, "tensor">;
def Kiln_NumberTensor : Kiln_TensorOf<Kiln_Number, "tensor of numbers">;
def Kiln_FloatTensor : Kiln_TensorOf<Kiln_Float, "tensor of floats">;
def Kiln_IntTensor : Kiln_TensorOf<Kiln_Int, "tensor of integers">;
def Kiln_BoolTensor : Kiln_TensorOf<I1, "tensor of i1">;
def Kiln_IntOrBoolTensor : Kiln_TensorOf<AnyTypeOf<[Kiln_Int, I1]>, "tensor of integers or i1">;
def Kiln_SignedTensor : Kiln_TensorOf<AnyTypeOf<[Kiln_Float, Kiln_SInt]>, "tensor of floats or signed integers">;

// ---- Base classes ----------------------------------------------------------------------------------------

class Kiln_Op<string mnemonic, list<Trait> traits = []> : Op<Kiln_Dialect, mnemonic, traits>;

// Result types follow from operands and attributes: an op defines inferReturnTypes(context, location, adaptor, types).
// A declared type may be less precise than the inferred one (tensor<?xf32> for tensor<4xf32>); kiln-refine-shapes
// sharpens it.
def Kiln_InferType : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange lhs, ::mlir::TypeRange rhs) {
    return ::kiln::compatibleTypes(lhs, rhs);
  }
}]>;
class Kiln_InferredOp<string mnemonic, list<Trait> traits = []>
    : Kiln_Op<mnemonic, !listconcat([Pure, Kiln_InferType], traits)>;

// As Kiln_InferredOp, for ops whose inference can fail: verify() makes the same checks as inferReturnTypes and reports
// them once, as the op's own error; results are reified, so that `tensor.dim` of one resolves to its operands.
def Kiln_CheckedInferType : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange lhs, ::mlir::TypeRange rhs) {
    return ::kiln::compatibleTypes(lhs, rhs);
  }
  static ::llvm::LogicalResult refineReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
                                                 ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
                                                 ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
                                                 ::llvm::SmallVectorImpl<::mlir::Type> &types) {
    ::llvm::SmallVector<::mlir::Type> inferred;
    if (failed(inferReturnTypes(context, ::std::nullopt, operands, attributes, properties, regions, inferred)))
      return ::mlir::success(); // verify() says what is wrong
    if (isCompatibleReturnTypes(inferred, types))
      return ::mlir::success();
    return ::mlir::emitOptionalError(location, "'", getOperationName(), "' op has result type ", types,
                                     "; expected ", inferred);
  }
}]>;
class Kiln_CheckedOp<string mnemonic, list<Trait> traits = []>
    : Kiln_Op<mnemonic, !listconcat([Pure, Kiln_CheckedInferType,
                                     DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>], traits)> {
  let hasVerifier = 1;
}

// Its one result has the type of operand `x`.
class Kiln_LikeXOp<string mnemonic, list<Trait> traits = []> : Kiln_CheckedOp<mnemonic, traits> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                                                      Adaptor op, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(op.getX().getType());
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &dims) {
      dims.push_back(::mlir::tensor::getMixedSizes(builder, getLoc(), getX()));
      return ::mlir::success();
    }
  }];
}

#endif // KILN_BASE_TD
