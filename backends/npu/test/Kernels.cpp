// Kernels.cpp: the assembly of the test kernels.
#include "backends/npu/test/Kernels.h"

namespace kiln::npu {
namespace {

// Replaces each {NAME} by a number.
std::string with(std::string text, std::initializer_list<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("{" + name + "}")) != std::string::npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}
std::string text(int64_t value) { return std::to_string(value); }

} // namespace

std::string addKernel(const std::string &type, int tile) {
  int bytes = type == "f32" ? 4 : 2, slab = tile * bytes;
  return with(R"(.chip 910b
.kind aiv
.kernel add
.binding in {T} align=32 c0 {B} mul
.binding in {T} align=32 c0 {B} mul
.binding out {T} align=32 c0 {B} mul
.constants 1
.section aiv
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  ldarg x4, 3
  movs x7, block_idx
  movs x6, block_num
  add x8, x4, {TILE1}
  div x8, x8, {TILE}
  movi x9, 0
  setsr maskmode, 1
  set_flag V, MTE2, 0
  set_flag V, MTE2, 1
  set_flag MTE3, V, 0
  set_flag MTE3, V, 1
  br ge, x7, x8, done
loop:
  mul x10, x7, {TILE}
  sub x11, x4, x10
  min x11, x11, {TILE}
  mul x10, x10, {B}
  mul x12, x11, {B}
  mul x13, x9, {SLAB3}
  add x14, x13, {SLAB}
  add x15, x13, {SLAB2}
  add x16, x1, x10
  add x17, x2, x10
  add x18, x3, x10
  wait_flag V, MTE2, x9
  mov_gm_ub.b16 x13, x16, len=x12
  mov_gm_ub.b16 x14, x17, len=x12
  set_flag MTE2, V, x9
  wait_flag MTE2, V, x9
  wait_flag MTE3, V, x9
  setsr mask0, x11
  vadd.{T} x15, x13, x14
  set_flag V, MTE2, x9
  set_flag V, MTE3, x9
  wait_flag V, MTE3, x9
  mov_ub_gm.b16 x18, x15, len=x12
  set_flag MTE3, V, x9
  xor x9, x9, 1
  add x7, x7, x6
  br lt, x7, x8, loop
done:
  wait_flag V, MTE2, 0
  wait_flag V, MTE2, 1
  wait_flag MTE3, V, 0
  wait_flag MTE3, V, 1
  halt
)",
              {{"T", type},
               {"B", text(bytes)},
               {"TILE1", text(tile - 1)},
               {"TILE", text(tile)},
               {"SLAB3", text(slab * 3)},
               {"SLAB2", text(slab * 2)},
               {"SLAB", text(slab)}});
}

// The scalar unit waits for the vector unit twice a row, so that what it issues afterwards is ordered behind
// that.
std::string softmaxKernel(int columns) {
  int bytes = columns * 4;
  return with(R"(.chip 910b
.kind aiv
.kernel softmax
.binding in f32 align=32 c0 {BYTES} mul
.binding out f32 align=32 c0 {BYTES} mul
.constants 1
.section aiv
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  movs x4, block_idx
  movs x5, block_num
  movi x6, 0
  movi x7, {BYTES}
  add x8, x7, 512
  setsr maskmode, 1
  set_flag MTE3, V, 0
  br ge, x4, x3, done
row:
  mul x10, x4, {BYTES}
  add x11, x1, x10
  add x12, x2, x10
  mov_gm_ub.b32 x6, x11, len={BYTES}
  set_flag MTE2, V, 0
  wait_flag MTE2, V, 0
  setsr mask0, {COLUMNS}
  vcmax.f32 x7, x6, drep=1, order=2
  pipe_barrier V
  setsr mask0, {PARTS}
  vcmax.f32 x7, x7, drep=1, order=2
  set_flag V, S, 0
  wait_flag V, S, 0
  lds.f32 ub, x13, x7, 0
  movi x14, -1082130432
  fmul x13, x13, x14
  setsr mask0, {COLUMNS}
  wait_flag MTE3, V, 0
  vadds.f32 x8, x6, x13
  pipe_barrier V
  vexp.f32 x8, x8
  pipe_barrier V
  vcadd.f32 x7, x8, drep=1
  pipe_barrier V
  setsr mask0, {PARTS}
  vcadd.f32 x7, x7, drep=1
  set_flag V, S, 0
  wait_flag V, S, 0
  lds.f32 ub, x13, x7, 0
  movi x14, 1065353216
  fdiv x13, x14, x13
  setsr mask0, {COLUMNS}
  vmuls.f32 x8, x8, x13
  set_flag V, MTE3, 0
  wait_flag V, MTE3, 0
  mov_ub_gm.b32 x12, x8, len={BYTES}
  set_flag MTE3, V, 0
  add x4, x4, x5
  br lt, x4, x3, row
done:
  wait_flag MTE3, V, 0
  halt
)",
              {{"BYTES", text(bytes)}, {"COLUMNS", text(columns)}, {"PARTS", text(columns / 64)}});
}

// The depth loop of one 64 x 64 tile, x20 (row) and x21 (column) of the tile, into L0C at 0. Uses double
// buffers in L1 (parity x9) and L0 (the same parity): L1 A at 0 and 8192, B at 16384 and 24576; L0A and L0B
// halves of 8192.
static const char *const kTile = R"(
  mul x10, x20, {A64}
  add x10, x10, x1
  mul x11, x21, 128
  add x11, x11, x2
  movi x12, {STEPS}
  movi x13, 1
depth:
  mul x14, x9, 8192
  add x15, x14, 16384
  wait_flag MTE1, MTE2, x9
  nd2nz.b16 x14, x10, n=64, m=64, sstride={K}, dstride=64
  nd2nz.b16 x15, x11, n=64, m=64, sstride={N}, dstride=64
  set_flag MTE2, MTE1, x9
  wait_flag MTE2, MTE1, x9
  wait_flag M, MTE1, x9
  mov x16, x14
  mov x17, x14
  movi x18, 4
rows:
  load2d_a.b16 x16, x17, rep=4, sstride=4
  add x16, x16, 2048
  add x17, x17, 512
  loop x18, rows
  mov x16, x14
  mov x17, x15
  movi x18, 4
columns:
  load2d_b.b16 x16, x17, rep=4, sstride=4, trans=1
  add x16, x16, 2048
  add x17, x17, 512
  loop x18, columns
  set_flag MTE1, MTE2, x9
  set_flag MTE1, M, x9
  wait_flag MTE1, M, x9
  br eq, x13, 0, more
  wait_flag FIX, M, 0
more:
  mmad.f16 x0, x14, x14, x0, m=64, k=64, n=64, init=x13
  set_flag M, MTE1, x9
  movi x13, 0
  add x10, x10, 128
  add x11, x11, {BSTEP}
  xor x9, x9, 1
  loop x12, depth
  set_flag M, FIX, 0
  wait_flag M, FIX, 0
)";
static const char *const kPrologue = R"(
  movi x0, 0
  movi x9, 0
  set_flag MTE1, MTE2, 0
  set_flag MTE1, MTE2, 1
  set_flag M, MTE1, 0
  set_flag M, MTE1, 1
  set_flag FIX, M, 0
)";
static const char *const kEpilogue = R"(
  wait_flag MTE1, MTE2, 0
  wait_flag MTE1, MTE2, 1
  wait_flag M, MTE1, 0
  wait_flag M, MTE1, 1
  wait_flag FIX, M, 0
  halt
)";

static std::string matmulParts(const std::string &body, int m, int n, int k) {
  return with(body, {{"A64", text(64 * k * 2)},
                     {"STEPS", text(k / 64)},
                     {"K", text(k)},
                     {"N", text(n)},
                     {"BSTEP", text(64 * n * 2)},
                     {"TILES", text(m / 64 * (n / 64))},
                     {"ACROSS", text(n / 64)},
                     {"ABYTES", text(m * k * 2)},
                     {"BBYTES", text(k * n * 2)},
                     {"CBYTES", text(m * n * 4)},
                     {"GAP", text((n - 64) * 4)},
                     {"C64", text(64 * n * 4)}});
}

std::string matmulKernel(int m, int n, int k) {
  return matmulParts(std::string(R"(.chip 910b
.kind aic
.kernel matmul
.binding in f16 align=64 {ABYTES}
.binding in f16 align=64 {BBYTES}
.binding out f32 align=64 {CBYTES}
.constants 0
.section aic
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  movs x7, block_idx
  movs x6, block_num
)") + kPrologue + R"(
  br ge, x7, {TILES}, done
tile:
  div x20, x7, {ACROSS}
  rem x21, x7, {ACROSS}
)" + kTile + R"(
  mul x22, x20, {C64}
  mul x23, x21, 256
  add x22, x22, x23
  add x22, x22, x3
  fix_gm x22, x0, m=64, n=64, sstride=64, dstride={N}, nd=1
  set_flag FIX, M, 0
  add x7, x7, x6
  br lt, x7, {TILES}, tile
done:
)" + kEpilogue,
                     m, n, k);
}

std::string mixKernel(int m, int n) {
  // A block's slot in the workspace holds one tile of f32, 16384 bytes; flag 0 says it is full, flag 1 that
  // it is free.
  return matmulParts(std::string(R"(.chip 910b
.kind mix
.kernel matmul_exp
.binding in f16 align=64 {ABYTES}
.binding in f16 align=64 {BBYTES}
.binding out f32 align=64 {CBYTES}
.constants 0
.workspace 393216
.section aic
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 3
  movs x7, block_idx
  movs x6, block_num
  mul x22, x7, 16384
  add x22, x22, x3
)") + kPrologue + R"(
  br ge, x7, {TILES}, done
tile:
  div x20, x7, {ACROSS}
  rem x21, x7, {ACROSS}
)" + kTile + R"(
  cross_wait FIX, 1
  fix_gm x22, x0, m=64, n=64, sstride=64, dstride=64, nd=1
  cross_set FIX, 0, mode=2
  set_flag FIX, M, 0
  add x7, x7, x6
  br lt, x7, {TILES}, tile
done:
  cross_wait FIX, 1
)" + kEpilogue + R"(
.section aiv
  ldarg x1, 2
  ldarg x3, 3
  movs x7, block_idx
  movs x6, block_num
  movs x8, sub_idx
  mul x22, x7, 16384
  add x22, x22, x3
  mul x10, x8, 8192
  add x22, x22, x10
  movi x0, 0
  cross_set S, 1, mode=2
  set_flag MTE3, MTE2, 0
  br ge, x7, {TILES}, done
tile:
  div x20, x7, {ACROSS}
  rem x21, x7, {ACROSS}
  mul x11, x20, {C64}
  mul x12, x21, 256
  add x11, x11, x12
  mul x12, x8, {N}
  mul x12, x12, 128
  add x11, x11, x12
  add x11, x11, x1
  cross_wait MTE2, 0
  wait_flag MTE3, MTE2, 0
  mov_gm_ub.b32 x0, x22, len=8192
  cross_set MTE2, 1, mode=2
  set_flag MTE2, V, 0
  wait_flag MTE2, V, 0
  vexp.f32 x0, x0, rep=32
  set_flag V, MTE3, 0
  wait_flag V, MTE3, 0
  mov_ub_gm.b32 x11, x0, n=32, len=256, dgap={GAP}
  set_flag MTE3, MTE2, 0
  add x7, x7, x6
  br lt, x7, {TILES}, tile
done:
  wait_flag MTE3, MTE2, 0
  halt
)",
                     m, n, 64);
}

} // namespace kiln::npu
