// CheckFile.cpp: one program a function; got and want are outputs of the run, compared here in double.
#include "tools/lib/CheckFile.h"

#include "tools/lib/Compare.h"
#include "tools/lib/RunCases.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

Result<Comparison> compareCheck(KilnRun *run, const KilnCheck &check) {
  auto got = sized<KilnTensor>(), want = sized<KilnTensor>();
  KILN_RETURN_IF_ERROR(take(kiln_run_output(run, check.got, &got)));
  KILN_RETURN_IF_ERROR(take(kiln_run_output(run, check.want, &want)));
  Tolerance tolerance;
  if (!check.exact)
    tolerance.atol = check.atol, tolerance.rtol = check.rtol;
  return compare(copyTensor(got), copyTensor(want), tolerance);
}

Status runFunction(KilnInstance *instance, KilnSession *session, const std::string &path,
                   const std::string &function, std::ostream &out, CheckCounts &counts) {
  auto options = sized<KilnModelOptions>();
  options.function = toStr(function);
  KilnModel *model = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_model_load_file(instance, toStr(path), &options, &model)));
  ModelHandle modelHandle(model);
  if (size_t inputs = kiln_model_input_count(model))
    return {Code::InvalidArgument,
            fmt::format("{}: function '{}' has {} inputs; a function with checks makes its own data", path,
                        function, inputs)};
  KilnRun *run = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_session_run(session, model, nullptr, 0, nullptr, &run)));
  RunHandle runHandle(run);
  ++counts.functions;
  size_t checks = kiln_run_check_count(run);
  if (checks == 0) {
    ++counts.failures;
    out << fmt::format(
        "FAIL {}: function '{}' checks nothing; expected a kiln.check_close or kiln.check_equal\n", path,
        function);
  }
  for (size_t i = 0; i < checks; ++i) {
    auto check = sized<KilnCheck>();
    KILN_RETURN_IF_ERROR(take(kiln_run_check(run, i, &check)));
    KILN_ASSIGN_OR_RETURN(Comparison comparison, compareCheck(run, check));
    ++counts.checks;
    if (comparison.equal)
      continue;
    ++counts.failures;
    out << fmt::format("FAIL {}: function '{}': {}\n", toView(check.location), function, comparison.text);
  }
  return {};
}

} // namespace

Status runCheckFile(KilnInstance *instance, KilnSession *session, const std::string &path,
                    const std::string &function, std::ostream &out, CheckCounts &counts) {
  std::vector<std::string> functions;
  KILN_RETURN_IF_ERROR(take(kiln_model_functions(
      instance, toStr(path), nullptr,
      [](void *arg, KilnStr name) {
        static_cast<std::vector<std::string> *>(arg)->emplace_back(toView(name));
      },
      &functions)));
  if (functions.empty())
    return {Code::InvalidArgument,
            fmt::format("{}: no function; expected functions with kiln.check ops", path)};
  if (!function.empty()) {
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
      return {Code::NotFound, fmt::format("{}: no function '{}'", path, function)};
    functions = {function};
  }
  for (const std::string &name : functions)
    KILN_RETURN_IF_ERROR(runFunction(instance, session, path, name, out, counts));
  return {};
}

} // namespace kiln::tools
