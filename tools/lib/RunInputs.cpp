// RunInputs.cpp: flags to tensors, tensors to the C API's views.
#include "tools/lib/RunInputs.h"

#include "tools/lib/Npy.h"
#include "tools/lib/TensorText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ostream>

namespace kiln::tools {

Result<std::vector<HostTensor>> collectInputs(const ParsedFlags &flags, KilnModel *model, std::ostream &err) {
  std::vector<HostTensor> tensors;
  if (flags.given("inputs")) {
    KILN_ASSIGN_OR_RETURN(tensors, readNpz(flags.text("inputs")));
  }
  for (const std::string &text : flags.all("input")) {
    KILN_ASSIGN_OR_RETURN(HostTensor tensor, parseTensorText(text, flags.count("seed")));
    // A single input overrides the file's of the same name.
    std::erase_if(tensors,
                  [&](const HostTensor &other) { return !tensor.name.empty() && other.name == tensor.name; });
    tensors.push_back(std::move(tensor));
  }
  if (!tensors.empty() || flags.given("inputs") || flags.given("input"))
    return tensors;
  for (size_t i = 0, n = kiln_model_input_count(model); i < n; ++i) {
    auto port = sized<KilnPortInfo>();
    KILN_RETURN_IF_ERROR(take(kiln_model_input(model, i, &port)));
    std::vector<int64_t> dims(port.dims, port.dims + port.rank);
    for (int64_t &extent : dims)
      extent = extent < 0 ? 1 : extent;
    KILN_ASSIGN_OR_RETURN(HostTensor tensor,
                          makeTensor(std::string(toView(port.name)), port.dtype, std::move(dims)));
    fillRandom(tensor, flags.count("seed"));
    err << fmt::format("jit-run: note: input '{}': random {}; give --input or --inputs for your own\n",
                       tensor.name, tensor.shapeText());
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<KilnTensor> viewTensors(std::vector<HostTensor> &tensors) {
  std::vector<KilnTensor> views;
  for (HostTensor &tensor : tensors) {
    auto view = sized<KilnTensor>();
    view.name = toStr(tensor.name);
    view.dtype = tensor.dtype;
    view.rank = static_cast<uint32_t>(std::min<size_t>(tensor.dims.size(), KILN_MAX_RANK));
    std::copy_n(tensor.dims.begin(), view.rank, view.dims);
    view.data = tensor.bytes.data();
    view.data_bytes = tensor.bytes.size();
    views.push_back(view);
  }
  return views;
}

HostTensor copyTensor(const KilnTensor &tensor) {
  HostTensor copy{
      std::string(toView(tensor.name)), tensor.dtype, {tensor.dims, tensor.dims + tensor.rank}, {}};
  copy.bytes.resize(tensor.data_bytes);
  if (tensor.data_bytes)
    std::memcpy(copy.bytes.data(), tensor.data, tensor.data_bytes);
  return copy;
}

} // namespace kiln::tools
