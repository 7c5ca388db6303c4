# add_kiln_backend: one backend: its two libraries and its completed manifest. The same in-tree and for a stranger's
# project after find_package(Kiln).
#   add_kiln_backend(NAME MANIFEST name.kiln.json RUNTIME f.cpp... [COMPILER f.cpp...]
#                    [RUNTIME_LINK t...] [COMPILER_LINK t...] [COMPILER_DEPENDS t...])
# Makes, in ${CMAKE_BINARY_DIR}/lib/kiln/backends.d (KILN_BACKEND_OUTPUT_DIR overrides it):
#   libkiln_NAME.so            runtime tier: exports kiln_backend_query_v1 only; no LLVM, no MLIR
#   libkiln_NAME_compiler.so   compiler tier: exports kiln_backend_compiler_query_v1 only; links libkiln_compiler
#   NAME.kiln.json             MANIFEST with its `abi` block, taken from the notes of the built libraries
# and installs the three into lib/kiln/backends.d. Unit tests link the objects: kiln_NAME_objects,
# kiln_NAME_compiler_objects.
include(${CMAKE_CURRENT_LIST_DIR}/KilnFingerprint.cmake)
set(KILN_BACKEND_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
if(NOT DEFINED KILN_SDK_INCLUDE_DIRS) # in-tree; KilnConfig.cmake sets it for others
  set(KILN_VERSION ${PROJECT_VERSION})
  set(KILN_SDK_INCLUDE_DIRS "${PROJECT_SOURCE_DIR}/runtime/include")
endif()
if(TARGET MLIR) # absent where only the runtime is installed
  kiln_llvm_fingerprint(KILN_LLVM_FINGERPRINT)
endif()
if(Kiln_SOURCE_DIR) # the runtime compares with its own
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/runtime/kiln/BuildFingerprint.h" @ONLY CONTENT
"// BuildFingerprint.h: what this build of Kiln was linked with; written by cmake/KilnBackend.cmake.
#define KILN_LLVM_FINGERPRINT \"@KILN_LLVM_FINGERPRINT@\"
")
endif()

# kiln_library_note: writes the source of the ELF note of a library of the compiler tier, which says what it was built for;
# for importers (kiln/jit/Importer.h). Backends have theirs from add_kiln_backend.
#   kiln_library_note(OUT_SOURCE target)
function(kiln_library_note out target)
  kiln_write_note(${out} ${target} "tier=compiler;${KILN_LLVM_FINGERPRINT};")
  set(${out} "${${out}}" PARENT_SCOPE)
endfunction()

function(kiln_write_note out target text)
  set(note "${CMAKE_CURRENT_BINARY_DIR}/${target}_note.cpp")
  file(CONFIGURE OUTPUT ${note} @ONLY CONTENT
"// The note of @target@; written by cmake/KilnBackend.cmake.
#include \"kiln/BackendNote.h\"
KILN_BACKEND_NOTE(KILN_ABI_FINGERPRINT \";@text@\" KILN_CXX_FINGERPRINT)
")
  set(${out} "${note}" PARENT_SCOPE)
endfunction()

# One library of a backend: its objects, the version script, the note.
function(kiln_backend_library target query)
  cmake_parse_arguments(PARSE_ARGV 2 arg "MLIR" "NOTE" "SOURCES;LINK;DEPENDS")
  if(arg_MLIR AND COMMAND add_kiln_mlir_library)
    add_kiln_mlir_library(${target}_objects OBJECT SOURCES ${arg_SOURCES} LINK ${arg_LINK} DEPENDS ${arg_DEPENDS})
  else()
    add_library(${target}_objects OBJECT ${arg_SOURCES})
    target_link_libraries(${target}_objects PUBLIC ${arg_LINK})
    if(arg_DEPENDS)
      add_dependencies(${target}_objects ${arg_DEPENDS})
    endif()
    if(arg_MLIR)
      target_compile_options(${target}_objects PRIVATE -fno-exceptions)
    endif()
  endif()
  target_include_directories(${target}_objects PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}
                                                      ${KILN_SDK_INCLUDE_DIRS})
  if(Kiln_SOURCE_DIR) # in-tree: includes relative to the root
    target_include_directories(${target}_objects PUBLIC ${Kiln_SOURCE_DIR})
  endif()
  target_compile_features(${target}_objects PUBLIC cxx_std_20)
  set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

  kiln_write_note(note ${target} "${arg_NOTE}")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.version")
  file(CONFIGURE OUTPUT ${script} CONTENT "{ global: ${query}; local: *; };\n")

  add_library(${target} MODULE ${note})
  target_include_directories(${target} PRIVATE ${KILN_SDK_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE ${target}_objects)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${script}" LINKER:-z,defs LINKER:--build-id=sha1)
  set_target_properties(${target} PROPERTIES PREFIX lib LINK_DEPENDS ${script} CXX_STANDARD 20
    LIBRARY_OUTPUT_DIRECTORY "${KILN_BACKEND_OUTPUT_DIR}" BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../..;${LLVM_LIBRARY_DIR}")
endfunction()

function(add_kiln_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST"
                        "RUNTIME;COMPILER;RUNTIME_LINK;COMPILER_LINK;COMPILER_DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_backend(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(required MANIFEST RUNTIME)
    if(NOT arg_${required})
      message(FATAL_ERROR "add_kiln_backend(${name}): ${required} is missing")
    endif()
  endforeach()
  if(NOT KILN_BACKEND_OUTPUT_DIR)
    set(KILN_BACKEND_OUTPUT_DIR "${CMAKE_BINARY_DIR}/lib/kiln/backends.d")
  endif()

  set(libraries kiln_${name})
  kiln_backend_library(kiln_${name} kiln_backend_query_v1 NOTE "tier=runtime;"
    SOURCES ${arg_RUNTIME} LINK ${arg_RUNTIME_LINK})
  if(arg_COMPILER)
    set(compiler ${arg_COMPILER_LINK})
    if(TARGET Kiln::compiler)
      list(APPEND compiler Kiln::compiler)
    elseif(TARGET kiln_compiler)
      list(APPEND compiler kiln_compiler)
    else()
      message(FATAL_ERROR "add_kiln_backend(${name}): COMPILER needs libkiln_compiler, which this Kiln lacks")
    endif()
    kiln_backend_library(kiln_${name}_compiler kiln_backend_compiler_query_v1 MLIR
      NOTE "tier=compiler;${KILN_LLVM_FINGERPRINT};"
      SOURCES ${arg_COMPILER} LINK ${compiler} DEPENDS ${arg_COMPILER_DEPENDS})
    list(APPEND libraries kiln_${name}_compiler)
  endif()

  get_filename_component(source "${arg_MANIFEST}" ABSOLUTE)
  set(manifest "${KILN_BACKEND_OUTPUT_DIR}/${name}.kiln.json")
  set(files)
  foreach(library IN LISTS libraries)
    list(APPEND files "$<TARGET_FILE:${library}>")
  endforeach()
  add_custom_command(OUTPUT ${manifest}
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${source}" "-DOUTPUT=${manifest}" "-DLIBRARIES=${files}"
            "-DREADELF=${CMAKE_READELF}" -P "${KILN_BACKEND_CMAKE_DIR}/KilnCompleteManifest.cmake"
    DEPENDS ${source} ${libraries} "${KILN_BACKEND_CMAKE_DIR}/KilnCompleteManifest.cmake" VERBATIM)
  add_custom_target(kiln_${name}_backend ALL DEPENDS ${manifest})

  if(KILN_BACKEND_NO_INSTALL) # backends of tests
    return()
  endif()
  install(TARGETS ${libraries} LIBRARY DESTINATION lib/kiln/backends.d)
  install(FILES ${manifest} DESTINATION lib/kiln/backends.d)
endfunction()

# add_kiln_conformance: ctest `conformance-NAME`: the conformance suite on a device of this build.
#   add_kiln_conformance(NAME [DEVICE device])   DEVICE: NAME unless given
function(add_kiln_conformance name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE" "")
  if(NOT KILN_BACKEND_OUTPUT_DIR)
    set(KILN_BACKEND_OUTPUT_DIR "${CMAKE_BINARY_DIR}/lib/kiln/backends.d")
  endif()
  if(NOT arg_DEVICE)
    set(arg_DEVICE ${name})
  endif()
  add_test(NAME conformance-${name} COMMAND ${Kiln_CONFORMANCE} --device ${arg_DEVICE})
  set_tests_properties(conformance-${name} PROPERTIES TIMEOUT 600
    ENVIRONMENT "KILN_BACKEND_PATH=${KILN_BACKEND_OUTPUT_DIR};KILN_BACKENDS_REQUIRE=${name}")
endfunction()
