// ForkGuard.cpp: one list for the process and one pair of handlers.
#include "runtime/ForkGuard.h"

#include <mutex>
#include <pthread.h>
#include <set>

namespace kiln {

namespace {

/// Never destroyed: objects may outlive main.
struct Guards {
  std::mutex mutex;
  std::set<ForkGuard *> objects;

  Guards() {
    pthread_atfork([] { get().before(); }, [] { get().after(false); }, [] { get().after(true); });
  }
  void before() {
    mutex.lock();
    for (ForkGuard *object : objects)
      object->beforeFork();
  }
  void after(bool isChild) {
    for (ForkGuard *object : objects)
      object->afterFork(isChild);
    mutex.unlock();
  }
  static Guards &get() {
    static Guards *const instance = new Guards;
    return *instance;
  }
};

} // namespace

ForkGuard::Entry::Entry(ForkGuard &object) : object(object) {
  Guards &guards = Guards::get();
  std::lock_guard lock(guards.mutex);
  guards.objects.insert(&object);
}

ForkGuard::Entry::~Entry() {
  Guards &guards = Guards::get();
  std::lock_guard lock(guards.mutex);
  guards.objects.erase(&object);
}

} // namespace kiln
