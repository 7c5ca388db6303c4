// Refusal.h: what counts as a refusal of a kernel.
#ifndef KILN_TESTS_CONFORMANCE_REFUSAL_H
#define KILN_TESTS_CONFORMANCE_REFUSAL_H

#include <string>
#include <vector>

namespace kiln::conformance {

/// The ops of the kiln dialect in a kernel's text, each once: "kiln.exp".
std::vector<std::string> opsOf(const std::string &text);

/// Whether a message names one of them. A launch's or a model's name, which may hold the word too, does not
/// count.
bool namesAnOp(const std::string &message, const std::vector<std::string> &ops);

} // namespace kiln::conformance
#endif // KILN_TESTS_CONFORMANCE_REFUSAL_H
