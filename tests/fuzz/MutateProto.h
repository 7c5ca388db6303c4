// MutateProto.h: mutations of serialized protobuf messages that keep them well-formed, so that they reach the
// importer.
#ifndef KILN_TESTS_FUZZ_MUTATEPROTO_H
#define KILN_TESTS_FUZZ_MUTATEPROTO_H

#include "tests/fuzz/Target.h"

namespace kiln::fuzz {

/// One mutation of a message tree: extreme numbers, fields removed, repeated or exchanged (names that meet
/// another's make cycles and duplicates), strings replaced by paths and names that go astray, messages nested
/// in themselves. Falls back to mutateBytes for what is no message.
std::string mutateProto(const std::string &bytes, Random &random);

} // namespace kiln::fuzz
#endif // KILN_TESTS_FUZZ_MUTATEPROTO_H
