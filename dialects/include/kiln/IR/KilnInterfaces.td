// KilnInterfaces.td: what passes ask of kiln ops without knowing them one by one.
#ifndef KILN_INTERFACES_TD
#define KILN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Kiln_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An op whose result element depends on the operand elements at the same index, after numpy broadcasting of the
    operands. One pattern lowers all of them; fusion treats them alike.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the computation of one element. `scalars` are the operands' elements, with signless integer types
      (f16 and bf16 as they are); returns the result's element, signless too. Signedness is read off the op's types.
    }], "::mlir::Value", "buildScalar", (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                                             "::mlir::ValueRange":$scalars)>,
  ];
}

#endif // KILN_INTERFACES_TD
