// kiln/BackendNote.h: the ELF note that says what a backend library was built for, read before it is loaded.
//
// Loading a library runs its constructors, so whether it fits must be known before dlopen. add_kiln_backend
// compiles one KILN_BACKEND_NOTE into every backend library; the runtime reads it from the file (owner
// "Kiln", type 1). The descriptor is text, "key=value;..." as below.
#ifndef KILN_BACKENDNOTE_H
#define KILN_BACKENDNOTE_H

#include "kiln/backend.h"

#if defined(__has_feature)
#define KILN_HAS_FEATURE(x) __has_feature(x)
#else
#define KILN_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || KILN_HAS_FEATURE(address_sanitizer)
#define KILN_BUILD_SANITIZER "address"
#elif defined(__SANITIZE_THREAD__) || KILN_HAS_FEATURE(thread_sanitizer)
#define KILN_BUILD_SANITIZER "thread"
#elif KILN_HAS_FEATURE(memory_sanitizer)
#define KILN_BUILD_SANITIZER "memory"
#else
#define KILN_BUILD_SANITIZER "none"
#endif

#define KILN_STRINGIZE_INNER(x) #x
#define KILN_STRINGIZE(x) KILN_STRINGIZE_INNER(x)

// The C ABI of this build. Both tiers must match it: the major exactly, the minor not above the runtime's.
#define KILN_ABI_FINGERPRINT                                                                                 \
  "abi=" KILN_STRINGIZE(KILN_ABI_MAJOR_NUMBER) "." KILN_STRINGIZE(KILN_ABI_MINOR_NUMBER)
#define KILN_ABI_MAJOR_NUMBER 1
#define KILN_ABI_MINOR_NUMBER 0

#ifdef __cplusplus
#include <cstddef> // defines the standard library's own version macros

#if defined(__GXX_RTTI) || KILN_HAS_FEATURE(cxx_rtti)
#define KILN_BUILD_RTTI "1"
#else
#define KILN_BUILD_RTTI "0"
#endif

#if defined(_GLIBCXX_USE_CXX11_ABI)
#define KILN_BUILD_CXXLIB "libstdc++.cxx11=" KILN_STRINGIZE(_GLIBCXX_USE_CXX11_ABI)
#elif defined(_LIBCPP_VERSION)
#define KILN_BUILD_CXXLIB "libc++." KILN_STRINGIZE(_LIBCPP_ABI_VERSION)
#else
#define KILN_BUILD_CXXLIB "unknown"
#endif

static_assert(KILN_ABI_MAJOR == KILN_ABI_MAJOR_NUMBER && KILN_ABI_MINOR == KILN_ABI_MINOR_NUMBER,
              "the ABI version stands in backend.h and here");

/// What the C++ compiler of this translation unit decides; the rest of a fingerprint is known to CMake.
#define KILN_CXX_FINGERPRINT                                                                                 \
  "rtti=" KILN_BUILD_RTTI ";cxxlib=" KILN_BUILD_CXXLIB ";sanitizer=" KILN_BUILD_SANITIZER

namespace kiln {
/// An ELF note with owner "Kiln" and type 1, padded as ELF wants it.
template <unsigned N> struct alignas(4) BackendNoteLayout {
  unsigned ownerBytes, textBytes, type;
  char owner[8];
  char text[(N + 3) / 4 * 4];
};
} // namespace kiln

// A sanitizer's padding around globals would make the section no list of notes.
#if KILN_HAS_FEATURE(address_sanitizer)
#define KILN_NOTE_AS_IT_IS __attribute__((no_sanitize("address")))
#else
#define KILN_NOTE_AS_IT_IS
#endif

// The linker keeps sections named .note.*; `used` keeps it from compilers.
#define KILN_BACKEND_NOTE(text)                                                                              \
  extern const ::kiln::BackendNoteLayout<sizeof(text)> kilnBackendNote;                                      \
  __attribute__((section(".note.kiln"), used,                                                                \
                 visibility("hidden"))) KILN_NOTE_AS_IT_IS const ::kiln::BackendNoteLayout<sizeof(text)>     \
      kilnBackendNote = {5, sizeof(text), 1, "Kiln", text};
#endif // __cplusplus
#endif // KILN_BACKENDNOTE_H
