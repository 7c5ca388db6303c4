// kernels.c: good kernels for the loader tests, one object with several entries.
typedef long long i64;
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);

// bindings: a, b, out (f32); constants: elements a tile.
void add_kernel(void *const *bindings, const i64 *constants, void *workspace, i64 tileBegin, i64 tileEnd) {
  const float *a = bindings[0], *b = bindings[1];
  float *out = bindings[2];
  for (i64 i = tileBegin * constants[0]; i < tileEnd * constants[0]; ++i)
    out[i] = a[i] + b[i];
}

// Copies binding 0 to binding 1 through the workspace: calls into the runtime's table.
void copy_kernel(void *const *bindings, const i64 *constants, void *workspace, i64 tileBegin, i64 tileEnd) {
  memset(workspace, 0, constants[0]);
  memcpy(workspace, bindings[0], constants[0]);
  memcpy(bindings[1], workspace, constants[0]);
}

// Reads constant tables and jumps through one: everything relative to the instruction.
static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static __attribute__((noinline)) i64 pick(i64 i, i64 x) {
  switch (i) {
  case 0:
    return x * 3 + 1;
  case 1:
    return x ^ 0x55;
  case 2:
    return x - 100;
  case 3:
    return x << 2;
  case 4:
    return 0 - x;
  case 5:
    return x / 7;
  default:
    return x;
  }
}
void table_kernel(void *const *bindings, const i64 *constants, void *workspace, i64 tileBegin, i64 tileEnd) {
  i64 *out = bindings[0];
  for (i64 i = tileBegin; i < tileEnd; ++i)
    out[i] = pick(i % 7, i) + table[i % 8];
}
