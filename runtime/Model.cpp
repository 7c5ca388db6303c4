// Model.cpp: tells program files from models by their content; only the latter open the compiler.
#include "runtime/Model.h"

#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/ProgramCache.h"
#include "runtime/ReferenceLibrary.h"
#include "runtime/Sha256.h"
#include "runtime/cache/Explain.h"

#include "kiln/schema/Program_generated.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <unistd.h>

namespace kiln {

namespace {

constexpr std::string_view kProgramFormat = "program", kBundleFormat = "bundle";
constexpr size_t kHeadBytes = 64; // enough to recognise a program file

std::vector<uint8_t> readHead(const std::string &path) {
  std::vector<uint8_t> head(kHeadBytes);
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  head.resize(file ? std::fread(head.data(), 1, head.size(), file.get()) : 0);
  return head;
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

bool isBundle(const std::string &path, ByteSpan bytes, const Model::Options &options) {
  if (!options.format.empty())
    return options.format == kBundleFormat;
  return path.empty() ? PackFile::recognise(bytes) : PackFile::recognise(readHead(path));
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
  } else if (isBundle(path, bytes, options)) {
    if (!options.shapes.empty() || options.precision != KILN_DTYPE_INVALID)
      return invalidArgument(
          "model '{}': a bundle, with shapes or a precision to import it for; expected none", model->theName);
    KILN_RETURN_IF_ERROR(model->loadBundle(path));
  } else {
    model->path = path;
    model->bytes = {bytes, nullptr};
    model->options = options;
    KILN_RETURN_IF_ERROR(model->loadModel());
  }
  model->theImportNs = static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  return ModelRef(std::move(model));
}

Status Model::visitFunctions(Instance &instance, const std::string &path, const Options &options,
                             const std::function<void(std::string_view)> &visit) {
  KILN_RETURN_IF_ERROR(checkReadable(path));
  if (isBundle(path, {}, options)) {
    visit("main");
    return {};
  }
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
  KILN_ASSIGN_OR_RETURN(theInputs, decodePorts(program.inputs()));
  KILN_ASSIGN_OR_RETURN(theOutputs, decodePorts(program.outputs()));
  return {};
}

Status Model::loadBundle(const std::string &path) {
  if (path.empty())
    return unimplemented("model '{}': a bundle in memory; expected its file, which is mapped", theName);
  KILN_ASSIGN_OR_RETURN(theBundle, Bundle::open(path));
  theDigest = theBundle->model().digest;
  theInputs = theBundle->model().inputs;
  theOutputs = theBundle->model().outputs;
  return {};
}

// A declaration from the cache spares the import; without a compiler there are no keys to look it up by.
Status Model::loadModel() {
  theFunction = options.function;
  ModelCache cache(instance->cache());
  bool mayCache = instance->cache().settings().mode != CacheMode::Off && !instance->cache().layers().empty();
  Status readable = readContent();
  Result<RequestKey> key = !mayCache       ? Result<RequestKey>(unavailable("no cache"))
                           : readable.ok() ? cacheKey()
                                           : Result<RequestKey>(readable);
  std::optional<ModelDeclaration> known;
  if (key.ok())
    known = cache.find(*key, theName);
  if (!known && instance->cache().isRequired())
    return failedPrecondition(
        "model '{}': no cache has it, and KILN_CACHE=require; {}", theName,
        key.ok() ? explainMiss(instance->cache(), ModelCache::addressOf(*key), entryFields(*key))
                 : key.status().message());
  if (!known) {
    {
      std::scoped_lock lock(importing);
      KILN_RETURN_IF_ERROR(importNow());
    }
    bytes = {};
    KILN_ASSIGN_OR_RETURN(known, declaration());
    if (readable.ok() && !content.isUnchanged())
      readable = aborted("a file of it changed while it was imported");
    if (key.ok() && readable.ok())
      cache.insert(*key, theName, *known);
  } else if (path.empty()) {
    bytes = copyBytes(bytes.bytes);
  }
  theDigest = known->digest;
  if (!content.files.empty()) // what the compiler gives is of the model's file alone
    theDigest = Sha256::of(fmt::format("{} {}", theDigest, content.wholeDigest()));
  if (!readable.ok()) { // no program of another model or process is for it
    logInfo("cache", "model '{}': not kept: {}", theName, readable.message());
    theDigest = Sha256::of(fmt::format("{} {} {}", theDigest, ::getpid(), std::random_device{}()));
  }
  importedDigest = std::move(known->digest);
  theInputs = std::move(known->inputs);
  theOutputs = std::move(known->outputs);
  return {};
}

Status Model::readContent() {
  if (path.empty()) // then it can have no files beside it
    return {};
  KILN_ASSIGN_OR_RETURN(content, modelContent(instance->cache(), path));
  return {};
}

Result<RequestKey> Model::cacheKey() const {
  ModelRequest request;
  KILN_ASSIGN_OR_RETURN(request.compilerVersion, instance->compiler().identity());
  request.contentDigest = path.empty() ? Sha256::of(bytes.bytes) : content.wholeDigest();
  request.format = options.format;
  request.function = options.function;
  request.shapes = options.shapes;
  request.precision = options.precision;
  request.ending = std::filesystem::path(path.empty() ? theName : path).extension().string();
  return modelRequestKey(request);
}

Status Model::importNow() const {
  if (theImported)
    return {};
  auto start = std::chrono::steady_clock::now();
  KILN_ASSIGN_OR_RETURN(compiler, instance->compiler().get());
  FlatShapes shapes;
  for (const auto &[name, dims] : options.shapes) {
    shapes.names.push_back(toStr(name));
    shapes.add(dims);
  }
  KilnImportArgs args = importArgs(path, bytes.bytes, options, theName, shapes);
  KILN_RETURN_IF_ERROR(fromC(compiler->import_model(compiler->self, &args, &theImported)));
  theImportNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  return {};
}

Result<KilnImportedModel *> Model::imported() const {
  std::scoped_lock lock(importing);
  if (theImported)
    return theImported;
  KILN_RETURN_IF_ERROR(importNow());
  KILN_ASSIGN_OR_RETURN(ModelDeclaration now, declaration());
  if (now.digest == importedDigest && (content.files.empty() || content.isUnchanged()))
    return theImported;
  compiler->model_release(theImported);
  theImported = nullptr;
  return failedPrecondition("model '{}': its file has changed since it was loaded; load it again", theName);
}

Result<KilnImportedModel *> Model::importedFor(std::span<const std::vector<int64_t>> inputDims) const {
  KILN_ASSIGN_OR_RETURN(KilnImportedModel * any, imported());
  if (!compiler->model_for_shapes) // of a compiler that is older than the entry
    return any;
  FlatShapes shapes;
  for (const std::vector<int64_t> &dims : inputDims)
    shapes.add(dims);
  KilnImportedModel *found = nullptr;
  KILN_RETURN_IF_ERROR(fromC(compiler->model_for_shapes(compiler->self, any, shapes.dims.data(),
                                                        shapes.ranks.data(), shapes.ranks.size(), &found)));
  return found;
}

Result<ModelDeclaration> Model::declaration() const {
  ModelDeclaration result;
  result.digest = toView(compiler->model_digest(theImported));
  KILN_ASSIGN_OR_RETURN(result.inputs, readPorts(false));
  KILN_ASSIGN_OR_RETURN(result.outputs, readPorts(true));
  return result;
}

Result<std::vector<ModelPort>> Model::readPorts(bool isOutput) const {
  std::vector<ModelPort> ports;
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
  return ports;
}

Result<OwnedBytes> Model::weight(std::string_view digest,
                                 std::span<const std::vector<int64_t>> inputDims) const {
  if (theFile) {
    const auto *constants = theFile->program().constants();
    for (uint32_t i = 0; constants && i < constants->size(); ++i)
      if (constants->Get(i)->digest()->string_view() == digest)
        return OwnedBytes{theFile->constantBytes(i), theFile};
    return notFound("model '{}': no weight {}", theName, digest);
  }
  if (theBundle)
    return theBundle->weight(digest);
  bool isImported = [&] {
    std::scoped_lock lock(importing);
    return theImported != nullptr;
  }();
  if (!isImported) {
    if (OwnedBytes cached = ProgramCache(instance->cache()).findWeight(digest); cached.owner)
      return cached;
    KILN_RETURN_IF_ERROR(importedFor(inputDims).status());
  }
  KilnWeight weight = {};
  Status status = fromC(compiler->model_weight(theImported, toStr(digest), &weight));
  if (status.code() == Code::NotFound) { // of an import for these shapes alone
    KILN_RETURN_IF_ERROR(importedFor(inputDims).status());
    status = fromC(compiler->model_weight(theImported, toStr(digest), &weight));
  }
  KILN_RETURN_IF_ERROR(status);
  return OwnedBytes{{static_cast<const uint8_t *>(weight.data), weight.bytes}, nullptr};
}

Result<std::string_view> Model::test() const {
  if (theFile || theBundle)
    return std::string_view();
  KILN_RETURN_IF_ERROR(imported().status());
  KILN_ASSIGN_OR_RETURN(const KilnReferenceTable *table, referenceTable(*compiler));
  return toView(table->model_test(theImported));
}

Status Model::reference(std::span<const KilnTensor *const> inputs,
                        const std::function<void(const KilnReferenceResult &)> &visit) const {
  if (theFile || theBundle)
    return failedPrecondition("model '{}': a program file has no ops to evaluate; expected a model", theName);
  KILN_RETURN_IF_ERROR(imported().status());
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
