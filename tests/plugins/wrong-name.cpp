// wrong-name.cpp: calls itself differently than its manifest does.
#include "kiln/Registrar.h"

static kiln::Status registerNothing(kiln::Registrar &registrar) { return registrar.status(); }
KILN_BACKEND(somebody - else, "0.1.0", registerNothing)
