// embed.cpp: a C++ program that embeds libkiln_runtime with its own allocator and threads, and runs
// asynchronously.
//
//   embed_cpp MODEL DEVICE
// Exits with 0 if two overlapping runs agree and the device used the program's memory and threads. The parts
// between [anchors] stand in docs/howto/embed-the-runtime.md.
#include <kiln/Status.h>
#include <kiln/kiln.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

template <auto Release> struct Releaser {
  template <typename T> void operator()(T *object) const { Release(object); }
};
using Instance = std::unique_ptr<KilnInstance, Releaser<kiln_instance_release>>;
using Session = std::unique_ptr<KilnSession, Releaser<kiln_session_release>>;
using Model = std::unique_ptr<KilnModel, Releaser<kiln_model_release>>;
using Run = std::unique_ptr<KilnRun, Releaser<kiln_run_release>>;

void check(KilnStatus status, const char *what) {
  if (!status)
    return;
  KilnStr message = kiln_status_message(status);
  std::fprintf(stderr, "embed_cpp: error: %s: %.*s\n", what, static_cast<int>(message.size), message.data);
  kiln_status_free(status);
  std::exit(3);
}

template <typename T> T sized() {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}

// [allocator]
/// Counts what the device takes; a real embedder hands out its arena here.
struct CountingAllocator {
  std::atomic<long> live{0}, total{0};

  KilnAllocator table() {
    return {[](void *self, size_t bytes, size_t alignment) -> void * {
              auto &counts = *static_cast<CountingAllocator *>(self);
              ++counts.live, ++counts.total;
              return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
            },
            [](void *self, void *memory, size_t, size_t) {
              --static_cast<CountingAllocator *>(self)->live;
              std::free(memory);
            },
            this};
  }
};
// [/allocator]

// [threads]
/// Two threads a call; a real embedder uses the pool that it has.
struct Threads {
  std::atomic<long> calls{0};

  KilnParallelFor table() {
    return {[](void *self, size_t count, KilnParallelFn fn, void *arg) {
              ++static_cast<Threads *>(self)->calls;
              std::atomic<size_t> next{0};
              auto work = [&] {
                for (size_t i = next++; i < count; i = next++)
                  fn(arg, i);
              };
              std::thread other(work);
              work();
              other.join();
            },
            this, /*concurrency=*/2, /*reserved=*/0};
  }
};
// [/threads]

/// Zero inputs of the model's shapes, dynamic extents 2.
struct Inputs {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<KilnTensor> tensors;

  explicit Inputs(KilnModel *model) {
    for (size_t i = 0; i < kiln_model_input_count(model); ++i) {
      auto port = sized<KilnPortInfo>();
      check(kiln_model_input(model, i, &port), "input");
      auto tensor = sized<KilnTensor>();
      tensor.name = port.name;
      tensor.dtype = port.dtype;
      tensor.rank = port.rank;
      size_t elements = 1;
      for (uint32_t d = 0; d < port.rank; ++d) {
        tensor.dims[d] = port.dims[d] < 0 ? 2 : port.dims[d];
        elements *= static_cast<size_t>(tensor.dims[d]);
      }
      tensor.data_bytes = (elements * kiln_dtype_bits(port.dtype) + 7) / 8;
      tensor.data = bytes.emplace_back(tensor.data_bytes + 1).data();
      tensors.push_back(tensor);
    }
  }
};

bool agree(KilnRun *left, KilnRun *right) {
  for (size_t i = 0; i < kiln_run_output_count(left); ++i) {
    auto a = sized<KilnTensor>(), b = sized<KilnTensor>();
    check(kiln_run_output(left, i, &a), "output");
    check(kiln_run_output(right, i, &b), "output");
    if (a.data_bytes != b.data_bytes || std::memcmp(a.data, b.data, a.data_bytes) != 0)
      return false;
  }
  return kiln_run_output_count(left) > 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: embed_cpp MODEL DEVICE\n");
    return 2;
  }
  CountingAllocator allocator;
  Threads threads;
  bool same = false;
  {
    KilnInstance *instanceHandle = nullptr;
    check(kiln_instance_create(nullptr, &instanceHandle), "instance");
    Instance instance(instanceHandle);

    // [session]
    auto options = sized<KilnSessionOptions>();
    options.device = kiln::toStr(argv[2]);
    options.allocator = allocator.table(); // must outlive the session
    options.parallel = threads.table();
    KilnSession *sessionHandle = nullptr;
    check(kiln_session_open(instance.get(), &options, &sessionHandle), "session");
    Session session(sessionHandle);
    // [/session]

    KilnModel *modelHandle = nullptr;
    check(kiln_model_load_file(instance.get(), kiln::toStr(argv[1]), nullptr, &modelHandle), "model");
    Model model(modelHandle);
    Inputs inputs(model.get());

    // [async]
    auto runOptions = sized<KilnRunOptions>();
    runOptions.asynchronous = 1; // inputs are copied before the call returns
    KilnRun *first = nullptr, *second = nullptr;
    check(kiln_session_run(session.get(), model.get(), inputs.tensors.data(), inputs.tensors.size(),
                           &runOptions, &first),
          "first run");
    check(kiln_session_run(session.get(), model.get(), inputs.tensors.data(), inputs.tensors.size(),
                           &runOptions, &second),
          "second run");
    Run firstRun(first), secondRun(second);
    check(kiln_run_wait(second, KILN_WAIT_FOREVER), "wait");
    // [/async]
    same = agree(first, second);
  }
  std::printf("runs %s; %ld allocations, %ld still live; %ld parallel calls\n", same ? "agree" : "DIFFER",
              allocator.total.load(), allocator.live.load(), threads.calls.load());
  return same && allocator.total > 0 && allocator.live == 0 ? 0 : 1;
}
