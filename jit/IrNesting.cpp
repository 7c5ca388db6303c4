// IrNesting.cpp: a scan over the characters of IR text.
#include "jit/IrNesting.h"

#include "jit/Diagnostics.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::jit;

Status kiln::jit::checkIrNesting(llvm::StringRef text, llvm::StringRef file) {
  if (mlir::isBytecode(llvm::MemoryBufferRef(text, file)))
    return {};
  unsigned depth = 0, signs = 0; // of `- - x` in an affine expression
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') { // to its end, past what is escaped
      while (++i < text.size() && text[i] != '"' && text[i] != '\n')
        i += text[i] == '\\';
    } else if (c == '/' && text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '-' && text.substr(i).starts_with("->")) {
      ++i;
    } else if (llvm::StringRef("([{<").contains(c)) {
      ++depth;
    } else if (llvm::StringRef(")]}>").contains(c)) {
      depth -= depth > 0;
    }
    if (!llvm::isSpace(c))
      signs = c == '-' ? signs + 1 : 0;
    if (depth > kMaxIrNesting || signs > kMaxIrNesting) {
      llvm::StringRef before = text.take_front(i);
      return invalidArgument(file + ":" + llvm::Twine(before.count('\n') + 1) + ":" +
                             llvm::Twine(i - (before.rfind('\n') + 1) + 1) + ": nested more than " +
                             llvm::Twine(kMaxIrNesting) + " deep");
    }
  }
  return {};
}
