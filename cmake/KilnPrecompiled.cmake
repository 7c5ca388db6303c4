# Precompiled headers. A header's owner and its users are compiled with the same flags, so there is one for each kind:
#   kiln_runtime_pch   runtime tier, tools: the standard library, fmt, Status
#   kiln_test_pch      their tests: the same, GoogleTest, JSON; not optimised, since compiling such tests costs more
#                      than running them
#   kiln_plugin_pch    test backends (tests/plugins): the SDK; not optimised
#   kiln_mlir_pch      compiler tier: what nearly every pass includes of MLIR
#   kiln_dialect_pch   compiler tier, for libraries about the kiln dialect: the same and its ops

# kiln_precompiled_owner: the object library that makes `header` once.
#   kiln_precompiled_owner(NAME header [OPTIONS o...] [LINK t...])
function(kiln_precompiled_owner name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;LINK")
  set(source "${CMAKE_BINARY_DIR}/cmake/${name}.cpp")
  file(GENERATE OUTPUT ${source} CONTENT "// Owner of the precompiled header ${header}.\n")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${header}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime/include)
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  # the header is the same whenever it is made: ccache keeps what was compiled with it
  target_compile_options(${name} PRIVATE ${arg_OPTIONS} "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# kiln_precompiled: compiles `target` with the header that `owner` makes.
#   kiln_precompiled(TARGET owner)
function(kiln_precompiled target owner)
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE") # -fPIC as the header's owner, instead of the -fPIE of programs
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

kiln_precompiled_owner(kiln_runtime_pch RuntimePrecompiled.h LINK fmt::fmt)
if(KILN_BUILD_TESTS)
  set(KILN_TEST_OPTIONS -O0)
  kiln_precompiled_owner(kiln_test_pch TestPrecompiled.h OPTIONS ${KILN_TEST_OPTIONS}
    LINK fmt::fmt nlohmann_json::nlohmann_json GTest::gmock)
endif()
