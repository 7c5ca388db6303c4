// kiln/reference.h: the C table of libkiln_reference: what a model's outputs are by the definitions of its
// ops, for tests.
//
// The library lies beside libkiln_compiler and is opened when a test first asks for it; no model is run
// through it otherwise. Rules for structs, strings, errors and threads: kiln/backend.h.
#ifndef KILN_REFERENCE_H
#define KILN_REFERENCE_H

#include "kiln/compiler.h" // KilnImportedModel

#ifdef __cplusplus
extern "C" {
#endif

// Inputs, dense and row-major: shapes as in KilnProgramArgs, bytes in host memory.
typedef struct KilnReferenceArgs {
  size_t struct_size;
  const int64_t *dims;
  const uint32_t *ranks;
  const void *const *data;
  size_t input_count;
} KilnReferenceArgs;

// One output, as KilnReference of kiln.h; borrowed for the visit.
typedef struct KilnReferenceResult {
  KilnDType dtype;
  uint32_t rank;
  const int64_t *dims;
  const double *values;
  const int64_t *integers;
  const double *errors;
  size_t count;
} KilnReferenceResult;

typedef struct KilnReferenceTable {
  size_t struct_size;
  // The function's attribute kiln.test as JSON; "" if the format has none. Lives with the model.
  KilnStr (*model_test)(KilnImportedModel *model);
  // Visits each output in order. UNIMPLEMENTED names an op that has no reference.
  KilnStatus (*evaluate)(KilnImportedModel *model, const KilnReferenceArgs *args,
                         void (*visit)(void *arg, const KilnReferenceResult *result), void *arg);
} KilnReferenceTable;

// The one entry of libkiln_reference: fills the table as far as the caller knows it.
typedef void (*KilnReferenceOpenFn)(KilnReferenceTable *out_table);
#define KILN_REFERENCE_OPEN_SYMBOL "kiln_reference_open_v1"
KILN_EXPORT void kiln_reference_open_v1(KilnReferenceTable *out_table);

#ifdef __cplusplus
} // extern "C"
#endif
#endif // KILN_REFERENCE_H
