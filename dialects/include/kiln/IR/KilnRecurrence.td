// KilnRecurrence.td: recurrent layers. Composites: kiln-expand-composites makes each a loop over time steps.
#ifndef KILN_RECURRENCE_TD
#define KILN_RECURRENCE_TD

include "kiln/IR/KilnBase.td"
include "mlir/IR/EnumAttr.td"

def Kiln_RecurrenceDirection : I32EnumAttr<"RecurrenceDirection", "the order in which a recurrent layer sees the steps", [
    I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Reverse", 1, "reverse">,
    I32EnumAttrCase<"Bidirectional", 2, "bidirectional">]> {
  let cppNamespace = "::kiln";
}

def Kiln_RecurrentWeight : Kiln_TensorOf<AnyTypeOf<[Kiln_Float, I8, UI8]>, "tensor of floats or 8-bit integers">;
def Kiln_ByteTensor : Kiln_TensorOf<AnyTypeOf<[I8, UI8]>, "tensor of 8-bit integers">;

// `states` are optional operands behind `initial_h`, `flags` attributes behind `clip`.
class Kiln_RecurrentOp<string mnemonic, TypeConstraint weight, dag states, dag flags, dag layerResults, string stateFormat, string flagFormat>
    : Kiln_CheckedOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con((ins Kiln_RecurrenceDirection:$direction, Kiln_FloatTensor:$x, weight:$w, weight:$r,
                             Optional<Kiln_FloatTensor>:$bias, Optional<Kiln_IntTensor>:$lengths,
                            Optional<Kiln_FloatTensor>:$initial_h),
                       states,
                       (ins StrArrayAttr:$activations, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$alpha,
                            DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$beta, OptionalAttr<F64Attr>:$clip),
                       flags);
  let results = layerResults;
  let assemblyFormat = "$direction $x `,` $w `,` $r (`bias` $bias^)? (`lengths` $lengths^)? (`initial_h` $initial_h^)? " #
                       stateFormat # "`activations` $activations (`alpha` $alpha^)? (`beta` $beta^)? (`clip` $clip^)? " #
                       flagFormat # "attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// 2 if bidirectional, else 1.
    int64_t getNumDirections() { return getDirection() == RecurrenceDirection::Bidirectional ? 2 : 1; }
  }];
}

def Kiln_LstmOp : Kiln_RecurrentOp<"lstm", Kiln_RecurrentWeight,
    (ins Optional<Kiln_FloatTensor>:$initial_c, Optional<Kiln_FloatTensor>:$peephole,
         Optional<Kiln_FloatTensor>:$w_scale, Optional<Kiln_ByteTensor>:$w_zero, Optional<Kiln_FloatTensor>:$r_scale,
         Optional<Kiln_ByteTensor>:$r_zero), (ins UnitAttr:$input_forget),
    (outs Kiln_FloatTensor:$y, Kiln_FloatTensor:$last_h, Kiln_FloatTensor:$last_c),
    "(`initial_c` $initial_c^)? (`peephole` $peephole^)? (`w_scale` $w_scale^)? (`w_zero` $w_zero^)? " #
    "(`r_scale` $r_scale^)? (`r_zero` $r_zero^)? ", "(`input_forget` $input_forget^)? "> {
  let summary = "long short-term memory layer over a sequence";
  let description = [{
    `x` is `[steps, batch, inputs]`, `w` `[directions, 4 * hidden, inputs]`, `r` `[directions, 4 * hidden, hidden]`,
    `bias` `[directions, 8 * hidden]` (that of `w`, then that of `r`), `peephole` `[directions, 3 * hidden]`, the states
    `[directions, batch, hidden]`, 0 if absent. Gates lie in the order i, o, f, c (peepholes i, o, f). With
    `s = x[t] * w^T + h * r^T + bias` split into gates, and activations F, G, H:

        i  = F(s_i + p_i * c)         c' = f * c + i * G(s_c)         y[t] = h' = o * H(c')
        f  = F(s_f + p_f * c)         o  = F(s_o + p_o * c')

    `input_forget` makes `f = 1 - i`; `clip` limits what F and G take to `[-clip, clip]`. `reverse` goes from the last
    step to the first; `bidirectional` does both, apart. Steps from `lengths[b]` on leave the states of batch element b
    as they are, and their `y` is 0. Activations: sigmoid, tanh, relu, affine (`alpha * v + beta`), leaky_relu,
    thresholded_relu, scaled_tanh (`alpha * tanh(beta * v)`), hard_sigmoid, elu, softsign, softplus; `alpha` and `beta`
    have one entry for each.

    Weights of 8-bit integers stand for `(w - w_zero) * w_scale`, by direction or by row of `w`. Their products quantise
    what they multiply, `x` as a whole and `h` at each step, each direction for itself: to integers from 0 to 255 with
    `scale = (max(x, 0) - min(x, 0)) / 255` and `zero = round(-min(x, 0) / scale)`, halves to even, and sum in i32.
    * (C1) all floats have one element type.
    * (C2) `x` and `r` have rank 3, and every operand the shape above.
    * (C3) there are three activations, of the list above.
    * (C4) `alpha` and `beta` are absent or have one entry an activation.
    * (C5) `clip` is finite and positive.
    * (C6) `w` and `r` are floats, or both are 8-bit integers and have scales; scales and zeros are `[directions]` or
      `[directions, 4 * hidden]`, zeros of the type of their weights.

    Example:
    ```mlir
    %y, %h, %c = kiln.lstm forward %x, %w, %r bias %b activations ["sigmoid", "tanh", "tanh"]
      : (tensor<?x1x16xf32>, tensor<1x128x16xf32>, tensor<1x128x32xf32>, tensor<1x256xf32>)
      -> (tensor<?x1x1x32xf32>, tensor<1x1x32xf32>, tensor<1x1x32xf32>)
    ```
  }];
}

def Kiln_GruOp : Kiln_RecurrentOp<"gru", Kiln_FloatTensor, (ins), (ins UnitAttr:$linear_before_reset),
    (outs Kiln_FloatTensor:$y, Kiln_FloatTensor:$last_h), "", "(`linear_before_reset` $linear_before_reset^)? "> {
  let summary = "gated recurrent unit layer over a sequence";
  let description = [{
    As `kiln.lstm`, with three gates in the order z, r, h (`w` `[directions, 3 * hidden, inputs]` and so on), activations F
    and G, `a = x[t] * w^T + wb`, and per gate `u = h * r^T + rb`:

        z = F(a_z + u_z)        n = G(a_h + (r * h) * r_h^T + rb_h)      or, with linear_before_reset,
        r = F(a_r + u_r)        n = G(a_h + r * (h * r_h^T + rb_h))      y[t] = h' = (1 - z) * n + z * h

    * (C1) all floats have one element type.
    * (C2) `x` and `r` have rank 3, and every operand the shape above.
    * (C3) there are two activations, of those of `kiln.lstm`.
    * (C4) `alpha` and `beta` are absent or have one entry an activation.
    * (C5) `clip` is finite and positive.

    Example:
    ```mlir
    %y, %h = kiln.gru bidirectional %x, %w, %r activations ["sigmoid", "tanh"] linear_before_reset
      : (tensor<10x1x16xf32>, tensor<2x96x16xf32>, tensor<2x96x32xf32>) -> (tensor<10x2x1x32xf32>, tensor<2x1x32xf32>)
    ```
  }];
}

def Kiln_RnnOp : Kiln_RecurrentOp<"rnn", Kiln_FloatTensor, (ins), (ins), (outs Kiln_FloatTensor:$y, Kiln_FloatTensor:$last_h), "", ""> {
  let summary = "plain recurrent layer over a sequence";
  let description = [{
    As `kiln.lstm`, with one gate (`w` `[directions, hidden, inputs]` and so on) and one activation F:

        y[t] = h' = F(x[t] * w^T + h * r^T + bias)

    * (C1) all floats have one element type.
    * (C2) `x` and `r` have rank 3, and every operand the shape above.
    * (C3) there is one activation, of those of `kiln.lstm`.
    * (C4) `alpha` and `beta` are absent or have one entry an activation.
    * (C5) `clip` is finite and positive.

    Example:
    ```mlir
    %y, %h = kiln.rnn reverse %x, %w, %r initial_h %h0 activations ["relu"]
      : (tensor<10x4x16xf32>, tensor<1x32x16xf32>, tensor<1x32x32xf32>, tensor<1x4x32xf32>)
      -> (tensor<10x1x4x32xf32>, tensor<1x4x32xf32>)
    ```
  }];
}

#endif // KILN_RECURRENCE_TD
