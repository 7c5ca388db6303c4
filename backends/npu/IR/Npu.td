// Npu.td: the npu dialect: its enums, attributes and base classes.
#ifndef KILN_NPU_TD
#define KILN_NPU_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "kiln/devicekit/PipeInterfaces.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::kiln::npu::ir";
  let summary = "one core of a da Vinci class NPU: transfers, vector and cube ops on its memories, flags";
  let description = [{
    Buffers are memrefs whose memory space names the memory. Each op belongs to one pipe; its names are those of HIVM. Ops are
    on tiles: the emitter makes instructions of them, with repeats, strides and masks. `arith` on `index` and `scf.for` run on
    the scalar unit.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Npu_Memory : I32EnumAttr<"Memory", "a memory that a core reaches", [
    I32EnumAttrCase<"GM", 0, "gm">, I32EnumAttrCase<"L1", 1, "l1">, I32EnumAttrCase<"L0A", 2, "l0a">,
    I32EnumAttrCase<"L0B", 3, "l0b">, I32EnumAttrCase<"L0C", 4, "l0c">, I32EnumAttrCase<"UB", 5, "ub">,
    I32EnumAttrCase<"BT", 6, "bt">, I32EnumAttrCase<"FB", 7, "fb">]> {
  let cppNamespace = "::kiln::npu::ir";
  let genSpecializedAttr = 0;
}
def Npu_MemoryAttr : EnumAttr<Npu_Dialect, Npu_Memory, "memory"> {
  let assemblyFormat = "`<` $value `>`";
}

def Npu_Pipe : I32EnumAttr<"Pipe", "a pipe of a core", [
    I32EnumAttrCase<"S", 0>, I32EnumAttrCase<"V", 1>, I32EnumAttrCase<"M", 2>, I32EnumAttrCase<"MTE1", 3>,
    I32EnumAttrCase<"MTE2", 4>, I32EnumAttrCase<"MTE3", 5>, I32EnumAttrCase<"FIX", 6>, I32EnumAttrCase<"ALL", 7>]> {
  let cppNamespace = "::kiln::npu::ir";
  let genSpecializedAttr = 0;
}
def Npu_PipeAttr : EnumAttr<Npu_Dialect, Npu_Pipe, "pipe"> { let assemblyFormat = "`` $value"; }

class Npu_Enum<string name, string description, list<string> cases> : I32EnumAttr<name, description,
    !foreach(i, !range(!size(cases)), I32EnumAttrCase<cases[i], i>)> {
  let cppNamespace = "::kiln::npu::ir";
  let genSpecializedAttr = 0;
}
def Npu_Unary : Npu_Enum<"Unary", "a vector op of one operand",
    ["vabs", "vexp", "vln", "vsqrt", "vrsqrt", "vrec", "vrelu", "vnot"]>;
def Npu_UnaryAttr : EnumAttr<Npu_Dialect, Npu_Unary, "unary"> { let assemblyFormat = "`<` $value `>`"; }
def Npu_Binary : Npu_Enum<"Binary", "a vector op of two operands",
    ["vadd", "vsub", "vmul", "vdiv", "vmax", "vmin", "vand", "vor", "vshl", "vshr"]>;
def Npu_BinaryAttr : EnumAttr<Npu_Dialect, Npu_Binary, "binary"> { let assemblyFormat = "`<` $value `>`"; }
def Npu_Compare : Npu_Enum<"Compare", "a comparison", ["lt", "gt", "ge", "eq", "ne", "le"]>;
def Npu_CompareAttr : EnumAttr<Npu_Dialect, Npu_Compare, "compare"> { let assemblyFormat = "`<` $value `>`"; }
def Npu_Round : Npu_Enum<"Round", "how a conversion rounds", ["rint", "round", "floor", "ceil", "trunc"]>;
def Npu_RoundAttr : EnumAttr<Npu_Dialect, Npu_Round, "round">;
def Npu_Reduce : Npu_Enum<"Reduce", "a reduction", ["sum", "max", "min"]>;
def Npu_ReduceAttr : EnumAttr<Npu_Dialect, Npu_Reduce, "reduce"> { let assemblyFormat = "`<` $value `>`"; }
def Npu_Quant : Npu_Enum<"Quant", "what the fixpipe converts to", ["NO_QUANT", "F322F16", "F322BF16"]>;
def Npu_QuantAttr : EnumAttr<Npu_Dialect, Npu_Quant, "quant">;

/// A memref in one of some memories; `predicate` is over $_self.
class Npu_MemRefIn<string predicate, string what> : Type<
    And<[IsMemRefTypePred, CPred<predicate>]>, "memref in " # what, "::mlir::MemRefType">;
def Npu_GM : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::GM)", "#npu.memory<gm>">;
def Npu_UB : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::UB)", "#npu.memory<ub>">;
def Npu_L1 : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::L1)", "#npu.memory<l1>">;
def Npu_L0A : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::L0A)", "#npu.memory<l0a>">;
def Npu_L0B : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::L0B)", "#npu.memory<l0b>">;
def Npu_L0C : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::L0C)", "#npu.memory<l0c>">;
def Npu_BT : Npu_MemRefIn<"::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::BT)", "#npu.memory<bt>">;
def Npu_GMOrUB : AnyTypeOf<[Npu_GM, Npu_UB], "memref in #npu.memory<gm> or <ub>", "::mlir::MemRefType">;
def Npu_L0 : AnyTypeOf<[Npu_L0A, Npu_L0B], "memref in #npu.memory<l0a> or <l0b>", "::mlir::MemRefType">;
def Npu_Local : Npu_MemRefIn<"!::kiln::npu::ir::isIn($_self, ::kiln::npu::ir::Memory::GM) && ::kiln::npu::ir::memoryOf($_self)",
                             "a memory of one core">;
def Npu_Number : AnyTypeOf<[F16, BF16, F32, I8, I16, I32], "number in a scalar register">;

/// An op of one pipe that writes its `dst` (and `temp`) and reads its other memrefs.
class Npu_PipeOp<string name, string pipe, list<Trait> traits = []>
    : Op<Npu_Dialect, name, !listconcat([PipeOpInterface], traits)> {
  string accesses = "::kiln::npu::ir::addAccesses(getOperation(), {getDst()}, accesses);";
  code pipeDeclarations = "int64_t getCycles(); unsigned getPipe() { return unsigned(::kiln::npu::ir::Pipe::" # pipe # [{); }
    void getAccesses(::llvm::SmallVectorImpl<::kiln::devicekit::PipeAccess> &accesses) { }] # accesses # "}";
  let extraClassDeclaration = pipeDeclarations;
  let hasVerifier = 1;
}

#endif // KILN_NPU_TD
