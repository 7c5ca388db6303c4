// OpTable.h: which operators can be imported, from which version on, and by which function.
#ifndef KILN_ONNX_OPTABLE_H
#define KILN_ONNX_OPTABLE_H

#include "kiln/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kiln::onnx {

class Node;

/// Imports one node: reads its inputs and attributes, sets its outputs. Unimplemented: a case that Kiln has
/// not.
using ImportNodeFn = Status (*)(Node &node);

inline constexpr int kAnyNumber = 1 << 30;

/// Which inputs may be sequences.
enum class Sequences { None, First, Carried }; // Carried: those that a loop carries, from input 2 on

/// One operator. Adding one is one entry in the family's table.
struct OpEntry {
  llvm::StringLiteral name;
  int since; // the first version of the domain's operator set that means this; until the next entry
  int minInputs, maxInputs; // the first minInputs may not be left out
  ImportNodeFn import;
  llvm::StringLiteral limits = ""; // for the documentation: what is refused
  llvm::StringLiteral domain = ""; // "" is ai.onnx
  Sequences sequences = Sequences::None;
};

// The families, one file each.
llvm::ArrayRef<OpEntry> attentionOps();            // ImportAttention.cpp
llvm::ArrayRef<OpEntry> binaryOps();               // ImportBinary.cpp
llvm::ArrayRef<OpEntry> classicalOps();            // ImportClassical.cpp: ai.onnx.ml
llvm::ArrayRef<OpEntry> constantOps();             // ImportConstant.cpp
llvm::ArrayRef<OpEntry> contractionOps();          // ImportContraction.cpp
llvm::ArrayRef<OpEntry> contribAttentionOps();     // ImportContribAttention.cpp: com.microsoft
llvm::ArrayRef<OpEntry> controlFlowOps();          // ImportControlFlow.cpp
llvm::ArrayRef<OpEntry> convTransposeOps();        // ImportConvTranspose.cpp
llvm::ArrayRef<OpEntry> cropOps();                 // ImportCrop.cpp
llvm::ArrayRef<OpEntry> einsumOps();               // ImportEinsum.cpp
llvm::ArrayRef<OpEntry> fusedOps();                // ImportFused.cpp: com.microsoft
llvm::ArrayRef<OpEntry> indexingOps();             // ImportIndexing.cpp
llvm::ArrayRef<OpEntry> labelOps();                // ImportLabels.cpp: ai.onnx.ml
llvm::ArrayRef<OpEntry> layoutOps();               // ImportLayout.cpp
llvm::ArrayRef<OpEntry> legacyOps();               // ImportLegacy.cpp
llvm::ArrayRef<OpEntry> linearOps();               // ImportLinear.cpp: ai.onnx.ml
llvm::ArrayRef<OpEntry> linearAlgebraOps();        // ImportLinearAlgebra.cpp
llvm::ArrayRef<OpEntry> normalizationOps();        // ImportNormalization.cpp
llvm::ArrayRef<OpEntry> poolingOps();              // ImportPooling.cpp
llvm::ArrayRef<OpEntry> quantizationOps();         // ImportQuantization.cpp
llvm::ArrayRef<OpEntry> quantizedElementwiseOps(); // ImportQuantizedElementwise.cpp
llvm::ArrayRef<OpEntry> quantizedProductOps();     // ImportQuantizedProducts.cpp
llvm::ArrayRef<OpEntry> randomOps();               // ImportRandom.cpp
llvm::ArrayRef<OpEntry> recurrenceOps();           // ImportRecurrence.cpp
llvm::ArrayRef<OpEntry> reductionOps();            // ImportReduction.cpp
llvm::ArrayRef<OpEntry> regionOps();               // ImportRegions.cpp
llvm::ArrayRef<OpEntry> resizeOps();               // ImportResize.cpp
llvm::ArrayRef<OpEntry> rotaryOps();               // ImportRotary.cpp
llvm::ArrayRef<OpEntry> samplingOps();             // ImportSampling.cpp
llvm::ArrayRef<OpEntry> scanOps();                 // ImportScan.cpp
llvm::ArrayRef<OpEntry> selectionOps();            // ImportSelection.cpp
llvm::ArrayRef<OpEntry> sequenceOps();             // ImportSequence.cpp
llvm::ArrayRef<OpEntry> shapeOps();                // ImportShape.cpp
llvm::ArrayRef<OpEntry> signalOps();               // ImportSignal.cpp
llvm::ArrayRef<OpEntry> sliceOps();                // ImportSlice.cpp
llvm::ArrayRef<OpEntry> stateOps();                // ImportState.cpp
llvm::ArrayRef<OpEntry> trainingOps();             // ImportTraining.cpp
llvm::ArrayRef<OpEntry> treeOps();                 // ImportTrees.cpp: ai.onnx.ml
llvm::ArrayRef<OpEntry> unaryOps();                // ImportUnary.cpp

// Domains other than ONNX's own.
inline constexpr llvm::StringLiteral kMlDomain = "ai.onnx.ml", kMicrosoftDomain = "com.microsoft";

/// Operator sets that are understood, both ends included.
struct OpsetRange {
  llvm::StringLiteral domain;
  int first, last;
};
llvm::ArrayRef<OpsetRange> opsetRanges();

/// The entry for an operator at a version of its domain; null if there is none.
const OpEntry *findOp(llvm::StringRef domain, llvm::StringRef name, int64_t opset);

/// Every entry, by domain, name and version.
std::vector<const OpEntry *> allOps();

/// The table of docs/howto/import-onnx.md.
std::string opTableMarkdown();

/// "" and "ai.onnx" are one domain.
inline llvm::StringRef canonicalDomain(llvm::StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

} // namespace kiln::onnx
#endif // KILN_ONNX_OPTABLE_H
