// MathReduction.h: arguments of the trigonometric functions brought into [-pi/4, pi/4].
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_MATHREDUCTION_H
#define KILN_BACKENDS_HOST_TRANSFORMS_MATHREDUCTION_H

#include "backends/host/Transforms/MathBuilder.h"

namespace kiln::host {

/// x = n pi/2 + high + low; `quadrant` is n's last bits (more than two), of type i64.
struct Reduction {
  Num high, low, quadrant;
};

/// Of an f64 of any size. Infinities and NaN give NaN.
Reduction reduceByHalfPi(Num x);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_MATHREDUCTION_H
