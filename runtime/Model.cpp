// Model.cpp: tells program files from models by their content; only the latter open the compiler.
#include "runtime/Model.h"

#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/ReferenceLibrary.h"

#include "kiln/schema/Program_generated.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace kiln {

namespace {

constexpr std::string_view kProgramFormat = "program";
constexpr size_t kHeadBytes = 64; // enough to recognise a program file

std::vector<uint8_t> readHead(const std::string &path) {
  std::vector<uint8_t> head(kHeadBytes);
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  head.resize(file ? std::fread(head.data(), 1, head.size(), file.get()) : 0);
  return head;
}

ModelPort fromPort(const schema::Port &port) {
  ModelPort result;
  result.name = port.name()->str();
  result.dtype = static_cast<KilnDType>(port.dtype());
  for (uint32_t i = 0; port.dims() && i < port.dims()->size(); ++i) {
    const schema::Operand *dim = port.dims()->Get(i);
    result.dims.push_back(dim->is_register() ? -1 : dim->value());
    result.dimNames.push_back(port.dim_names() ? port.dim_names()->Get(i)->str() : std::string());
  }
  return result;
}

std::vector<ModelPort> fromPorts(const flatbuffers::Vector<flatbuffers::Offset<schema::Port>> *ports) {
  std::vector<ModelPort> result;
  for (uint32_t i = 0; ports && i < ports->size(); ++i)
    result.push_back(fromPort(*ports->Get(i)));
  return result;
}

/// Shapes as the compiler's table takes them; borrowed by what is called with them.
struct FlatShapes {
  std::vector<KilnStr> names;
  std::vector<int64_t> dims;
  std::vector<uint32_t> ranks;

  void add(std::span<const int64_t> shape) {
    dims.insert(dims.end(), shape.begin(), shape.end());
    ranks.push_back(static_cast<uint32_t>(shape.size()));
  }
};

/// Borrows everything that it is given.
KilnImportArgs importArgs(const std::string &path, ByteSpan bytes, const Model::Options &options,
                          const std::string &name, const FlatShapes &shapes) {
  KilnImportArgs args = {};
  args.struct_size = sizeof(args);
  args.format = toStr(options.format);
  args.path = toStr(path);
  args.name = toStr(name);
  args.data = bytes.data();
  args.bytes = bytes.size();
  args.function = toStr(options.function);
  args.input_names = shapes.names.data();
  args.dims = shapes.dims.data();
  args.ranks = shapes.ranks.data();
  args.input_count = shapes.names.size();
  args.precision = options.precision;
  return args;
}

bool isProgram(const std::string &path, ByteSpan bytes, const Model::Options &options) {
  if (!options.format.empty())
    return options.format == kProgramFormat;
  return path.empty() ? ProgramFile::recognise(bytes) : ProgramFile::recognise(readHead(path));
}

std::string nameOf(const std::string &path, const Model::Options &options) {
  if (!options.name.empty())
    return options.name;
  return path.empty() ? "model in memory" : std::filesystem::path(path).filename().string();
}

Status checkReadable(const std::string &path) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return notFound("model '{}': no such file", path);
  if (std::filesystem::is_directory(status))
    return invalidArgument("model '{}': is a directory; expected a file", path);
  if (!std::filesystem::is_regular_file(status)) // a device may have no end, a pipe no beginning
    return invalidArgument("model '{}': a device, pipe or socket; expected a regular file", path);
  return {};
}

} // namespace

std::string shapeText(std::span<const int64_t> dims) {
  if (dims.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : dims)
    text += fmt::format("{}{}", text.empty() ? "" : "x", dim < 0 ? std::string("?") : fmt::to_string(dim));
  return text;
}

Result<ModelRef> Model::load(std::shared_ptr<Instance> instance, const std::string &path, ByteSpan bytes,
                             const Options &options) {
  if (!path.empty())
    KILN_RETURN_IF_ERROR(checkReadable(path));
  auto model = std::shared_ptr<Model>(new Model(std::move(instance)));
  model->theName = nameOf(path, options);
  auto start = std::chrono::steady_clock::now();
  if (isProgram(path, bytes, options)) {
    if (!options.shapes.empty())
      return invalidArgument("model '{}': a program file, with input shapes to import it for; expected none",
                             model->theName);
    if (options.precision != KILN_DTYPE_INVALID)
      return invalidArgument("model '{}': a program file, with precision {} to import it in; expected none",
                             model->theName, dtypeName(options.precision));
    KILN_RETURN_IF_ERROR(model->loadProgram(path, bytes));
  } else
    KILN_RETURN_IF_ERROR(model->import(path, bytes, options));
  model->theImportNs = static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  return ModelRef(std::move(model));
}

Status Model::visitFunctions(Instance &instance, const std::string &path, const Options &options,
                             const std::function<void(std::string_view)> &visit) {
  KILN_RETURN_IF_ERROR(checkReadable(path));
  if (isProgram(path, {}, options)) {
    KILN_ASSIGN_OR_RETURN(ProgramFileRef file, ProgramFile::open(path));
    visit(file->program().function() ? file->program().function()->str() : "main");
    return {};
  }
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance.compiler().get());
  std::string name = nameOf(path, options);
  KilnImportArgs args = importArgs(path, {}, options, name, {});
  auto call = [](void *arg, KilnStr function) {
    (*static_cast<const std::function<void(std::string_view)> *>(arg))(toView(function));
  };
  return fromC(compiler->visit_functions(compiler->self, &args, call,
                                         const_cast<void *>(static_cast<const void *>(&visit))));
}

Model::~Model() {
  if (theImported)
    compiler->model_release(theImported);
}

Status Model::loadProgram(const std::string &path, ByteSpan bytes) {
  if (path.empty()) {
    KILN_ASSIGN_OR_RETURN(theFile, ProgramFile::fromBytes(bytes, theName));
  } else {
    KILN_ASSIGN_OR_RETURN(theFile, ProgramFile::open(path));
  }
  const schema::Program &program = theFile->program();
  theDigest = theFile->digest();
  theFunction = program.function() ? program.function()->str() : std::string();
  theInputs = fromPorts(program.inputs());
  theOutputs = fromPorts(program.outputs());
  return {};
}

Status Model::import(const std::string &path, ByteSpan bytes, const Options &options) {
  KILN_ASSIGN_OR_RETURN(compiler, instance->compiler().get());
  FlatShapes shapes;
  for (const auto &[name, dims] : options.shapes) {
    shapes.names.push_back(toStr(name));
    shapes.add(dims);
  }
  KilnImportArgs args = importArgs(path, bytes, options, theName, shapes);
  KILN_RETURN_IF_ERROR(fromC(compiler->import_model(compiler->self, &args, &theImported)));
  theDigest = toView(compiler->model_digest(theImported));
  theFunction = options.function;
  KILN_RETURN_IF_ERROR(readPorts(false, theInputs));
  return readPorts(true, theOutputs);
}

Result<KilnImportedModel *> Model::importedFor(std::span<const std::vector<int64_t>> inputDims) const {
  if (!compiler->model_for_shapes) // of a compiler that is older than the entry
    return theImported;
  FlatShapes shapes;
  for (const std::vector<int64_t> &dims : inputDims)
    shapes.add(dims);
  KilnImportedModel *found = nullptr;
  KILN_RETURN_IF_ERROR(fromC(compiler->model_for_shapes(compiler->self, theImported, shapes.dims.data(),
                                                        shapes.ranks.data(), shapes.ranks.size(), &found)));
  return found;
}

Status Model::readPorts(bool isOutput, std::vector<ModelPort> &ports) {
  for (size_t i = 0, count = compiler->model_port_count(theImported, isOutput); i < count; ++i) {
    KilnModelPort port = {};
    KILN_RETURN_IF_ERROR(fromC(compiler->model_port(theImported, isOutput, i, &port)));
    if (port.rank > KILN_COMPILER_MAX_RANK)
      return internalError("model '{}': the compiler gave a port of rank {}", theName, port.rank);
    ModelPort &result = ports.emplace_back();
    result.name = toView(port.name);
    result.dtype = port.dtype;
    result.dims.assign(port.dims, port.dims + port.rank);
    for (uint32_t d = 0; d < port.rank; ++d)
      result.dimNames.emplace_back(toView(port.dim_names[d]));
  }
  return {};
}

Result<ByteSpan> Model::weight(std::string_view digest) const {
  if (theFile) {
    const auto *constants = theFile->program().constants();
    for (uint32_t i = 0; constants && i < constants->size(); ++i)
      if (constants->Get(i)->digest()->string_view() == digest)
        return theFile->constantBytes(i);
    return notFound("model '{}': no weight {}", theName, digest);
  }
  KilnWeight weight = {};
  KILN_RETURN_IF_ERROR(fromC(compiler->model_weight(theImported, toStr(digest), &weight)));
  return ByteSpan(static_cast<const uint8_t *>(weight.data), weight.bytes);
}

Result<std::string_view> Model::test() const {
  if (!theImported)
    return std::string_view();
  KILN_ASSIGN_OR_RETURN(const KilnReferenceTable *table, referenceTable(*compiler));
  return toView(table->model_test(theImported));
}

Status Model::reference(std::span<const KilnTensor *const> inputs,
                        const std::function<void(const KilnReferenceResult &)> &visit) const {
  if (!theImported)
    return failedPrecondition("model '{}': a program file has no ops to evaluate; expected a model", theName);
  KILN_ASSIGN_OR_RETURN(const KilnReferenceTable *table, referenceTable(*compiler));
  std::vector<std::vector<int64_t>> dims;
  FlatShapes shapes;
  std::vector<const void *> data;
  for (const KilnTensor *tensor : inputs) {
    if (!tensor->data && tensor->data_bytes > 0)
      return invalidArgument("input '{}': in device memory; the reference reads host memory",
                             toView(tensor->name));
    dims.emplace_back(tensor->dims, tensor->dims + tensor->rank);
    shapes.add(dims.back());
    data.push_back(tensor->data);
  }
  KILN_ASSIGN_OR_RETURN(KilnImportedModel * imported, importedFor(dims));
  KilnReferenceArgs args = {sizeof(args), shapes.dims.data(), shapes.ranks.data(), data.data(),
                            inputs.size()};
  auto call = [](void *arg, const KilnReferenceResult *result) {
    (*static_cast<const std::function<void(const KilnReferenceResult &)> *>(arg))(*result);
  };
  return fromC(table->evaluate(imported, &args, call, const_cast<void *>(static_cast<const void *>(&visit))));
}

} // namespace kiln
