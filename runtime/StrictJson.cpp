// StrictJson.cpp: one SAX pass.
#include "runtime/StrictJson.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace kiln {

namespace {

using Json = nlohmann::json;

// "LINE:COLUMN" of a byte offset, both from 1.
std::string lineAndColumn(std::string_view text, size_t offset) {
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t start = before.rfind('\n');
  return fmt::format("{}:{}", line,
                     start == std::string_view::npos ? before.size() : before.size() - start - 1);
}

/// Walks the text; stops at the first syntax error, duplicate key or level too deep, and says where.
class StrictChecker final : public nlohmann::json_sax<Json> {
public:
  StrictChecker(std::string_view text, size_t maxDepth) : text(text), maxDepth(maxDepth) {}
  std::string problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    pointers.back() = name;
    if (keys.back().insert(name).second)
      return true;
    std::string pointer;
    for (const std::string &part : pointers)
      pointer += part.empty() ? "" : "/" + part;
    problem = fmt::format(" {}: the key stands twice in one object", pointer);
    return false;
  }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) override {
    std::string what = error.what();
    size_t colon = what.find(": "); // "[json.exception...] parse error at line 1, column 2: ..."
    problem = fmt::format("{}: not JSON: {}", lineAndColumn(text, position),
                          colon == std::string::npos ? what : what.substr(colon + 2));
    return false;
  }

private:
  bool enter() {
    keys.emplace_back();
    pointers.emplace_back();
    if (keys.size() <= maxDepth)
      return true;
    problem = fmt::format(" nested deeper than {} levels", maxDepth);
    return false;
  }
  bool leave() {
    keys.pop_back();
    pointers.pop_back();
    return true;
  }
  const std::string_view text;
  const size_t maxDepth;
  std::vector<std::set<std::string>> keys;
  std::vector<std::string> pointers;
};

} // namespace

std::string strictJsonProblem(std::string_view text, size_t maxDepth) {
  StrictChecker checker(text, maxDepth);
  return Json::sax_parse(text, &checker) ? "" : checker.problem;
}

} // namespace kiln
