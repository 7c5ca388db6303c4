// RunCases.cpp: flags and files to tensors, tensors to the C API's views.
#include "tools/lib/RunCases.h"

#include "tools/lib/Npy.h"
#include "tools/lib/TensorProto.h"
#include "tools/lib/TensorText.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>

namespace kiln::tools {
namespace {

namespace fs = std::filesystem;

/// K of PREFIX_K + ending; nothing if the name is another.
std::optional<size_t> numberOf(std::string_view name, std::string_view prefix, std::string_view ending) {
  if (!name.starts_with(prefix) || !name.ends_with(ending) || name.size() <= prefix.size() + ending.size())
    return std::nullopt;
  std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
  size_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

/// The entries of a folder that are called PREFIX_K + ending, by K.
std::map<size_t, std::string> numbered(const std::string &folder, std::string_view prefix,
                                       std::string_view ending) {
  std::map<size_t, std::string> result;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (auto number = numberOf(entry.path().filename().string(), prefix, ending))
      result[*number] = entry.path().string();
  return result;
}

/// What --inputs and --input give; a single input overrides the file's of the same name.
Result<std::vector<HostTensor>> givenInputs(const ParsedFlags &flags, KilnModel *model) {
  std::vector<HostTensor> tensors;
  if (flags.given("inputs")) {
    KILN_ASSIGN_OR_RETURN(tensors, readTensors(flags.text("inputs"), "input"));
    if (tensors.empty() && kiln_model_input_count(model) > 0)
      return Status(Code::InvalidArgument,
                    fmt::format("'{}': no input_0.pb; expected inputs", flags.text("inputs")));
  }
  for (const std::string &text : flags.all("input")) {
    KILN_ASSIGN_OR_RETURN(HostTensor tensor, parseTensorText(text, flags.count("seed")));
    std::erase_if(tensors,
                  [&](const HostTensor &other) { return !tensor.name.empty() && other.name == tensor.name; });
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<HostTensor> randomInput(const ParsedFlags &flags, const ShapeFlags &shapes, const KilnPortInfo &port,
                               size_t run) {
  KILN_ASSIGN_OR_RETURN(std::vector<int64_t> dims, shapes.dims(port, run));
  KILN_ASSIGN_OR_RETURN(HostTensor tensor,
                        makeTensor(std::string(toView(port.name)), port.dtype, std::move(dims)));
  fillRandom(tensor, flags.count("seed"));
  return tensor;
}

} // namespace

Result<ModelOperand> resolveModelOperand(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return ModelOperand{path, {}}; // what is no file is kiln_model_load_file's to say
  ModelOperand operand{(fs::path(path) / "model.onnx").string(), {}};
  if (!fs::is_regular_file(operand.file, error))
    return Status(
        Code::NotFound,
        fmt::format(
            "'{}': a folder without model.onnx; expected a model file, or an ONNX test case: model.onnx "
            "and test_data_set_N/input_K.pb, output_K.pb",
            path));
  for (const auto &[number, folder] : numbered(path, "test_data_set_", ""))
    operand.dataSets.push_back(folder);
  return operand;
}

Result<std::vector<HostTensor>> readTensors(const std::string &path, const std::string &prefix) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> tensors, readNpz(path));
    if (tensors.empty())
      return Status(Code::InvalidArgument,
                    fmt::format("'{}': no arrays; expected {}s by name", path, prefix));
    return tensors;
  }
  std::vector<HostTensor> tensors;
  for (const auto &[number, file] : numbered(path, prefix + "_", ".pb")) {
    if (number != tensors.size())
      return Status(Code::InvalidArgument,
                    fmt::format("'{}': {}_{}.pb is missing", path, prefix, tensors.size()));
    KILN_ASSIGN_OR_RETURN(HostTensor tensor, readTensorProto(file));
    tensor.name.clear();
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<std::vector<RunCase>> collectCases(const ParsedFlags &flags, const ShapeFlags &shapes,
                                          const ModelOperand &operand, KilnModel *model, std::ostream &err) {
  std::vector<RunCase> cases;
  for (const std::string &folder : operand.dataSets) {
    RunCase &one = cases.emplace_back();
    one.label = fs::path(folder).filename().string();
    KILN_ASSIGN_OR_RETURN(one.inputs, readTensors(folder, "input"));
    KILN_ASSIGN_OR_RETURN(one.expected, readTensors(folder, "output"));
    if (one.expected.empty())
      return Status(Code::InvalidArgument,
                    fmt::format("'{}': no output_0.pb; expected what the model should give", folder));
  }
  if (!cases.empty())
    return cases;
  KILN_RETURN_IF_ERROR(shapes.checkNames(model));
  KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> given, givenInputs(flags, model));
  std::vector<HostTensor> expected;
  if (flags.given("expect")) {
    KILN_ASSIGN_OR_RETURN(expected, readTensors(flags.text("expect"), "output"));
    if (expected.empty())
      return Status(Code::InvalidArgument,
                    fmt::format("'{}': no output_0.pb; expected outputs", flags.text("expect")));
  }
  for (size_t run = 0; run < shapes.runCount(); ++run) {
    RunCase one{"", given, expected};
    for (size_t i = 0, n = kiln_model_input_count(model); i < n; ++i) {
      auto port = sized<KilnPortInfo>();
      KILN_RETURN_IF_ERROR(take(kiln_model_input(model, i, &port)));
      std::string name(toView(port.name));
      auto has = [&](const HostTensor &tensor) { return tensor.name == name; };
      bool isGiven = std::any_of(given.begin(), given.end(), has);
      if (isGiven && shapes.names(name))
        return Status(
            Code::InvalidArgument,
            fmt::format("--shape: input '{}' is given by --input or --inputs; expected one of them", name));
      if (isGiven || (!given.empty() && !shapes.names(name)))
        continue; // a missing one is kiln_session_run's to say
      KILN_ASSIGN_OR_RETURN(HostTensor tensor, randomInput(flags, shapes, port, run));
      if (shapes.runCount() > 1)
        one.label += fmt::format("{}{}={}", one.label.empty() ? "" : " ", name, tensor.shapeText());
      else
        err << fmt::format("jit-run: note: input '{}': random {}; give --input or --inputs for your own\n",
                           name, tensor.shapeText());
      one.inputs.push_back(std::move(tensor));
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<KilnTensor> viewTensors(std::vector<HostTensor> &tensors) {
  std::vector<KilnTensor> views;
  for (HostTensor &tensor : tensors) {
    auto view = sized<KilnTensor>();
    view.name = toStr(tensor.name);
    view.dtype = tensor.dtype;
    view.rank = static_cast<uint32_t>(tensor.dims.size());
    std::copy(tensor.dims.begin(), tensor.dims.end(), view.dims);
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
