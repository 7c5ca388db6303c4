// Sampling.h: elements around positions that are data, and their weights.
#ifndef KILN_ONNX_SAMPLING_H
#define KILN_ONNX_SAMPLING_H

#include "frameworks/onnx/Term.h"

namespace kiln::onnx {

enum class Interpolation { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// How positions become elements.
struct Sampling {
  Interpolation interpolation = Interpolation::Linear;
  Outside outside = Outside::Zeros;
  bool alignCorners = true;
};

/// The type that positions and weights are computed in.
mlir::Type computeType(Formula &f, mlir::Type element);

/// Places in images whose spatial axes are one, i64, and what counts there; both [b, p, t].
struct Taps {
  Term index, weight;
};

/// The elements around positions along each of `spatial`, [b, p].
Taps tapsAround(Formula &f, llvm::ArrayRef<Extent> spatial, llvm::ArrayRef<Term> positions,
                const Sampling &sampling, mlir::Type compute);

/// Taps of the images of a batch, [b, p, t], as those of all images one behind the other, of `places` each:
/// image i's are those of batch i.
Taps inWholeBatch(Formula &f, Taps taps, Extent places);

/// Images [b, c, d..] as rows of channels, one a place: [b * d.., c].
mlir::Value rowsOfChannels(Formula &f, mlir::Value images);

/// Rows at taps in them times weights, [b, p, t, c]. With `skipsZeros`, what weighs 0 counts as 0 even if it
/// is an infinity.
Term weighedRows(Formula &f, mlir::Value rows, Taps taps, bool skipsZeros);

/// Images [b, c, d..] at positions along each of `d..`, [b, p]: [b, c, p].
Term sample(Formula &f, mlir::Value images, llvm::ArrayRef<Term> positions, const Sampling &sampling);

/// Whether images with `channels` are better read by rows of them than plane by plane.
bool prefersRows(Extent channels);

} // namespace kiln::onnx
#endif // KILN_ONNX_SAMPLING_H
