// Driver.cpp: a target without libFuzzer: replays a corpus and seeded mutations of it in child processes,
// which may neither crash nor hang nor take memory beyond a bound. What breaks a child is written to a file
// and named.
#include "tests/fuzz/Target.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using kiln::fuzz::Random;

namespace {

constexpr time_t kCpuSecondsPerInput = 10; // so that a busy machine makes no failures
constexpr unsigned kSecondsPerInput = 120; // of an input that waits
constexpr size_t kInputsPerChild = 500;
constexpr size_t kMostBreaks = 10;
constexpr rlim_t kMemoryBytes = rlim_t{2} << 30; // on top of what the process has before the first input
constexpr int kMostMutations = 3;                // of one input

struct Settings {
  uint64_t count = 1000, seed = 1;
  std::string corpus, artifacts = ".";
};

bool parseNumber(const char *text, uint64_t &value) {
  auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc() && *end == '\0';
}

std::vector<std::string> readCorpus(const std::string &folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const fs::path &path : paths) {
    std::ifstream file(path, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return contents;
}

/// Input `index`: first the corpus as it is, then mutations; the same for the same seed in any process.
std::string inputAt(const std::vector<std::string> &corpus, const Settings &settings, uint64_t index) {
  if (index < corpus.size())
    return corpus[index];
  Random random(settings.seed * 0x9E3779B97F4A7C15ull + index);
  std::string bytes = corpus[random() % corpus.size()];
  for (uint64_t i = 0, times = 1 + random() % kMostMutations; i < times; ++i)
    bytes = kiln::fuzz::mutate(bytes, random);
  return bytes;
}

/// Ends the process by SIGPROF or SIGALRM if the input takes too long. 0: no more.
void limitTime(time_t cpuSeconds, unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = cpuSeconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(seconds);
}

void limitMemory() {
#if !__has_feature(address_sanitizer) &&                                                                     \
    !__has_feature(thread_sanitizer) // these reserve address space by the terabyte
  std::ifstream statm("/proc/self/statm");
  uint64_t pages = 0;
  statm >> pages;
  rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kMemoryBytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Runs inputs [begin, end) in a child. Returns the index at which it broke, or `end`, and how in `status`.
uint64_t runChild(const std::vector<std::string> &corpus, const Settings &settings, uint64_t begin,
                  uint64_t end, volatile uint64_t *progress, int &status) {
  *progress = begin;
  pid_t child = fork();
  if (child == 0) {
    // What a target prints of damaged inputs is of no interest; crashes of sanitizers go to their own log.
    if (!std::getenv("KILN_FUZZ_VERBOSE"))
      (void)!std::freopen("/dev/null", "w", stderr);
    std::string warm = corpus.front();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(warm.data()), warm.size()); // opens libraries
    limitMemory();
    for (uint64_t index = begin; index < end; ++index) {
      *progress = index;
      std::string bytes = inputAt(corpus, settings, index);
      limitTime(kCpuSecondsPerInput, kSecondsPerInput);
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    }
    *progress = end;
    limitTime(0, 0);
    _exit(0);
  }
  waitpid(child, &status, 0);
  return *progress;
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    switch (WTERMSIG(status)) {
    case SIGPROF:
      return "took more than 10 s of CPU time";
    case SIGALRM:
      return "took more than 120 s";
    default:
      return "ended by " + std::string(strsignal(WTERMSIG(status)));
    }
  }
  return "exited with " + std::to_string(WEXITSTATUS(status));
}

bool parseArguments(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with("--count=") && parseNumber(argv[i] + 8, settings.count))
      continue;
    if (argument.starts_with("--seed=") && parseNumber(argv[i] + 7, settings.seed))
      continue;
    if (argument.starts_with("--artifacts="))
      settings.artifacts = argument.substr(12);
    else if (!argument.starts_with("-") && settings.corpus.empty())
      settings.corpus = argument;
    else
      return false;
  }
  return !settings.corpus.empty() && fs::exists(settings.corpus);
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (!parseArguments(argc, argv, settings)) {
    std::fprintf(stderr,
                 "usage: %s [--count=N] [--seed=N] [--artifacts=DIR] CORPUS\n  CORPUS: a file or a folder of "
                 "inputs; a "
                 "single file is replayed as it is\n",
                 argv[0]);
    return 2;
  }
  std::vector<std::string> corpus;
  if (fs::is_directory(settings.corpus)) {
    corpus = readCorpus(settings.corpus);
  } else { // in this process, for a debugger
    std::ifstream file(settings.corpus, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "'%s': no inputs; expected a corpus\n", settings.corpus.c_str());
    return 2;
  }
  const char *full = std::getenv("KILN_TEST_FULL");
  if (full && std::strcmp(full, "1") == 0)
    settings.count = std::max<uint64_t>(settings.count, 20000);
  auto *progress = static_cast<volatile uint64_t *>(
      mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  uint64_t total = corpus.size() + settings.count;
  size_t breaks = 0;
  for (uint64_t index = 0; index < total && breaks < kMostBreaks;) {
    uint64_t end = std::min<uint64_t>(index + kInputsPerChild, total);
    int status = 0;
    uint64_t reached = runChild(corpus, settings, index, end, progress, status);
    if (reached == end && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      index = end;
      continue;
    }
    ++breaks;
    reached = std::min(reached, end - 1);
    std::string path = settings.artifacts + "/" + fs::path(argv[0]).filename().string() + "-" +
                       std::to_string(settings.seed) + "-" + std::to_string(reached);
    std::ofstream(path, std::ios::binary) << inputAt(corpus, settings, reached);
    std::printf("FAIL input %llu: %s; kept in %s\n", static_cast<unsigned long long>(reached),
                describe(status).c_str(), path.c_str());
    std::fflush(stdout);
    index = reached + 1;
  }
  std::printf("%zu seeds, %llu mutations (seed %llu): %zu broke\n", corpus.size(),
              static_cast<unsigned long long>(settings.count), static_cast<unsigned long long>(settings.seed),
              breaks);
  return breaks ? 1 : 0;
}
