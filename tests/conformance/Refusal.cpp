// Refusal.cpp: finds names of ops with their dialect, as whole words.
#include "tests/conformance/Refusal.h"

#include <algorithm>

namespace kiln::conformance {
namespace {

constexpr char kDialect[] = "kiln.";
constexpr char kWord[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

} // namespace

std::vector<std::string> opsOf(const std::string &text) {
  std::vector<std::string> ops;
  for (size_t at = 0; (at = text.find(kDialect, at)) != std::string::npos;) {
    size_t end = std::min(text.find_first_not_of(kWord, at + sizeof(kDialect) - 1), text.size());
    std::string op = text.substr(at, end - at);
    if (std::find(ops.begin(), ops.end(), op) == ops.end())
      ops.push_back(op);
    at = end;
  }
  return ops;
}

bool namesAnOp(const std::string &message, const std::vector<std::string> &ops) {
  std::vector<std::string> named = opsOf(message);
  return std::find_first_of(named.begin(), named.end(), ops.begin(), ops.end()) != named.end();
}

} // namespace kiln::conformance
