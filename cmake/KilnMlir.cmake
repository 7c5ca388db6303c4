# Targets of the compiler tier: shared libraries linked to libMLIR.so and libLLVM.so only (a second copy of
# MLIR's TypeIDs crashes), all compiled with one precompiled MLIR header.
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
find_program(KILN_MLIR_TBLGEN mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

# The include folders and flags of the compiler tier.
function(kiln_mlir_flags target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR}/dialects/include ${PROJECT_BINARY_DIR}/dialects/include
    ${PROJECT_SOURCE_DIR}/jit/include ${PROJECT_BINARY_DIR}/jit/include ${PROJECT_SOURCE_DIR}/runtime/include
    ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -fno-exceptions -fvisibility=default)
endfunction()

# kiln_mlir_target: flags and precompiled header of the compiler tier; DIALECT says that most files of the target
# include the kiln dialect.
#   kiln_mlir_target(TARGET [DIALECT])
function(kiln_mlir_target target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DIALECT" "" "")
  kiln_mlir_flags(${target})
  if(arg_DIALECT)
    kiln_precompiled(${target} kiln_dialect_pch)
    add_dependencies(${target} kiln_ir_tablegen kiln_interfaces_tablegen)
  else()
    kiln_precompiled(${target} kiln_mlir_pch)
  endif()
endfunction()

kiln_precompiled_owner(kiln_mlir_pch MlirPrecompiled.h)
kiln_precompiled_owner(kiln_dialect_pch DialectPrecompiled.h)
add_dependencies(kiln_dialect_pch kiln_ir_tablegen kiln_interfaces_tablegen)
foreach(owner kiln_mlir_pch kiln_dialect_pch)
  kiln_mlir_flags(${owner})
endforeach()

# add_kiln_mlir_library: one library of the compiler tier.
#   add_kiln_mlir_library(NAME [OBJECT] [DIALECT] SOURCES f.cpp... [LINK t...] [DEPENDS t...])
function(add_kiln_mlir_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OBJECT;DIALECT" "" "SOURCES;LINK;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_mlir_library(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(type SHARED)
  if(arg_OBJECT)
    set(type OBJECT)
  endif()
  set(dialect)
  if(arg_DIALECT)
    set(dialect DIALECT)
  endif()
  add_library(${name} ${type} ${arg_SOURCES})
  kiln_mlir_target(${name} ${dialect})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(NOT arg_OBJECT)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# add_kiln_tablegen: runs mlir-tblgen for one .td file.
#   add_kiln_tablegen(TARGET TD file.td OUTPUTS out.h.inc -gen-op-decls [out.cpp.inc -gen-op-defs ...])
# OUTPUTS are pairs of a file, relative to the current binary folder, and one mlir-tblgen action (with its options
# after commas: Passes.h.inc -gen-pass-decls,-name=Kiln).
function(add_kiln_tablegen target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TD" "OUTPUTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_tablegen(${target}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${arg_TD}")
  file(GLOB siblings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/dialects/include/kiln/IR/*.td"
    "${PROJECT_SOURCE_DIR}/devicekit/include/kiln/devicekit/*.td" "${CMAKE_CURRENT_SOURCE_DIR}/IR/*.td")
  set(outputs)
  while(arg_OUTPUTS)
    list(POP_FRONT arg_OUTPUTS file action)
    string(REPLACE "," ";" action "${action}")
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${file}")
    get_filename_component(folder ${output} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${output}
      COMMAND ${KILN_MLIR_TBLGEN} ${action} ${source} -o ${output} --write-if-changed
              -I ${MLIR_INCLUDE_DIRS} -I ${PROJECT_SOURCE_DIR}/dialects/include -I ${CMAKE_CURRENT_SOURCE_DIR}
              -I ${PROJECT_SOURCE_DIR}/jit/include -I ${PROJECT_SOURCE_DIR}/devicekit/include -I ${PROJECT_SOURCE_DIR}
      DEPENDS ${source} ${siblings} VERBATIM)
    list(APPEND outputs ${output})
  endwhile()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()

# kiln_llvm_build_ids: the ELF build ids of the libMLIR.so and libLLVM.so that are linked, as hex.
#   kiln_llvm_build_ids(OUT_MLIR OUT_LLVM)
function(kiln_llvm_build_ids outMlir outLlvm)
  foreach(pair "MLIR;${outMlir}" "LLVM;${outLlvm}")
    list(GET pair 0 library)
    list(GET pair 1 out)
    get_target_property(file ${library} LOCATION)
    execute_process(COMMAND ${CMAKE_READELF} -n ${file} OUTPUT_VARIABLE notes ERROR_QUIET)
    if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
      message(FATAL_ERROR "kiln_llvm_build_ids: ${file} has no build id")
    endif()
    set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endforeach()
endfunction()
