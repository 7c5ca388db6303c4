# The SDK: headers, libraries, find_package(Kiln), the same for the build tree and for an installation. Tools and
# backends install themselves.
include(CMakePackageConfigHelpers)

set(KILN_CONFIG_COMPILER_LIBRARIES)
foreach(library compiler devicekit_compiler)
  if(TARGET kiln_${library})
    list(APPEND KILN_CONFIG_COMPILER_LIBRARIES ${library})
  endif()
endforeach()
list(JOIN KILN_CONFIG_COMPILER_LIBRARIES " " KILN_CONFIG_COMPILER_LIBRARIES)

# One template, two results: headers lie in the source tree's folders, or together in include/.
function(kiln_write_config folder includes)
  set(KILN_CONFIG_INCLUDE_DIRS "${includes}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/KilnConfig.cmake.in ${folder}/KilnConfig.cmake @ONLY)
endfunction()
set(KILN_CMAKE_FILES KilnBackend.cmake KilnCompleteManifest.cmake KilnFingerprint.cmake)
set(buildPackage "${CMAKE_BINARY_DIR}/lib/cmake/Kiln")
set(PREFIX "@PREFIX@") # stays in the file, for KilnConfig.cmake to replace
kiln_write_config(${buildPackage} "${PROJECT_SOURCE_DIR}/runtime/include;${PROJECT_SOURCE_DIR}/jit/include;\
${PROJECT_SOURCE_DIR}/dialects/include;${PROJECT_SOURCE_DIR}/devicekit/include;${PROJECT_BINARY_DIR}/dialects/include;\
${PROJECT_BINARY_DIR}/jit/include;${PROJECT_BINARY_DIR}/devicekit/include")
kiln_write_config(${CMAKE_BINARY_DIR}/cmake/installed "@PREFIX@/include")
write_basic_package_version_file(${buildPackage}/KilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(file IN LISTS KILN_CMAKE_FILES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file} ${buildPackage}/${file} COPYONLY)
endforeach()

list(TRANSFORM KILN_CMAKE_FILES PREPEND ${buildPackage}/)
install(FILES ${CMAKE_BINARY_DIR}/cmake/installed/KilnConfig.cmake ${buildPackage}/KilnConfigVersion.cmake
              ${KILN_CMAKE_FILES} DESTINATION lib/cmake/Kiln)
foreach(library runtime compiler onnx devicekit devicekit_compiler)
  if(TARGET kiln_${library})
    install(TARGETS kiln_${library} LIBRARY DESTINATION lib)
  endif()
endforeach()
install(DIRECTORY runtime/include/ jit/include/ dialects/include/ devicekit/include/ DESTINATION include
        FILES_MATCHING PATTERN *.h PATTERN *.td)
install(DIRECTORY ${PROJECT_BINARY_DIR}/dialects/include/ ${PROJECT_BINARY_DIR}/jit/include/
        ${PROJECT_BINARY_DIR}/devicekit/include/ DESTINATION include OPTIONAL FILES_MATCHING PATTERN *.inc)
install(FILES runtime/schema/Kernel.fbs runtime/schema/Program.fbs runtime/schema/manifest.schema.json
        DESTINATION share/kiln)
