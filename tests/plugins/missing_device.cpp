// missing_device.cpp: registers nothing of what its manifest declares.
#include "kiln/Registrar.h"

static kiln::Status registerNothing(kiln::Registrar &registrar) { return registrar.status(); }
KILN_BACKEND(missing_device, "0.1.0", registerNothing)
