// wrong_name.cpp: calls itself differently than its manifest does.
#include "kiln/Registrar.h"

static kiln::Status registerNothing(kiln::Registrar &registrar) { return registrar.status(); }
KILN_BACKEND(somebody_else, "0.1.0", registerNothing)
