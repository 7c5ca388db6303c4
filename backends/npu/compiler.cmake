# compiler.cmake: the npu's compiler tier: its dialect's code and its sources, for add_kiln_backend.
add_kiln_tablegen(kiln_npu_ir_tablegen TD IR/NpuOps.td OUTPUTS
  IR/NpuDialect.h.inc   -gen-dialect-decls,-dialect=npu
  IR/NpuDialect.cpp.inc -gen-dialect-defs,-dialect=npu
  IR/NpuEnums.h.inc     -gen-enum-decls
  IR/NpuEnums.cpp.inc   -gen-enum-defs
  IR/NpuAttrs.h.inc     -gen-attrdef-decls,-attrdefs-dialect=npu
  IR/NpuAttrs.cpp.inc   -gen-attrdef-defs,-attrdefs-dialect=npu
  IR/NpuOps.h.inc       -gen-op-decls
  IR/NpuOps.cpp.inc     -gen-op-defs)

add_kiln_tablegen(kiln_npu_passes_tablegen TD Transforms/Passes.td OUTPUTS
  Transforms/Passes.h.inc -gen-pass-decls,-name=KilnNpu)

set(npuCompilerSources
  Banks.cpp
  CodeWriter.cpp
  CubeCode.cpp
  EmitObject.cpp
  Hivm/HivmAttention.cpp
  Hivm/HivmForm.cpp
  Hivm/HivmProduct.cpp
  Hivm/HivmWriter.cpp
  IR/NpuBanks.cpp
  IR/NpuCost.cpp
  IR/NpuDialect.cpp
  IR/NpuOps.cpp
  IR/NpuVerify.cpp
  Isa/Isa.cpp
  Isa/IsaText.cpp
  NpuObject.cpp
  NpuObjectText.cpp
  Pipelines.cpp
  RegisterCompiler.cpp
  Registers.cpp
  ScalarArith.cpp
  ScalarCode.cpp
  Target.cpp
  Transforms/Access.cpp
  Transforms/ArrangeSorts.cpp
  Transforms/AttentionLowering.cpp
  Transforms/AttentionSoftmax.cpp
  Transforms/AxisLowering.cpp
  Transforms/BoundEpilogues.cpp
  Transforms/ConvLayout.cpp
  Transforms/ConvLowering.cpp
  Transforms/ConvTiling.cpp
  Transforms/CubeBuilder.cpp
  Transforms/CubeEpilogue.cpp
  Transforms/CubeLowering.cpp
  Transforms/CubeProduct.cpp
  Transforms/CubeTiling.cpp
  Transforms/Domain.cpp
  Transforms/Elementwise.cpp
  Transforms/ExactProducts.cpp
  Transforms/FusedStore.cpp
  Transforms/GlobalView.cpp
  Transforms/KeepAttention.cpp
  Transforms/LayOutConvs.cpp
  Transforms/LongSortLowering.cpp
  Transforms/LowerKernels.cpp
  Transforms/MovementLowering.cpp
  Transforms/SinkScalars.cpp
  Transforms/SplitL0.cpp
  Transforms/SplitNorms.cpp
  Transforms/SplitVolumes.cpp
  Transforms/ScalarAddresses.cpp
  Transforms/ScalarLoops.cpp
  Transforms/ScalarFusion.cpp
  Transforms/ScalarLowering.cpp
  Transforms/ScalarMath.cpp
  Transforms/ShareBlocks.cpp
  Transforms/ScanLowering.cpp
  Transforms/SortLowering.cpp
  Transforms/SortTiles.cpp
  Transforms/TileBuilder.cpp
  Transforms/TileFunctions.cpp
  Transforms/TileInts.cpp
  Transforms/TileMath.cpp
  Transforms/TileReduce.cpp
  Transforms/VectorGather.cpp
  Transforms/VectorLowering.cpp
  Transforms/VectorTiling.cpp
  Transforms/VectorTransfers.cpp
  Transforms/WindowLowering.cpp
  Transforms/WindowTiling.cpp
  Transforms/WordPairs.cpp
  VectorCode.cpp
  VectorShapeCode.cpp
)
set(npuCompilerLink kiln_devicekit_compiler kiln_devicekit)
set(npuCompilerDepends kiln_npu_ir_tablegen kiln_npu_passes_tablegen kiln_ir_tablegen kiln_interfaces_tablegen kiln_transforms_tablegen
  kiln_devicekit_interfaces_tablegen)
