// ElfRewrite.h: a copy of a kernel object whose entry has another name.
#ifndef KILN_BACKENDS_HOST_ELFREWRITE_H
#define KILN_BACKENDS_HOST_ELFREWRITE_H

#include "ElfObject.h"

#include <string>

namespace kiln::host {

/// Changes to an object that ElfObject::parse has accepted and that has the entry.
struct ElfRewrite {
  std::string_view entry;                                    // its name in the object
  std::string newName;                                       // its name in the copy
  bool hideOthers = false;                                   // makes all other defined symbols local
  bool dropUnmapped = false;                                 // forgets debug information
  const std::vector<const std::byte *> *addresses = nullptr; // of the parsed sections, put into their headers
};

std::vector<std::byte> rewriteElf(std::span<const std::byte> file, const ElfObject &parsed,
                                  const ElfRewrite &rewrite);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_ELFREWRITE_H
