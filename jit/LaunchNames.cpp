// LaunchNames.cpp: reads node names out of locations.
#include "jit/LaunchNames.h"

#include "jit/Diagnostics.h"
#include "kiln/jit/Outline.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kMaxNodes = 3; // in a launch's name; the rest is counted

/// conv_12 of "model.onnx: node 'conv_12' (Conv)", else the whole.
std::string nodeName(StringRef location) {
  size_t begin = location.find("node '");
  if (begin == StringRef::npos)
    return location.str();
  StringRef rest = location.substr(begin + 6);
  return rest.take_front(rest.find("'")).str();
}
} // namespace

std::vector<std::string> kiln::jit::opLocations(LaunchOp launch) {
  std::vector<std::string> texts;
  if (auto locations = launch->getAttrOfType<ArrayAttr>(kOpLocationsAttr))
    for (Attribute location : locations)
      if (auto known = dyn_cast<LocationAttr>(location))
        texts.push_back(locationText(Location(known)));
  return texts;
}

std::string kiln::jit::launchName(LaunchOp launch) {
  std::vector<std::string> nodes;
  if (auto locations = launch->getAttrOfType<ArrayAttr>(kOpLocationsAttr))
    for (Attribute location : locations)
      if (auto known = dyn_cast<LocationAttr>(location))
        if (auto name = known.findInstanceOf<NameLoc>())
          if (std::string node = nodeName(name.getName()); !llvm::is_contained(nodes, node))
            nodes.push_back(node);
  if (nodes.empty())
    return launch.getLabel().value_or(launch.getKernel()).str();
  std::string text;
  for (const std::string &node : llvm::ArrayRef(nodes).take_front(kMaxNodes))
    text += (text.empty() ? "" : "+") + node;
  if (nodes.size() > kMaxNodes)
    text += "+" + std::to_string(nodes.size() - kMaxNodes) + " more";
  return text;
}
