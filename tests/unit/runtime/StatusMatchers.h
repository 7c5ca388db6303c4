// StatusMatchers.h: gmock matchers over Status and Result, for the runtime's unit tests.
#ifndef KILN_TESTS_UNIT_RUNTIME_STATUSMATCHERS_H
#define KILN_TESTS_UNIT_RUNTIME_STATUSMATCHERS_H

#include "runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {

inline const Status &statusOf(const Status &status) { return status; }
template <typename T> const Status &statusOf(const Result<T> &result) { return result.status(); }

// How a failing assertion shows them.
inline void PrintTo(const Status &status, std::ostream *os) {
  *os << codeName(static_cast<KilnCode>(status.code())) << ": " << status.message();
}

namespace testing {

MATCHER(IsOk, "is OK") {
  const Status &status = statusOf(arg);
  *result_listener << codeName(static_cast<KilnCode>(status.code())) << ": " << status.message();
  return status.ok();
}
MATCHER_P2(StatusIs, code, messageMatcher, "has the code and a message that matches") {
  const Status &status = statusOf(arg);
  *result_listener << codeName(static_cast<KilnCode>(status.code())) << ": " << status.message();
  return status.code() == code &&
         ::testing::Matches(::testing::SafeMatcherCast<std::string>(messageMatcher))(status.message());
}
MATCHER_P(IsOkAndHolds, valueMatcher, "is OK and its value matches") {
  if (!arg.ok()) {
    *result_listener << arg.status().message();
    return false;
  }
  return ::testing::ExplainMatchResult(valueMatcher, arg.value(), result_listener);
}

} // namespace testing
} // namespace kiln

#define ASSERT_OK(expression) ASSERT_THAT(expression, ::kiln::testing::IsOk())
#define EXPECT_OK(expression) EXPECT_THAT(expression, ::kiln::testing::IsOk())
#define ASSERT_OK_AND_ASSIGN(declaration, expression)                                                        \
  ASSERT_OK_AND_ASSIGN_IMPL(KILN_CONCAT(kilnResult, __LINE__), declaration, expression)
#define ASSERT_OK_AND_ASSIGN_IMPL(temporary, declaration, expression)                                        \
  auto temporary = (expression);                                                                             \
  ASSERT_OK(temporary);                                                                                      \
  declaration = std::move(temporary).value()

#endif // KILN_TESTS_UNIT_RUNTIME_STATUSMATCHERS_H
