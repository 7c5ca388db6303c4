// ReferenceLibrary.h: libkiln_reference in this process.
#ifndef KILN_RUNTIME_REFERENCELIBRARY_H
#define KILN_RUNTIME_REFERENCELIBRARY_H

#include "kiln/reference.h"
#include "runtime/Error.h"

namespace kiln {

/// Its table, from the library that lies beside the opened compiler's; opened at the first call, never
/// closed. FailedPrecondition: it is not installed, or the loader's reason. Safe from any thread.
Result<const KilnReferenceTable *> referenceTable(const KilnCompiler &compiler);

} // namespace kiln
#endif // KILN_RUNTIME_REFERENCELIBRARY_H
