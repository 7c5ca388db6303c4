// Manual.cpp: the manual page of the instruction set, made of the tables alone.
#include "backends/npu/Isa/Isa.h"

namespace kiln::npu {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Written by tools/dev docs from backends/npu/Isa/Isa.def; do not edit. -->
# The npu instruction set

The binary encoding of Ascend processors is not published. This one is Kiln's own: words of 128 bits, operands as in the documented
intrinsics of the AscendC guide. It is closed: an opcode that is not here is a fault, none calls the host, and none does more than
the documented instruction of its class. The table in `backends/npu/Isa/Isa.def` makes encoder, decoder, assembler, disassembler, the
checks of the loader and this page.

A core has a scalar unit S, which runs the program and hands instructions to six in-order queues: V (vector), M (cube), MTE1 (L1 to
L0), MTE2 (GM to L1 and UB), MTE3 (UB to GM), FIX (L0C to GM and L1). Pipes run side by side: what one writes, another may read only
behind `set_flag` and `wait_flag`, or a `pipe_barrier`. Within V, MTE1, MTE2, MTE3 and FIX an instruction starts before the one in
front of it has ended, so that dependent ones need `pipe_barrier` of their pipe; M and S finish one instruction before the next.
Register operands are read when the scalar unit issues an instruction.

Memories: GM by 64-bit address within the launch's bindings and workspace; L1, L0A, L0B, L0C, UB, BT and FB by byte from 0. Addresses
in UB and L1 are multiples of 32 bytes, in L0A, L0B and L0C of 512, in BT and FB of 64. Element (i, j) of a matrix lies in L0A (zZ) at
fractal (i/16, j/k0), rows within; in L0B (nZ) at fractal (i/k0, j/16) of the k x n matrix, its columns contiguous; in L0C and L1 (zN)
column of fractals by column. k0 is 32 bytes of elements.

A vector instruction works on `rep` repeats of 256 bytes: eight blocks of 32 bytes, `dblk`, `ablk`, `bblk` blocks apart; repeats are
`drep`, `arep`, `brep` blocks apart. Special registers `mask0` and `mask1` say which elements of each repeat count; with `maskmode` 1
`mask0` is the count of elements of the whole instruction instead, and `rep` follows from it. Elements that are masked out stay as they are.
)";

void printWord(const OpInfo &op, std::string &text) {
  uint32_t at = 8;
  text += "op[0:8]";
  for (Field field : formatFields(op.format)) {
    uint32_t width = fieldInfo(field).width();
    text += " " + std::string(fieldInfo(field).name) + "[" + std::to_string(at) + ":" +
            std::to_string(at + width) + "]";
    at += width;
  }
}

std::string kindText(const FieldInfo &info) {
  std::string bits = std::to_string(info.bits);
  switch (info.kind) {
  case FieldKind::Reg:
    return "register";
  case FieldKind::RegImm:
    return "register or " + bits + " bits";
  case FieldKind::SRegImm:
    return "register or " + bits + " bits, signed";
  case FieldKind::Imm:
  case FieldKind::Imm64:
    return bits + " bits";
  case FieldKind::SImm:
    return bits + " bits, signed";
  case FieldKind::Label:
    return "label";
  case FieldKind::Type:
  case FieldKind::Pipe:
  case FieldKind::Special:
  case FieldKind::Space:
  case FieldKind::Compare:
  case FieldKind::Round:
  case FieldKind::Quant:
  case FieldKind::Relu:
    return "name";
  }
  return {};
}

std::string whereText(uint8_t where) {
  std::string text = (where & kBoth) == kBoth ? "both" : where & kAic ? "cube" : "vector";
  return text + (where & kOnly910B ? ", 910b" : where & kOnly910A ? ", 910a" : "");
}

} // namespace

std::string manual() {
  std::string text(kIntroduction);
  text += "\n## Operands\n\n| name | form | default | meaning |\n|---|---|---|---|\n";
  for (size_t i = 0; i < kFieldCount; ++i) {
    const FieldInfo &info = fieldInfo(static_cast<Field>(i));
    text += "| `" + std::string(info.name) + "` | " + kindText(info) + " | " +
            (info.isNamed ? std::to_string(info.standard) : "") + " | " + std::string(info.meaning) + " |\n";
  }
  text += "\n## Special registers\n\n| number | name | | meaning |\n|---|---|---|---|\n";
  for (size_t i = 0; i < kSpecialCount; ++i) {
    auto special = static_cast<Special>(i);
    text += "| " + std::to_string(i) + " | `" + std::string(specialName(special)) + "` | " +
            (isReadOnly(special) ? "read only" : "") + " | " + std::string(specialMeaning(special)) + " |\n";
  }
  text += R"(
## Fixpipe conversions
`none` writes the accumulators (f32 or i32). `f32f16` and `f32bf16` round to nearest, ties to even. `s32f16` and `s32i8` multiply i32
accumulators, `f32i8` f32 ones, by the scale in special register `quant`; the forms with v take a 64-bit word of the same layout by
column from FB. Results of type i8 are rounded to nearest, get the offset added and saturate. The slopes of `lrelu` and `prelu` apply
before the conversion.

## Conversions of vconv
)";
  for (size_t from = 0; from < kDTypeCount; ++from)
    for (size_t to = 0; to < kDTypeCount; ++to) {
      auto a = static_cast<DType>(from), b = static_cast<DType>(to);
      bool rounds = isConversion(a, b, Round::Rint);
      if (rounds || isConversion(a, b, Round::None))
        text += "- " + std::string(dtypeName(a)) + " to " + std::string(dtypeName(b)) +
                (rounds ? ", rounded" : "") + (isConversion(a, b, Round::Odd) ? ", also to odd" : "") + "\n";
    }
  text += "\n## Instructions\n";
  for (const OpInfo &op : ops()) {
    text += "\n### " + std::string(op.mnemonic) + "\n\nOpcode " + std::to_string(static_cast<int>(op.op)) +
            ", pipe " + std::string(pipeName(op.pipe)) + ", cores: " + whereText(op.where);
    std::string types;
    for (size_t i = 0; i < kDTypeCount; ++i)
      if (op.types >> i & 1)
        types += (types.empty() ? "" : ", ") + std::string(dtypeName(static_cast<DType>(i)));
    text += (types.empty() ? "" : "; types: " + types) + ".\n\n" + std::string(op.meaning) + "\n\nWord: `";
    printWord(op, text);
    text += "`\n";
  }
  return text;
}

} // namespace kiln::npu
