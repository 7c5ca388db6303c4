// ImportService.cpp: reads the file, picks the importer by format, content or ending, checks what it returns.
#include "jit/ImportService.h"

#include "jit/BackendTiers.h"
#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "jit/MlirImporter.h"
#include "jit/StorageType.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
const char *const kMlirEndings[] = {".mlir", ".mlirbc", nullptr};
const ImporterInfo kMlirImporter = {sizeof(ImporterInfo), "mlir", kMlirEndings, recogniseMlir, importMlir};

/// The folder that libkiln_compiler.so lies in.
std::string libraryFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&libraryFolder), &info) || !info.dli_fname)
    return ".";
  return llvm::sys::path::parent_path(info.dli_fname).str();
}

Result<const ImporterInfo *> loadImporter(StringRef format, const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return failedPrecondition(dlerror());
  auto query = reinterpret_cast<ImporterQueryFn>(dlsym(library, KILN_IMPORTER_QUERY_SYMBOL));
  if (!query)
    return failedPrecondition("has no symbol " KILN_IMPORTER_QUERY_SYMBOL);
  const ImporterInfo *info = query();
  if (!info)
    return failedPrecondition(KILN_IMPORTER_QUERY_SYMBOL " returned nothing");
  if (info->structSize < sizeof(ImporterInfo))
    return failedPrecondition("its ImporterInfo has " + Twine(info->structSize) + " bytes; expected " +
                              Twine(sizeof(ImporterInfo)));
  if (!info->format || info->format != format)
    return failedPrecondition("its format is '" + Twine(info->format ? info->format : "") + "'; expected '" +
                              format + "'");
  if (!info->endings || !info->import)
    return failedPrecondition(Twine("fills in no ") + (info->import ? "endings" : "import function"));
  return info;
}

/// The caller's arguments as this library knows them: zeroed where the caller's struct is shorter.
KilnImportArgs known(const KilnImportArgs &given) {
  KilnImportArgs args = {};
  std::memcpy(&args, &given, std::min(given.struct_size, sizeof(args)));
  return args;
}

std::vector<InputShape> shapesOf(const KilnImportArgs &args) {
  std::vector<InputShape> shapes;
  const int64_t *dims = args.dims;
  for (size_t i = 0; i < args.input_count; ++i) {
    shapes.push_back({std::string(toView(args.input_names[i])), {dims, dims + args.ranks[i]}});
    dims += args.ranks[i];
  }
  return shapes;
}

Result<ImportRequest> readModel(const KilnImportArgs &args) {
  ImportRequest request;
  request.path = std::string(toView(args.path));
  request.name =
      args.name.size ? std::string(toView(args.name)) : llvm::sys::path::filename(request.path).str();
  request.function = std::string(toView(args.function));
  request.shapes = shapesOf(args);
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (args.data || request.path.empty()) {
    buffer =
        llvm::MemoryBuffer::getMemBufferCopy(StringRef(static_cast<const char *>(args.data), args.bytes));
  } else {
    auto file = llvm::MemoryBuffer::getFile(request.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return makeError(file.getError() == std::errc::no_such_file_or_directory ? Code::NotFound
                                                                               : Code::InvalidArgument,
                       "'" + request.path + "': " + file.getError().message());
    buffer = std::move(*file);
  }
  request.bytes = {buffer->getBufferStart(), buffer->getBufferSize()};
  request.owner = std::shared_ptr<const llvm::MemoryBuffer>(std::move(buffer));
  return request;
}

ModelPort portOf(Type type, DictionaryAttr attributes, StringRef fallback, size_t index) {
  ModelPort port;
  auto tensor = cast<RankedTensorType>(type);
  port.dtype = elementDType(tensor.getElementType());
  auto name = attributes ? attributes.getAs<StringAttr>("kiln.name") : StringAttr();
  port.name = name ? name.str() : (fallback + Twine(index)).str();
  auto dimNames = attributes ? attributes.getAs<ArrayAttr>("kiln.dim_names") : ArrayAttr();
  for (auto [i, dim] : llvm::enumerate(tensor.getShape())) {
    port.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    auto dimName = dimNames && i < dimNames.size() ? dyn_cast<StringAttr>(dimNames[i]) : StringAttr();
    // Some exporters call every unknown extent "?": no name, and no two are said to be equal.
    port.dimNames.push_back(dimName && dimName.getValue() != "?" ? dimName.str() : std::string());
  }
  return port;
}

/// Of the content and, where the model is imported for shapes or in another precision, those.
std::string digestOf(const ImportRequest &request, KilnDType precision) {
  std::string digest = sha256Hex(StringRef(request.bytes.data(), request.bytes.size()));
  for (const InputShape &shape : request.shapes) {
    digest += "\n" + std::to_string(shape.name.size()) + " " + shape.name + " =";
    for (int64_t dim : shape.dims)
      digest += " " + std::to_string(dim);
  }
  if (precision != KILN_DTYPE_INVALID)
    digest += "\nprecision " + std::to_string(precision);
  return request.shapes.empty() && precision == KILN_DTYPE_INVALID ? digest : sha256Hex(digest);
}

Status checkPortType(Type type, const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || elementDType(tensor.getElementType()) == KILN_DTYPE_INVALID ||
      tensor.getRank() > KILN_COMPILER_MAX_RANK) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return invalidArgument(what + ": type " + text + "; expected a ranked tensor of at most " +
                           Twine(KILN_COMPILER_MAX_RANK) +
                           " axes of f16, bf16, f32, f64, i1, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, "
                           "ui64, f8E4M3FN or f8E5M2");
  }
  return {};
}

bool isProgramOp(Operation *op) {
  return isa<KilnDialect, arith::ArithDialect, scf::SCFDialect>(op->getDialect()) ||
         isa<cf::AssertOp, func::ReturnOp, tensor::CastOp, tensor::DimOp, tensor::EmptyOp, tensor::ExtractOp,
             tensor::InsertSliceOp>(op);
}

Status checkFunction(func::FuncOp main, StringRef name) {
  const std::string function = withName(name, locationText(main.getLoc()));
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    KILN_RETURN_IF_ERROR(checkPortType(
        type, (main.isExternal() ? function : withName(name, locationText(main.getArgument(i).getLoc()))) +
                  ": argument " + Twine(i)));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    KILN_RETURN_IF_ERROR(checkPortType(type, function + ": result " + Twine(i)));
  Status status;
  main.getBody().walk([&](Operation *op) {
    if (isProgramOp(op))
      return WalkResult::advance();
    status = makeError(Code::InvalidArgument,
                       withName(name, locationText(op->getLoc())) + ": op '" + op->getName().getStringRef() +
                           "'; expected kiln ops, scf control flow and index arithmetic");
    return WalkResult::interrupt();
  });
  return status;
}

/// What checks compare becomes outputs of the model, unless it is returned already.
Status exposeChecks(func::FuncOp main) {
  auto returnOp = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  Builder builder(main.getContext());
  unsigned count = 0;
  auto output = [&](Value value, const std::string &name) -> int64_t {
    auto known = llvm::find(returnOp.getOperands(), value);
    int64_t index = known - returnOp.getOperands().begin();
    if (known != returnOp.getOperands().end())
      return index;
    returnOp.getOperandsMutable().append(value);
    main.insertResult(
        index, value.getType(),
        builder.getDictionaryAttr(builder.getNamedAttr("kiln.name", builder.getStringAttr(name))));
    return index;
  };
  SmallVector<Operation *> checks;
  main.walk([&](Operation *op) {
    if (isa<CheckCloseOp, CheckEqualOp>(op))
      checks.push_back(op);
  });
  for (Operation *check : checks) {
    if (check->getBlock() != returnOp->getBlock())
      return unimplemented(locationText(check->getLoc()) +
                           ": a check inside control flow; checks compare results");
    std::string name = "check" + std::to_string(count++);
    int64_t got = output(check->getOperand(0), name + ".got"),
            want = output(check->getOperand(1), name + ".want");
    check->setAttr(kCheckOutputsAttr, builder.getDenseI64ArrayAttr({got, want}));
  }
  return {};
}

/// `isWritten`: as IR, by hand; what is wrong with it is no bug of an importer.
Status finishModel(Model &model, bool isWritten) {
  auto main = model.module->lookupSymbol<func::FuncOp>("main");
  if (!main)
    return internalError(model.name + ": the importer made no function @main");
  {
    DiagnosticCollector diagnostics(*model.context);
    if (failed(verify(*model.module)))
      return isWritten ? diagnostics.toStatus(Code::InvalidArgument, model.name)
                       : diagnostics.toStatus(Code::Internal, model.name + ": the importer made invalid IR");
  }
  KILN_RETURN_IF_ERROR(checkFunction(main, model.name));
  if (!main.isExternal())
    KILN_RETURN_IF_ERROR(exposeChecks(main));
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    model.inputs.push_back(portOf(type, main.getArgAttrDict(i), "input", i));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    model.outputs.push_back(portOf(type, main.getResultAttrDict(i), "output", i));
  return {};
}
} // namespace

ImportService::ImportService(const KilnCompilerHost &host, const PipelineRegistry &registry,
                             std::string folder)
    : host(host), registry(registry), folder(folder.empty() ? libraryFolder() : std::move(folder)) {}

Result<const ImporterInfo *> ImportService::importer(StringRef format) {
  if (format == "mlir")
    return &kMlirImporter;
  if (format.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != StringRef::npos)
    return invalidArgument("unknown format '" + format + "'; expected a name such as 'mlir' or 'onnx'");
  std::lock_guard lock(mutex);
  auto it = importers.find(std::string_view(format));
  if (it != importers.end())
    return it->second;
  std::string path = (folder + "/libkiln_" + format + ".so").str();
  if (!llvm::sys::fs::exists(path))
    return makeError(Code::NotFound, "unknown format '" + format + "'; no importer '" + path + "'");
  // Before dlopen, which runs constructors and may bring in a second LLVM.
  Status fits = Status::fromC(*host.host, host.check_library(host.self, toStr(path)));
  Result<const ImporterInfo *> info =
      fits.ok() ? open(format, path) : makeError(fits.code(), "importer '" + format + "': " + fits.message());
  if (info.status().code() != Code::NotFound) // a library that is no importer is not opened
    importers.emplace(format.str(), info);
  return info;
}

Result<const ImporterInfo *> ImportService::open(StringRef format, const std::string &path) {
  Result<const ImporterInfo *> info = nullptr;
  Status status = BackendTiers::run(host, format, "importer", [&] { // constructors may throw
    info = loadImporter(format, path);
    return info.status().toC(*host.host);
  });
  if (!status.ok())
    return makeError(status.code(), "importer '" + path + "': " + status.message());
  return info;
}

Result<const ImporterInfo *> ImportService::recognise(const ImportRequest &request) {
  if (recogniseMlir(request.bytes))
    return &kMlirImporter;
  StringRef ending = llvm::sys::path::extension(request.path.empty() ? request.name : request.path);
  auto takes = [&](const ImporterInfo &info) {
    if (info.recognise)
      return info.recognise(request.bytes);
    const char *const *it = info.endings;
    while (*it && ending != *it)
      ++it;
    return *it != nullptr;
  };
  std::vector<std::string> formats{"bundle", "mlir", "program"}; // the runtime itself reads two of them
  std::string unfit;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error)) {
    StringRef stem = llvm::sys::path::filename(it->path());
    if (!stem.consume_front("libkiln_") || !stem.consume_back(".so"))
      continue;
    auto info = importer(stem);
    if (!info.ok() && info.status().code() != Code::NotFound) // that is a library which is no importer
      unfit += "; " + info.status().message();
    if (!info.ok())
      continue;
    formats.push_back((*info)->format);
    if (takes(**info))
      return *info;
  }
  llvm::sort(formats);
  return invalidArgument(request.name + ": not a model of a known format; known formats are " +
                         llvm::join(formats, ", ") + unfit);
}

Result<const ImporterInfo *> ImportService::find(const KilnImportArgs &args, const ImportRequest &request) {
  if (args.format.size)
    return importer(toView(args.format));
  if (recogniseMlir(request.bytes))
    return &kMlirImporter;
  // By ending before opening every importer for a look at the content.
  StringRef ending = llvm::sys::path::extension(request.path.empty() ? request.name : request.path);
  if (ending == ".mlir" || ending == ".mlirbc")
    return &kMlirImporter;
  if (ending.size() > 1)
    if (auto info = importer(ending.drop_front()); info.ok())
      return info;
  return recognise(request);
}

Result<std::unique_ptr<KilnImportedModel>> ImportService::import(const KilnImportArgs &given) {
  KilnImportArgs args = known(given);
  KILN_ASSIGN_OR_RETURN(ImportRequest request, readModel(args));
  KILN_ASSIGN_OR_RETURN(const ImporterInfo *importer, find(args, request));
  if (importer == &kMlirImporter && !request.shapes.empty())
    return invalidArgument(request.name + ": shapes for the import of a .mlir file; expected none, it takes "
                                          "the shapes that its function declares");
  return import(std::move(request), *importer, args.precision);
}

Result<std::unique_ptr<KilnImportedModel>>
ImportService::import(ImportRequest request, const ImporterInfo &importer, KilnDType precision) {
  auto model = std::make_unique<KilnImportedModel>();
  model->name = request.name;
  model->function = request.function.empty() ? "main" : request.function;
  model->digest = digestOf(request, precision);
  model->context = registry.createContext();
  model->context->loadDialect<KilnDialect, func::FuncDialect, arith::ArithDialect, tensor::TensorDialect,
                              scf::SCFDialect, cf::ControlFlowDialect>();
  KILN_ASSIGN_OR_RETURN(ImportedModule imported, importer.import(*model->context, request));
  model->module = std::move(imported.module);
  for (auto &[digest, data] : imported.weights)
    model->weights[digest] = std::move(data);
  if (precision != KILN_DTYPE_INVALID && model->module->lookupSymbol<func::FuncOp>("main"))
    KILN_RETURN_IF_ERROR(setStorageType(*model, precision));
  KILN_RETURN_IF_ERROR(finishModel(*model, &importer == &kMlirImporter));
  if (imported.needsShapes.empty())
    return model;
  model->needsShapes = std::move(imported.needsShapes);
  model->importFor = [this, request = std::move(request), &importer,
                      precision](std::vector<InputShape> shapes) {
    ImportRequest known = request;
    known.shapes = std::move(shapes);
    return import(std::move(known), importer, precision);
  };
  return model;
}

Result<KilnImportedModel *> kiln::jit::modelForShapes(KilnImportedModel &model, const InputShapes &shapes) {
  if (model.needsShapes.empty())
    return &model;
  if (shapes.size() != model.inputs.size())
    return invalidArgument(model.name + ": shapes of " + Twine(shapes.size()) + " inputs; the model has " +
                           Twine(model.inputs.size()));
  std::vector<InputShape> named;
  for (auto [port, dims] : llvm::zip(model.inputs, shapes)) {
    if (llvm::any_of(dims, [](int64_t dim) { return dim < 0; }))
      return unimplemented(
          model.name + ": input '" + port.name +
          "': an extent is not known; expected all of them, since without: " + model.needsShapes);
    named.push_back({port.name, dims});
  }
  KILN_ASSIGN_OR_RETURN(auto lock, lockModel(model, model.shapesMutex));
  std::unique_ptr<KilnImportedModel> &known = model.byShapes[shapes];
  if (known)
    return known.get();
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<KilnImportedModel> made, model.importFor(std::move(named)));
  if (!made->needsShapes.empty())
    return internalError(model.name + ": the importer asks for shapes that it was given");
  made->host = model.host;
  for (const auto &weight : made->weights)
    model.weights[weight.first()] = weight.second;
  known = std::move(made);
  return known.get();
}

Result<std::vector<std::string>> ImportService::functions(const KilnImportArgs &args) {
  KILN_ASSIGN_OR_RETURN(ImportRequest request, readModel(args));
  KILN_ASSIGN_OR_RETURN(const ImporterInfo *importer, find(args, request));
  if (importer != &kMlirImporter)
    return std::vector<std::string>{"main"};
  std::unique_ptr<MLIRContext> context = registry.createContext();
  return mlirFunctions(*context, request);
}
