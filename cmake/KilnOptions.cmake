# Options, language standard, output folders, ccache, linker and sanitizers: everything that all targets share.
option(KILN_BUILD_TESTS "build the tests" ON)
option(KILN_WERROR "treat warnings as errors" OFF)
set(KILN_DEBUG_INFO "" CACHE STRING "lines: line tables, which link three times faster than full debug information; \
none: compiles a tenth faster still; with both, assertions stay. Empty: as the build type says")
set(KILN_SANITIZE "" CACHE STRING "sanitizers to build with, as for -fsanitize=")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# build/bin holds programs, build/lib libraries, build/lib/kiln/backends.d manifests with their libraries:
# the same layout as an installation, so that autoload is tested as users have it. Libraries are found as in one, too:
# a path of the build tree alone would be padded with colons, which the loader reads as the current folder.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN;$ORIGIN/../..")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

find_program(KILN_CCACHE ccache)
if(KILN_CCACHE)
  # pch_defines and time_macros let ccache keep translation units that use a precompiled header; depend: a miss does
  # not run the preprocessor, which would read that header once more.
  set(launcher "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_DEPEND=1;${KILN_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
endif()

find_program(KILN_LLD NAMES ld.lld-19 ld.lld)
if(KILN_LLD)
  add_link_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fuse-ld=lld>" "LINKER:--build-id=sha1")
endif()
add_link_options("LINKER:-z,defs" "LINKER:--as-needed")
if(KILN_DEBUG_INFO)
  if(KILN_DEBUG_INFO STREQUAL "lines")
    add_compile_options(-gline-tables-only)
  elseif(NOT KILN_DEBUG_INFO STREQUAL "none")
    message(FATAL_ERROR "KILN_DEBUG_INFO is '${KILN_DEBUG_INFO}'; expected lines, none or nothing")
  endif()
  add_compile_options(-Wno-unused-command-line-argument)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -UNDEBUG")
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -UNDEBUG")
endif()
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(KILN_WERROR)
  add_compile_options(-Werror)
endif()
if(KILN_SANITIZE)
  add_compile_options(-fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KILN_SANITIZE} -shared-libsan)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE sanitizerDir
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  # the shared runtime is in no folder that the loader searches; Debian's is not in the one that clang names
  get_filename_component(sanitizerSibling "${sanitizerDir}/../linux" ABSOLUTE)
  set(KILN_SANITIZER_RPATH "${sanitizerDir}" "${sanitizerSibling}")
  list(APPEND CMAKE_INSTALL_RPATH ${KILN_SANITIZER_RPATH})
  # libFuzzer's objects come before the compiler's own libraries; that of the sanitizer must come first of all
  if(KILN_SANITIZE MATCHES "address")
    find_library(KILN_SANITIZER_RUNTIME NAMES clang_rt.asan-x86_64 clang_rt.asan PATHS ${KILN_SANITIZER_RPATH} NO_DEFAULT_PATH REQUIRED)
  endif()
endif()
