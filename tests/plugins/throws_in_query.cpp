// throws_in_query.cpp: lets an exception out of the query function.
#include "kiln/backend.h"

#include <stdexcept>

KilnStatus kiln_backend_query_v1(const KilnHost *, KilnBackend *) {
  throw std::runtime_error("boom in query");
}
