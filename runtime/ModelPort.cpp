// ModelPort.cpp: an extent that is a register in a program is dynamic to its user.
#include "runtime/ModelPort.h"

#include "kiln/kiln.h"
#include "runtime/DType.h"
#include "runtime/Error.h"

namespace kiln {

Result<std::vector<ModelPort>> decodePorts(const PortVector *ports) {
  std::vector<ModelPort> result;
  for (uint32_t i = 0; ports && i < ports->size(); ++i) {
    const schema::Port &port = *ports->Get(i);
    ModelPort &entry = result.emplace_back();
    entry.name = port.name()->str();
    entry.dtype = static_cast<KilnDType>(port.dtype());
    size_t rank = port.dims() ? port.dims()->size() : 0;
    if (rank > KILN_MAX_RANK || !isKnownDType(entry.dtype) ||
        (port.dim_names() && port.dim_names()->size() != rank))
      return dataLoss("port '{}': rank {}, element type {}, {} names of extents", entry.name, rank,
                      entry.dtype, port.dim_names() ? port.dim_names()->size() : 0);
    for (uint32_t axis = 0; axis < rank; ++axis) {
      const schema::Operand *dim = port.dims()->Get(axis);
      entry.dims.push_back(dim->is_register() ? -1 : dim->value());
      entry.dimNames.push_back(port.dim_names() ? port.dim_names()->Get(axis)->str() : std::string());
    }
  }
  return result;
}

std::vector<std::unique_ptr<schema::PortT>> encodePorts(const std::vector<ModelPort> &ports) {
  std::vector<std::unique_ptr<schema::PortT>> result;
  for (const ModelPort &port : ports) {
    auto entry = std::make_unique<schema::PortT>();
    entry->name = port.name;
    entry->dtype = static_cast<schema::DType>(port.dtype);
    for (int64_t dim : port.dims)
      entry->dims.emplace_back(dim < 0 ? 0 : dim, dim < 0);
    entry->dim_names = port.dimNames;
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace kiln
