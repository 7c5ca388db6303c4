# add_kiln_library: one library of the runtime tier (no LLVM, no MLIR).
#   add_kiln_library(NAME [SHARED] SOURCES f.cpp... [LINK_PUBLIC t...] [LINK_PRIVATE t...] [INCLUDE_PUBLIC d...])
# The default is a static library of position-independent objects.
function(add_kiln_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "" "SOURCES;LINK_PUBLIC;LINK_PRIVATE;INCLUDE_PUBLIC")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_library(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(type STATIC)
  if(arg_SHARED)
    set(type SHARED)
  endif()
  add_library(${name} ${type} ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${arg_INCLUDE_PUBLIC} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_LINK_PUBLIC} PRIVATE ${arg_LINK_PRIVATE})
endfunction()

# add_kiln_flatbuffers: C++ headers from FlatBuffers schemas, in ${CMAKE_CURRENT_BINARY_DIR}/kiln/schema.
#   add_kiln_flatbuffers(NAME SCHEMAS a.fbs b.fbs)
# Makes the interface library NAME; includes are "kiln/schema/a_generated.h".
function(add_kiln_flatbuffers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SCHEMAS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_flatbuffers(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(outDir "${CMAKE_CURRENT_BINARY_DIR}/kiln/schema")
  foreach(schema IN LISTS arg_SCHEMAS)
    get_filename_component(stem ${schema} NAME_WE)
    set(header "${outDir}/${stem}_generated.h")
    add_custom_command(OUTPUT ${header}
      COMMAND ${KILN_FLATC} --cpp --scoped-enums --gen-object-api --reflect-names -o ${outDir}
              -I ${CMAKE_CURRENT_SOURCE_DIR}/schema ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
      DEPENDS ${arg_SCHEMAS} VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  add_custom_target(${name}_headers DEPENDS ${headers})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_headers)
  target_include_directories(${name} SYSTEM INTERFACE ${CMAKE_CURRENT_BINARY_DIR} ${KILN_FLATBUFFERS_INCLUDE})
  # force_align of 64, a cache line: the library's own limit is 32.
  target_compile_definitions(${name} INTERFACE FLATBUFFERS_MAX_ALIGNMENT=64)
endfunction()
