// JitInfoPasses.cpp: jit-info passes: what each backend runs in each stage; opens libkiln_compiler.
#include "runtime/Instance.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace kiln::tools {

Result<int> infoPasses(const InfoContext &context) {
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> instance, Instance::create(searchOptions(context.flags)));
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance->compiler().get());

  std::vector<std::vector<std::string>> rows;
  auto collect = [](void *arg, const KilnPassEntry *entry) {
    std::vector<std::string> row;
    for (KilnStr cell : {entry->target, entry->stage, entry->pass, entry->backend, entry->summary})
      row.emplace_back(toView(cell));
    static_cast<decltype(rows) *>(arg)->push_back(std::move(row));
  };
  KILN_RETURN_IF_ERROR(fromC(compiler->visit_passes(compiler->self, collect, &rows)));
  if (context.wantsJson()) {
    nlohmann::ordered_json list = nlohmann::json::array();
    for (const auto &row : rows)
      list.push_back({{"target", row[0]},
                      {"stage", row[1]},
                      {"pass", row[2]},
                      {"backend", row[3]},
                      {"summary", row[4]}});
    printJson(nlohmann::ordered_json{{"passes", list}}, context.out);
    return kYes;
  }
  TextTable table({"TARGET", "STAGE", "PASS", "BACKEND", "SUMMARY"});
  for (auto &row : rows) {
    for (size_t i = 0; i < 4; ++i)
      row[i] = row[i].empty() ? "-" : row[i]; // "-": every target, no stage, Kiln's own
    table.add(std::move(row));
  }
  table.print(context.out);
  return kYes;
}

} // namespace kiln::tools
