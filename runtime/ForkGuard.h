// ForkGuard.h: locks that fork() waits for, so that the child finds none held by a thread that it has not.
#ifndef KILN_RUNTIME_FORKGUARD_H
#define KILN_RUNTIME_FORKGUARD_H

namespace kiln {

/// An object whose locks are held for moments only: fork() takes them before and gives them back after, in
/// both processes. An implementation constructs a ForkGuard::Entry last and destroys it first.
/// Threads: an Entry may be made and destroyed by any thread, but not under one of its object's locks.
class ForkGuard {
public:
  virtual void beforeFork() = 0; // locks
  virtual void afterFork(bool isChild) = 0;

  class Entry {
  public:
    explicit Entry(ForkGuard &object);
    ~Entry();
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

  private:
    ForkGuard &object;
  };

protected:
  ~ForkGuard() = default;
};

} // namespace kiln
#endif // KILN_RUNTIME_FORKGUARD_H
