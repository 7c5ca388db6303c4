# add_kiln_test: one GoogleTest program, run by ctest as one test.
#   add_kiln_test(NAME SOURCES f.cpp... LINK t... LABELS l... [ARGS a...] [ENV K=V...] [TIMEOUT seconds])
# MLIR tests pass MLIR so that they are compiled with the flags of the compiler tier. Tests labelled sanitize also run under
# sanitizers, by `tools/dev sanitize`: those that need nothing of the compiler tier.
add_custom_target(kiln-sanitized-tests)
set(KILN_SANITIZER_ENVIRONMENT)
if(KILN_SANITIZE)
  set(suppressions "${PROJECT_SOURCE_DIR}/cmake/suppressions")
  set(KILN_SANITIZER_ENVIRONMENT "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
    "LSAN_OPTIONS=suppressions=${suppressions}/leak.txt" "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${suppressions}/thread.txt")
endif()

# Programs that are not installed: in build/tests/bin, with the libraries of build/lib.
function(kiln_test_programs)
  set_target_properties(${ARGN} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/bin"
    INSTALL_RPATH "$ORIGIN/../../lib;${KILN_SANITIZER_RPATH}")
endfunction()

function(add_kiln_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR" "TIMEOUT" "SOURCES;LINK;LABELS;ARGS;ENV")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_test(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_LABELS)
    message(FATAL_ERROR "add_kiln_test(${name}): LABELS is missing")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  kiln_test_programs(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main)
  if(arg_MLIR)
    kiln_mlir_target(${name})
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  else()
    target_compile_options(${name} PRIVATE ${KILN_TEST_OPTIONS})
    kiln_precompiled(${name} kiln_test_pch)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES LABELS "ci;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "${arg_ENV};${KILN_SANITIZER_ENVIRONMENT}")
  if("sanitize" IN_LIST arg_LABELS)
    add_dependencies(kiln-sanitized-tests ${name})
  endif()
endfunction()

# add_kiln_lit_tests: one folder of lit + FileCheck tests, run by ctest as one test.
#   add_kiln_lit_tests(NAME DIR folder LABELS l... DEPENDS t...)
function(add_kiln_lit_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIR" "LABELS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_lit_tests(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  get_filename_component(dir ${arg_DIR} ABSOLUTE)
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit/lit.py -sv --order=lexical
            -Dbuild=${CMAKE_BINARY_DIR} -Dllvm_tools=${LLVM_TOOLS_BINARY_DIR}
            -Dsuite=${name} --config-prefix=kiln-lit ${dir})
  # lit finds its configuration by walking up from the folder: every suite uses tests/kiln-lit.cfg.py.
  if(NOT EXISTS ${dir}/kiln-lit.cfg.py AND NOT dir MATCHES "^${PROJECT_SOURCE_DIR}/tests/")
    message(FATAL_ERROR "add_kiln_lit_tests(${name}): ${dir} has no kiln-lit.cfg.py")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "ci;${arg_LABELS}" TIMEOUT 300)
endfunction()
