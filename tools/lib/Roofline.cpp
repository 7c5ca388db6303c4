// Roofline.cpp: 12 independent chains of FMAs hide their latency on every core known; the widest vectors
// there are.
#include "tools/lib/Roofline.h"

#include "tools/lib/BenchSampling.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace kiln::tools {
namespace {

constexpr int kChains = 12;
constexpr int64_t kFmaRounds = 100000;         // about 0.4 ms
constexpr int kTries = 3;                      // the best counts: a roof is what can be had
constexpr uint64_t kMostReadBytes = 256 << 20; // beyond every cache
constexpr uint64_t kLeastReadBytes = 32 << 20; // read at least this much in all

#define KILN_CHAINS(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)

/// Adds up what must not be optimised away.
volatile float sink;

__attribute__((target("avx512f"))) double fmaOperations512() {
  __m512 sums[kChains], a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (auto &sum : sums)
    sum = a;
  for (int64_t i = 0; i < kFmaRounds; ++i) {
#define KILN_STEP(n) sums[n] = _mm512_fmadd_ps(sums[n], a, b);
    KILN_CHAINS(KILN_STEP)
#undef KILN_STEP
  }
  for (int i = 1; i < kChains; ++i)
    sums[0] = _mm512_add_ps(sums[0], sums[i]);
  sink = _mm512_reduce_add_ps(sums[0]);
  return 2.0 * 16 * kChains * static_cast<double>(kFmaRounds);
}

__attribute__((target("avx2,fma"))) double fmaOperations256() {
  __m256 sums[kChains], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (auto &sum : sums)
    sum = a;
  for (int64_t i = 0; i < kFmaRounds; ++i) {
#define KILN_STEP(n) sums[n] = _mm256_fmadd_ps(sums[n], a, b);
    KILN_CHAINS(KILN_STEP)
#undef KILN_STEP
  }
  for (int i = 1; i < kChains; ++i)
    sums[0] = _mm256_add_ps(sums[0], sums[i]);
  alignas(32) float out[8];
  _mm256_store_ps(out, sums[0]);
  sink = out[0] + out[7];
  return 2.0 * 8 * kChains * static_cast<double>(kFmaRounds);
}
#undef KILN_CHAINS

double fmaOperations() {
  static const bool wide = __builtin_cpu_supports("avx512f");
  return wide ? fmaOperations512() : fmaOperations256();
}

constexpr int kReads = 8; // independent, so that only the memory waits

__attribute__((target("avx512f"))) void readAll512(const float *data, uint64_t floats) {
  __m512i all[kReads] = {};
  for (uint64_t i = 0; i + 16 * kReads <= floats; i += 16 * kReads)
    for (int j = 0; j < kReads; ++j)
      all[j] = _mm512_or_si512(all[j], _mm512_load_si512(data + i + 16 * j));
  for (int j = 1; j < kReads; ++j)
    all[0] = _mm512_or_si512(all[0], all[j]);
  sink = static_cast<float>(_mm512_reduce_or_epi32(all[0]));
}

__attribute__((target("avx2"))) void readAll256(const float *data, uint64_t floats) {
  __m256 all[kReads] = {};
  for (uint64_t i = 0; i + 8 * kReads <= floats; i += 8 * kReads)
    for (int j = 0; j < kReads; ++j)
      all[j] = _mm256_or_ps(all[j], _mm256_load_ps(data + i + 8 * j));
  for (int j = 1; j < kReads; ++j)
    all[0] = _mm256_or_ps(all[0], all[j]);
  alignas(32) float out[8];
  _mm256_store_ps(out, all[0]);
  sink = out[0];
}

void readAll(const float *data, uint64_t floats) {
  static const bool wide = __builtin_cpu_supports("avx512f");
  wide ? readAll512(data, floats) : readAll256(data, floats);
}

/// Runs fn(thread) on `threads` threads, the caller among them, and returns the seconds that the slowest
/// took.
template <typename Fn> double secondsOf(uint32_t threads, Fn fn) {
  std::vector<double> seconds(threads);
  auto timed = [&](uint32_t thread) {
    BenchClock::time_point start = BenchClock::now();
    fn(thread);
    seconds[thread] = std::chrono::duration<double>(BenchClock::now() - start).count();
  };
  std::vector<std::thread> others;
  for (uint32_t thread = 1; thread < threads; ++thread)
    others.emplace_back(timed, thread);
  timed(0);
  for (std::thread &other : others)
    other.join();
  return *std::max_element(seconds.begin(), seconds.end());
}

} // namespace

double Roofline::measurePeakGflops() const {
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> operations(threads);
    double seconds = secondsOf(threads, [&](uint32_t thread) { operations[thread] = fmaOperations(); });
    best = std::max(best, operations[0] * threads / seconds * 1e-9);
  }
  return best;
}

double Roofline::readGigabytesPerSecond(uint64_t bytes) {
  bytes = std::clamp<uint64_t>((bytes + 4095) / 4096 * 4096, 4096, kMostReadBytes);
  auto [at, isNew] = readRates.try_emplace(bytes, 0.0);
  if (!isNew)
    return at->second;
  uint64_t share = std::max<uint64_t>(bytes / threads / 512 * 512, 512);
  uint64_t rounds = std::max<uint64_t>(kLeastReadBytes / share, 1);
  struct Free {
    void operator()(float *memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<float, Free>> parts;
  for (uint32_t i = 0; i < threads; ++i) {
    parts.emplace_back(static_cast<float *>(std::aligned_alloc(128, share)));
    if (!parts.back())
      return at->second;
    std::fill_n(parts.back().get(), share / sizeof(float), 1.0f);
  }
  for (int i = 0; i < kTries; ++i) {
    double seconds = secondsOf(threads, [&](uint32_t thread) {
      for (uint64_t round = 0; round < rounds; ++round)
        readAll(parts[thread].get(), share / sizeof(float));
    });
    at->second = std::max(at->second, static_cast<double>(share * rounds * threads) / seconds * 1e-9);
  }
  return at->second;
}

double Roofline::boundUs(double flops, double bytes, double peakGflops) {
  double computeUs = peakGflops > 0 ? flops / peakGflops * 1e-3 : 0;
  double rate = bytes > 0 ? readGigabytesPerSecond(static_cast<uint64_t>(bytes)) : 0;
  double memoryUs = rate > 0 ? bytes / rate * 1e-3 : 0;
  return std::max(computeUs, memoryUs);
}

} // namespace kiln::tools
