// KernelTest.cpp: words separated by spaces; JSON only carries them.
#include "tools/lib/KernelTest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <sstream>

namespace kiln::tools {
namespace {

Status badTest(std::string_view what, const std::string &text, std::string_view why) {
  return {Code::InvalidArgument, fmt::format("kiln.test: {} '{}': {}", what, text, why)};
}

template <typename T> bool parseNumber(std::string_view text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> words(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;)
    result.push_back(word);
  return result;
}

bool isName(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

Result<std::vector<std::string>> strings(const nlohmann::json &json, const char *key) {
  std::vector<std::string> result;
  if (!json.contains(key))
    return result;
  if (!json[key].is_array())
    return badTest("entry", key, "expected a list of strings");
  for (const nlohmann::json &element : json[key]) {
    if (!element.is_string())
      return badTest("entry", key, "expected a list of strings");
    result.push_back(element.get<std::string>());
  }
  return result;
}

} // namespace

std::string TestCase::text() const {
  std::string result;
  for (const auto &[name, value] : variables)
    result += fmt::format("{}={} ", name, value);
  if (specials)
    result += "specials ";
  if (full)
    result += "full ";
  if (seed)
    result += fmt::format("seed={} ", seed);
  if (!result.empty())
    result.pop_back();
  return result;
}

Result<TestInput> parseTestInput(const std::string &text) {
  TestInput input;
  std::vector<std::string> parts = words(text);
  if (parts.empty())
    return badTest("input", text, "empty; expected extents such as MxN or 4xN, or scalar");
  for (std::string_view rest = parts[0] == "scalar" ? "" : std::string_view(parts[0]); !rest.empty();) {
    size_t x = std::min(rest.find('x'), rest.size());
    TestExtent extent;
    if (isName(rest.substr(0, x)))
      extent.name = rest.substr(0, x);
    else if (!parseNumber(rest.substr(0, x), extent.number) || extent.number < 0)
      return badTest(
          "input", text,
          fmt::format("'{}' is no extent; expected a number or a name in capitals", rest.substr(0, x)));
    input.extents.push_back(extent);
    rest.remove_prefix(std::min(x + 1, rest.size()));
  }
  if (parts.size() == 1)
    return input;
  if (parts[1] == "uniform" && parts.size() == 4) {
    double low = 0, high = 0;
    if (!parseNumber(parts[2], low) || !parseNumber(parts[3], high) || !(low <= high))
      return badTest("input", text, "expected uniform LOW HIGH, two numbers in order");
    input.data.low = low, input.data.high = high;
    return input;
  }
  for (auto [word, kind] :
       {std::pair("iota", TestData::Kind::Iota), std::pair("distinct", TestData::Kind::Distinct),
        std::pair("bits", TestData::Kind::Bits)})
    if (parts[1] == word && parts.size() == 2) {
      input.data.kind = kind;
      return input;
    }
  return badTest("input", text, "expected its data as uniform LOW HIGH, iota, distinct or bits");
}

Result<TestCase> parseTestCase(const std::string &text) {
  TestCase result;
  for (const std::string &word : words(text)) {
    size_t equals = word.find('=');
    if (word == "specials") {
      result.specials = true;
    } else if (word == "full") {
      result.full = true;
    } else if (word.starts_with("seed=") && parseNumber(std::string_view(word).substr(5), result.seed)) {
    } else if (int64_t value = 0; equals != std::string::npos && isName(word.substr(0, equals)) &&
                                  parseNumber(std::string_view(word).substr(equals + 1), value) &&
                                  value >= 0) {
      result.variables[word.substr(0, equals)] = value;
    } else {
      return badTest("case", text, fmt::format("'{}'; expected NAME=EXTENT, specials, full or seed=N", word));
    }
  }
  return result;
}

Result<KernelTest> KernelTest::parse(const std::string &text) {
  KernelTest test;
  nlohmann::json json = text.empty() ? nlohmann::json::object()
                                     : nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return badTest("attribute", text, "expected a dictionary");
  for (const auto &[key, value] : json.items()) {
    if (key == "results" && value.is_number())
      test.resultCount = value.get<size_t>();
    else if (key == "error" && value.is_string())
      test.error = value.get<std::string>();
    else if (key == "atol" && value.is_number())
      test.atol = value.get<double>();
    else if (key == "rtol" && value.is_number())
      test.rtol = value.get<double>();
    else if (key == "cycles" && value.is_object()) {
      for (const auto &[device, cycles] : value.items()) {
        if (!cycles.is_number_unsigned() && !(cycles.is_number_integer() && cycles.get<int64_t>() >= 0))
          return badTest("cycles", device, "expected a count");
        test.cycles[device] = cycles.get<uint64_t>();
      }
    } else if (key != "inputs" && key != "cases" && key != "types" && key != "golden")
      return badTest("entry", key, "expected inputs, cases, types, error, atol, rtol, cycles or golden");
  }
  KILN_ASSIGN_OR_RETURN(std::vector<std::string> inputs, strings(json, "inputs"));
  for (const std::string &input : inputs) {
    KILN_ASSIGN_OR_RETURN(TestInput parsed, parseTestInput(input));
    test.inputs.push_back(std::move(parsed));
  }
  KILN_ASSIGN_OR_RETURN(std::vector<std::string> cases, strings(json, "cases"));
  for (const std::string &one : cases) {
    KILN_ASSIGN_OR_RETURN(TestCase parsed, parseTestCase(one));
    test.cases.push_back(std::move(parsed));
  }
  if (test.cases.empty())
    test.cases.emplace_back();
  return test;
}

Result<std::vector<int64_t>> extentsOf(const TestInput &input, const TestCase &testCase) {
  std::vector<int64_t> extents;
  for (const TestExtent &extent : input.extents) {
    auto variable = testCase.variables.find(extent.name);
    if (!extent.name.empty() && variable == testCase.variables.end())
      return badTest("case", testCase.text(), fmt::format("does not say what {} is", extent.name));
    extents.push_back(extent.name.empty() ? extent.number : variable->second);
  }
  return extents;
}

} // namespace kiln::tools
