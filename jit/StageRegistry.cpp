// StageRegistry.cpp: the stages' names.
#include "kiln/jit/StageRegistry.h"

using namespace kiln::jit;

llvm::StringRef kiln::jit::stageName(Stage stage) {
  switch (stage) {
  case Stage::Graph:
    return "graph";
  case Stage::Form:
    return "form";
  case Stage::Tensor:
    return "tensor";
  case Stage::Tile:
    return "tile";
  case Stage::Buffer:
    return "buffer";
  case Stage::Lower:
    return "lower";
  case Stage::Emit:
    return "emit";
  }
  return "";
}

std::optional<Stage> kiln::jit::parseStage(llvm::StringRef name) {
  for (size_t i = 0; i < kStageCount; ++i)
    if (stageName(static_cast<Stage>(i)) == name)
      return static_cast<Stage>(i);
  return std::nullopt;
}
