# compiler.cmake: the sources of the host's compiler tier, for add_kiln_backend.
add_kiln_tablegen(kiln_host_passes_tablegen TD Transforms/Passes.td OUTPUTS
  Transforms/Passes.h.inc -gen-pass-decls,-name=KilnHost)

set(hostCompilerSources
  CodeMemory.cpp
  ElfObject.cpp
  ElfRewrite.cpp
  EmitObject.cpp
  HostOptions.cpp
  LlvmModule.cpp
  OrcCodeMemory.cpp
  OrcLoader.cpp
  PerfMap.cpp
  Pipelines.cpp
  RegisterCompiler.cpp
  RuntimeSymbols.cpp
  Transforms/BlockContractions.cpp
  Transforms/BodyLanes.cpp
  Transforms/Collapse.cpp
  Transforms/Contract.cpp
  Transforms/Contraction.cpp
  Transforms/Describe.cpp
  Transforms/Destinations.cpp
  Transforms/Entry.cpp
  Transforms/ExpandMath.cpp
  Transforms/Fuse.cpp
  Transforms/LoopDestinations.cpp
  Transforms/LoopNest.cpp
  Transforms/MathErf.cpp
  Transforms/MathExp.cpp
  Transforms/MathLog.cpp
  Transforms/MathReduction.cpp
  Transforms/MathRemainder.cpp
  Transforms/MathTrig.cpp
  Transforms/NestBody.cpp
  Transforms/NestEmitter.cpp
  Transforms/OpLines.cpp
  Transforms/PackWeights.cpp
  Transforms/PackedPairs.cpp
  Transforms/PairProducts.cpp
  Transforms/SinkPads.cpp
  Transforms/SizeBounds.cpp
  Transforms/Storage.cpp
  Transforms/TemplateName.cpp
  Transforms/Temporaries.cpp
  Transforms/Tile.cpp
  Transforms/TileSpace.cpp
  Transforms/ToLlvm.cpp
  Transforms/UnpackWeights.cpp
  Transforms/Vectorize.cpp
)
# <elf.h> makes macros of what LLVM has as enumerators.
set_source_files_properties(ElfObject.cpp ElfRewrite.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
