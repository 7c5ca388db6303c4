// ToolMain.cpp: the frame around every tool.
#include "tools/lib/ToolMain.h"

#include "kiln/kiln.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ext/stdio_filebuf.h>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace kiln::tools {

int usageError(const ToolSpec &spec, std::string_view message, std::ostream &err) {
  err << fmt::format("{0}: error: {1}\n{0}: note: '{0} --help' lists the flags\n", spec.name, message);
  return kUsage;
}

int runTool(const ToolSpec &spec, int argc, const char *const *argv, std::ostream &out, std::ostream &err,
            const ToolBody &body) {
  try {
    Result<ParsedFlags> flags = parseFlags(spec, argc, argv);
    if (!flags.ok())
      return usageError(spec, flags.status().message(), err);
    switch (flags->wish) {
    case ParsedFlags::Wish::ShortHelp:
      printShortHelp(spec, out);
      return kYes;
    case ParsedFlags::Wish::LongHelp:
      printLongHelp(spec, out);
      return kYes;
    case ParsedFlags::Wish::Version:
      out << fmt::format("{} {}\n", spec.name, kiln_version());
      return kYes;
    case ParsedFlags::Wish::Generate:
      printGenerated(spec, flags->text("generate"), out);
      return kYes;
    case ParsedFlags::Wish::Run:
      break;
    }
    Result<int> code = body(*flags, out, err);
    out.flush();
    if (code.ok())
      return *code;
    err << fmt::format("{}: error: {}\n", spec.name, code.status().message());
    return kFailed;
  } catch (const std::bad_alloc &) {
    err << fmt::format("{}: error: out of host memory\n", spec.name);
    return kFailed;
  } catch (const std::exception &error) {
    err << fmt::format("{}: bug: {}; please report it\n", spec.name, error.what());
    return kBug;
  }
}

int runMain(int (*tool)(int, const char *const *, std::ostream &, std::ostream &), int argc,
            const char *const *argv) {
  std::cout.flush();
  int results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  bool isApart = results >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO;
  int code = kFailed;
  {
    __gnu_cxx::stdio_filebuf<char> buffer(isApart ? results : STDOUT_FILENO, std::ios::out);
    std::ostream out(&buffer);
    code = tool(argc, argv, out, std::cerr);
    if (!out.flush() && code == kYes) {
      std::cerr << argv[0] << ": error: the results cannot be written: " << strerror(errno) << "\n";
      code = kFailed;
    }
  }
  fflush(nullptr);
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
  std::_Exit(code);
#else
  return code; // with the sanitizer's last checks
#endif
}

} // namespace kiln::tools
