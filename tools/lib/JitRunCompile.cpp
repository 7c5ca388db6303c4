// JitRunCompile.cpp: one call of kiln_model_compile for each device and set of shapes.
#include "tools/lib/JitRunCompile.h"

#include "tools/lib/CompileShapes.h"
#include "tools/lib/RunCases.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;
using BundleHandle = std::unique_ptr<KilnBundle, Releaser<kiln_bundle_release>>;

constexpr size_t kBarWidth = 30;

/// The bar behind --compile-only on a terminal.
struct Bar {
  std::ostream *out;
  std::string what;
  static void show(void *arg, size_t done, size_t total) {
    auto &bar = *static_cast<Bar *>(arg);
    if (!bar.out)
      return;
    size_t filled = total ? kBarWidth * done / total : kBarWidth;
    *bar.out << fmt::format("\r\033[K{} [{:<{}}] {} of {} kernels", bar.what, std::string(filled, '='),
                            kBarWidth, done, total)
             << std::flush;
  }
  void wipe() {
    if (out)
      *out << "\r\033[K" << std::flush;
  }
};

bool isOrdinal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

Result<std::vector<CompileDevice>> parseCompileDevices(const std::string &text) {
  std::vector<CompileDevice> devices;
  for (std::string_view rest = text; devices.empty() || !rest.empty();) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, comma);
    size_t colon = std::min(part.find(':'), part.size());
    std::string_view options = part.substr(std::min(colon + 1, part.size()));
    if (colon == 0 || (comma < rest.size() && comma + 1 == rest.size()))
      return Status(
          Code::InvalidArgument,
          fmt::format("--device: '{}': an empty part; expected TYPE[:K=V;...], separated by commas", text));
    devices.push_back({std::string(part.substr(0, colon)), isOrdinal(options) ? "" : std::string(options)});
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return devices;
}

namespace {

/// Each model, program and kernel that no cache had.
Result<Json> missesOf(KilnInstance *instance) {
  Json misses = Json::array();
  auto visit = [](void *arg, const KilnCacheMiss *miss) {
    auto text = [](KilnStr str) { return std::string(toView(str)); };
    static_cast<Json *>(arg)->push_back({{"kind", text(miss->kind)},
                                         {"name", text(miss->name)},
                                         {"key", text(miss->key)},
                                         {"reason", text(miss->reason)},
                                         {"detail", text(miss->detail)},
                                         {"nearest", text(miss->nearest)},
                                         {"differs_in", text(miss->differing)}});
  };
  KILN_RETURN_IF_ERROR(take(kiln_instance_cache_misses(instance, visit, &misses)));
  return misses;
}

void printMiss(const Json &miss, std::ostream &out) {
  auto text = [&](const char *key) { return miss[key].get<std::string>(); };
  out << fmt::format("cache miss: {} '{}' ({}): {}", text("kind"), text("name"), text("key").substr(0, 12),
                     text("reason"));
  if (!text("detail").empty())
    out << fmt::format(": {}", text("detail"));
  if (!text("nearest").empty())
    out << fmt::format("; the nearest, {}, differs in {}", text("nearest"), text("differs_in"));
  out << "\n";
}

} // namespace

Status printCacheCounters(KilnInstance *instance, bool asJson, std::ostream &out) {
  auto stats = sized<KilnCacheStats>();
  KILN_RETURN_IF_ERROR(take(kiln_instance_cache_stats(instance, &stats)));
  if (asJson) {
    Json json = {{"directory_hits", stats.directory_hits},
                 {"read_only_hits", stats.read_only_hits},
                 {"pack_hits", stats.pack_hits},
                 {"remote_hits", stats.remote_hits},
                 {"absent", stats.absent},
                 {"unreadable", stats.unreadable},
                 {"damaged", stats.damaged},
                 {"other_version", stats.other_version},
                 {"other_features", stats.other_features},
                 {"bytes_read", stats.bytes_read},
                 {"bytes_written", stats.bytes_written},
                 {"entries_written", stats.entries_written},
                 {"write_failures", stats.write_failures},
                 {"quarantined", stats.quarantined},
                 {"evicted", stats.evicted},
                 {"lock_waits", stats.lock_waits},
                 {"lock_timeouts", stats.lock_timeouts},
                 {"waited_us", stats.waited_us},
                 {"saved_us", stats.saved_us}};
    KILN_ASSIGN_OR_RETURN(json["missed"], missesOf(instance));
    out << json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return {};
  }
  auto list = [](std::initializer_list<std::pair<uint64_t, const char *>> parts) {
    std::string text;
    for (auto [count, what] : parts)
      if (count)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    return text.empty() ? std::string("none") : text;
  };
  out << fmt::format("cache files: hits: {}; misses: {}\n",
                     list({{stats.directory_hits, "in the folder"},
                           {stats.read_only_hits, "in folders only read"},
                           {stats.pack_hits, "in packs"},
                           {stats.remote_hits, "on the server"}}),
                     list({{stats.absent, "absent"},
                           {stats.unreadable, "unreadable"},
                           {stats.damaged, "damaged"},
                           {stats.other_version, "of another version"},
                           {stats.other_features, "for other features"}}));
  out << fmt::format("cache files: {} bytes read, {} written in {} entries; {:.1f} ms of compiling saved\n",
                     stats.bytes_read, stats.bytes_written, stats.entries_written,
                     static_cast<double>(stats.saved_us) * 1e-3);
  if (stats.write_failures + stats.quarantined + stats.evicted + stats.lock_waits > 0)
    out << fmt::format(
        "cache files: {} not written, {} quarantined, {} evicted, {} waits for other processes "
        "({:.1f} ms)\n",
        stats.write_failures, stats.quarantined, stats.evicted, stats.lock_waits,
        static_cast<double>(stats.waited_us) * 1e-3);
  KILN_ASSIGN_OR_RETURN(Json misses, missesOf(instance));
  for (const Json &miss : misses)
    printMiss(miss, out);
  return {};
}

namespace {

/// What one device is to be compiled for: shapes of which one at least has to be possible.
struct Compilation {
  JitRunJob &job;
  const CompileDevice &device;
  KilnBundle *bundle;
  std::ostream *terminal;
  std::string options; // of the device
  Json compiled = Json::array();
  std::string notes = {}; // shapes that the model cannot have

  Status run(const std::vector<InputShapes> &alternatives) {
    size_t before = compiled.size();
    Status refused;
    for (const InputShapes &shapes : alternatives) {
      Status status = compile(shapes);
      if (status.ok())
        continue;
      notes += fmt::format("jit-run: note: {}, {}: not compiled: {}\n", device.type, inputShapesText(shapes),
                           status.message());
      refused = std::move(status); // of the most general shapes in the end
    }
    return compiled.size() == before ? refused : Status();
  }

private:
  Status compile(const InputShapes &shapes) {
    Bar bar{terminal, device.type};
    auto given = sized<KilnCompileOptions>();
    std::string dumpDir = job.flags.text("dump-stages");
    given.dump_dir = toStr(dumpDir);
    given.device_type = toStr(device.type);
    given.device_options = toStr(options);
    given.bundle = bundle;
    given.progress = Bar::show;
    given.progress_arg = &bar;
    uint64_t start = steadyNs();
    Status status =
        take(kiln_model_compile(job.instance.get(), job.model.get(), shapes.data(), shapes.size(), &given));
    bar.wipe();
    if (status.ok())
      compiled.push_back({{"device", device.type},
                          {"options", options},
                          {"shapes", inputShapesText(shapes)},
                          {"ms", static_cast<double>(steadyNs() - start) * 1e-6}});
    return status;
  }
};

/// Shapes as the data has them; without data, what the flags leave open.
Result<std::vector<std::vector<InputShapes>>> wantedShapes(JitRunJob &job, const ShapeFlags &shapes,
                                                           const ModelOperand &operand,
                                                           std::vector<RunCase> &cases, std::ostream &err) {
  std::vector<std::vector<InputShapes>> wanted;
  if (operand.dataSets.empty() && !job.flags.given("inputs") && !job.flags.given("input")) {
    KILN_RETURN_IF_ERROR(shapes.checkNames(job.model.get()));
    for (size_t run = 0; run < shapes.runCount(); ++run) {
      KILN_ASSIGN_OR_RETURN(wanted.emplace_back(), shapesToCompile(shapes, run, job.model.get()));
    }
    return wanted;
  }
  KILN_ASSIGN_OR_RETURN(cases, collectCases(job.flags, shapes, operand, job.model.get(), err));
  for (RunCase &one : cases)
    wanted.push_back({viewTensors(one.inputs)});
  return wanted;
}

} // namespace

Result<int> compileAhead(JitRunJob &job, const ShapeFlags &shapes, std::ostream &out, std::ostream &err,
                         std::ostream *terminal) {
  const ParsedFlags &flags = job.flags;
  std::string deviceText = flags.text("device");
  if (deviceText == "auto") { // the default device's type
    KILN_ASSIGN_OR_RETURN(job.session, job.openSession("auto", /*mustCompute=*/false));
    deviceText = job.deviceName();
  }
  KILN_ASSIGN_OR_RETURN(std::vector<CompileDevice> devices, parseCompileDevices(deviceText));
  std::string path = flags.operands().front();
  KILN_ASSIGN_OR_RETURN(ModelOperand operand, resolveModelOperand(path));
  KILN_RETURN_IF_ERROR(job.loadModel(operand.file));
  std::vector<RunCase> cases; // holds the data whose shapes `wanted` views
  KILN_ASSIGN_OR_RETURN(auto wanted, wantedShapes(job, shapes, operand, cases, err));
  BundleHandle bundle;
  if (flags.given("bundle")) {
    KilnBundle *made = nullptr;
    std::string file = flags.text("bundle");
    KILN_RETURN_IF_ERROR(take(kiln_bundle_create(job.model.get(), toStr(file), &made)));
    bundle.reset(made);
  }
  Json compiled = Json::array();
  bool asJson = flags.given("json");
  for (const CompileDevice &device : devices) {
    std::string options = flags.text("device-options");
    options += (options.empty() || device.options.empty() ? "" : ";") + device.options;
    Compilation compilation{job, device, bundle.get(), terminal, options};
    for (const std::vector<InputShapes> &alternatives : wanted)
      KILN_RETURN_IF_ERROR(compilation.run(alternatives));
    err << compilation.notes;
    for (Json &one : compilation.compiled) {
      if (!asJson)
        out << fmt::format("{}{}{}, {}: compiled in {:.1f} ms\n", device.type,
                           options.empty() ? "" : " with ", options, one["shapes"].get<std::string>(),
                           one["ms"].get<double>());
      compiled.push_back(std::move(one));
    }
  }
  if (bundle)
    KILN_RETURN_IF_ERROR(take(kiln_bundle_finish(bundle.get())));
  if (asJson)
    out << Json{{"model", path}, {"compiled", compiled}}.dump(2) << "\n";
  if (flags.given("cache-stats"))
    KILN_RETURN_IF_ERROR(printCacheCounters(job.instance.get(), false, asJson ? err : out));
  return kYes;
}

} // namespace kiln::tools
