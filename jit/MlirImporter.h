// MlirImporter.h: the built-in importer of .mlir files, text or bytecode.
#ifndef KILN_JIT_MLIRIMPORTER_H
#define KILN_JIT_MLIRIMPORTER_H

#include "kiln/jit/Importer.h"

namespace kiln::jit {

/// Parses a module of kiln ops and makes the asked-for function its @main. InvalidArgument: it does not
/// parse, or has no such function; the message has line and column.
Result<ImportedModule> importMlir(mlir::MLIRContext &context, const ImportRequest &request);

/// The names of the functions with a body, in file order.
Result<std::vector<std::string>> mlirFunctions(mlir::MLIRContext &context, const ImportRequest &request);

/// Whether the bytes are MLIR bytecode, or text with a function or kernel.
bool recogniseMlir(llvm::ArrayRef<char> bytes);

} // namespace kiln::jit
#endif // KILN_JIT_MLIRIMPORTER_H
