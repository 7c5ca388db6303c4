# add_kiln_tool: one program in build/bin; its main is a few lines over tools/lib.
#   add_kiln_tool(NAME SOURCES main.cpp [LINK t...])
function(add_kiln_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_kiln_tool(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# add_kiln_mlir_tool: a program of the compiler tier, with the flags and the precompiled header of that tier.
#   add_kiln_mlir_tool(NAME SOURCES main.cpp [LINK t...])
function(add_kiln_mlir_tool name)
  add_kiln_tool(${name} ${ARGN})
  kiln_mlir_flags(${name})
  target_precompile_headers(${name} REUSE_FROM kiln_mlir_pch)
  target_compile_options(${name} PRIVATE -fPIC "SHELL:-Xclang -fno-pch-timestamp") # -fPIC as the header's owner
  target_link_libraries(${name} PRIVATE MLIR LLVM)
endfunction()
