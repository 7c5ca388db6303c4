// Diagnostics.cpp: turns locations and MLIR diagnostics into text.
#include "jit/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kMaxErrors = 8; // more of one compilation help nobody

void collect(Location location, std::vector<std::string> &parts) {
  auto add = [&](std::string text) {
    if (!llvm::is_contained(parts, text))
      parts.push_back(std::move(text));
  };
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc loc) {
        add((loc.getFilename().getValue() + ":" + Twine(loc.getLine()) + ":" + Twine(loc.getColumn())).str());
      })
      .Case([&](NameLoc loc) { add(loc.getName().str()); })
      .Case([&](CallSiteLoc loc) { collect(loc.getCallee(), parts); })
      .Case([&](OpaqueLoc loc) { collect(loc.getFallbackLocation(), parts); })
      .Case([&](FusedLoc loc) {
        for (Location part : loc.getLocations())
          collect(part, parts);
      })
      .Default([](LocationAttr) {});
}
} // namespace

std::string kiln::jit::locationText(Location location) {
  std::vector<std::string> parts;
  collect(location, parts);
  return llvm::join(parts, ", ");
}

std::string kiln::jit::withName(StringRef name, StringRef text) {
  if (StringRef rest = text; rest.consume_front(name) && rest.starts_with(":"))
    return text.str();
  std::string once = text.str(), again = (": " + name + ": ").str(); // of a node's location, behind a stage
  if (size_t at = once.find(again); at != std::string::npos)
    once.erase(at, again.size() - 2);
  return name.str() + ": " + once;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success(); // warnings and remarks of a compilation are nobody's business
        std::string text = locationText(diagnostic.getLocation());
        text += (text.empty() ? "" : ": ") + diagnostic.str();
        for (Diagnostic &note : diagnostic.getNotes()) {
          std::string where = locationText(note.getLocation());
          // "see current operation" repeats the op with all its types.
          if (!StringRef(note.str()).starts_with("see current operation"))
            text += "\nnote: " + (where.empty() ? "" : where + ": ") + note.str();
        }
        if (errors.size() < kMaxErrors)
          errors.push_back(std::move(text));
        return success();
      }) {}

Status DiagnosticCollector::toStatus(Code code, const Twine &what) const {
  if (errors.empty())
    return internalError(what + ": failed without a diagnostic");
  return makeError(code, withName(what.str(), llvm::join(errors, "\n")));
}
