// ModelPort.h: one input or output as a model declares it, and its form in flatbuffers.
#ifndef KILN_RUNTIME_MODELPORT_H
#define KILN_RUNTIME_MODELPORT_H

#include "kiln/Status.h"

#include "kiln/schema/Program_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln {

struct ModelPort {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims;         // -1: dynamic
  std::vector<std::string> dimNames; // as many as dims
};

using PortVector = flatbuffers::Vector<flatbuffers::Offset<schema::Port>>;
/// Of a well-formed buffer; null gives none. DataLoss: more than KILN_MAX_RANK axes, an unknown element type,
/// names that do not fit the axes.
Result<std::vector<ModelPort>> decodePorts(const PortVector *ports);
std::vector<std::unique_ptr<schema::PortT>> encodePorts(const std::vector<ModelPort> &ports);

} // namespace kiln
#endif // KILN_RUNTIME_MODELPORT_H
