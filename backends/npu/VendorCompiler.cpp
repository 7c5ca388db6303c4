// VendorCompiler.cpp: files stand in for pipes, so that neither side waits for the other.
#include "backends/npu/VendorCompiler.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace kiln::npu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTool = "bishengir-opt";
constexpr std::chrono::milliseconds kVersionLimit{10000};

struct Closer {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

std::string readAll(FILE *file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, count);
  return text;
}

bool isProgram(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// The tool at a place, or "".
std::string toolAt(const fs::path &place) {
  std::error_code error;
  if (!fs::is_directory(place, error))
    return isProgram(place) ? place.string() : "";
  for (const fs::path &path : {place / kTool, place / "bin" / kTool})
    if (isProgram(path))
      return path.string();
  return "";
}

/// Where `tools/dev setup` puts the package: python's packages in vendor-venv, beside the build's libraries.
std::string toolInBuild() {
  Dl_info info = {};
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return "";
  std::error_code error;
  fs::path folder = fs::weakly_canonical(info.dli_fname, error).parent_path();
  for (int level = 0; level < 4; ++level, folder = folder.parent_path())
    for (const auto &entry : fs::directory_iterator(folder / "vendor-venv" / "lib", error))
      if (std::string found = toolAt(entry.path() / "site-packages" / "ascendnpuir"); !found.empty())
        return found;
  return "";
}

std::string toolOnPath() {
  const char *path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0 && isProgram(fs::path(rest.substr(0, colon)) / kTool))
      return (fs::path(rest.substr(0, colon)) / kTool).string();
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return "";
}

/// Waits until the child has ended or the limit is over, when it is killed with its process group.
void await(pid_t pid, std::chrono::milliseconds limit, VendorRun &run) {
  int ended = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (ended >= 0) {
    pollfd file = {ended, POLLIN, 0};
    auto end = std::chrono::steady_clock::now() + limit;
    int ready = 0;
    do {
      auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      ready = poll(&file, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    } while (ready < 0 && errno == EINTR);
    run.isLate = ready == 0;
    close(ended);
  }
  if (run.isLate)
    kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status))
    run.exitCode = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    run.signal = WTERMSIG(status);
}

} // namespace

Result<VendorRun> VendorCompiler::run(const std::vector<std::string> &arguments, std::string_view input,
                                      std::chrono::milliseconds limit) const {
  auto cannot = [&](int error) {
    return Status(Code::Unavailable, "'" + thePath + "': cannot be started: " + std::strerror(error));
  };
  File in(std::tmpfile()), out(std::tmpfile()), errors(std::tmpfile());
  if (!in || !out || !errors || std::fwrite(input.data(), 1, input.size(), in.get()) != input.size())
    return cannot(errno);
  std::rewind(in.get());
  std::vector<char *> words = {const_cast<char *>(thePath.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (auto [file, number] : {std::pair(&in, 0), std::pair(&out, 1), std::pair(&errors, 2)})
    posix_spawn_file_actions_adddup2(&actions, fileno(file->get()), number);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  int error = posix_spawn(&pid, thePath.c_str(), &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return cannot(error);
  VendorRun run;
  await(pid, limit, run);
  run.output = readAll(out.get());
  run.errors = readAll(errors.get());
  return run;
}

Result<VendorCompiler> VendorCompiler::find(const std::string &configured) {
  std::string path;
  if (!configured.empty()) {
    path = toolAt(configured);
    if (path.empty())
      return Status(Code::NotFound, "KILN_NPU_ASCENDNPU_IR: no " + std::string(kTool) + " at '" + configured +
                                        "'; expected the tool or a folder with it");
  } else {
    path = toolOnPath();
    if (path.empty())
      path = toolInBuild();
    if (path.empty())
      return Status(Code::NotFound,
                    std::string(kTool) + " " + std::string(kVersion) + " not found: tools/dev setup");
  }
  VendorCompiler found(path);
  KILN_ASSIGN_OR_RETURN(VendorRun version, found.run({"--version"}, "", kVersionLimit));
  size_t at = version.output.find(std::string(kTool) + " ");
  std::string text = version.output.substr(0, version.output.find('\n'));
  std::string_view number = at == std::string::npos
                                ? std::string_view()
                                : std::string_view(version.output).substr(at + kTool.size() + 1);
  number = number.substr(0, number.find_first_of(" \n"));
  if (version.exitCode != 0 || number != kVersion)
    return Status(Code::FailedPrecondition, "'" + path + "': its version is '" + text + "'; expected " +
                                                std::string(kVersion) + ", for which HIVM text is written");
  return found;
}

} // namespace kiln::npu
