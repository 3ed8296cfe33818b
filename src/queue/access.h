// Access of queues to shared memory: device_atomic, with an observer that is called before every access. Programs run
// unobserved, which costs nothing; tests interleave threads access by access, or disturb their timing
// (tests/lab/queue/observed_queues.h).
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

struct Unobserved {
  BROKKR_FN static void step() {}
  // One step of a wait for another thread.
  BROKKR_FN static void pause(int spin) { brokkr::pause(spin); }
};

// As device_atomic<T>.
template <class T, class Observer>
class Watched {
 public:
  BROKKR_FN explicit Watched(T& word) : word_(word) {}

  template <class Order>
  BROKKR_FN T load(Order order) const {
    Observer::step();
    return word_.load(order);
  }
  template <class Order>
  BROKKR_FN void store(T value, Order order) const {
    Observer::step();
    word_.store(value, order);
  }
  template <class Order>
  BROKKR_FN T fetch_add(T n, Order order) const {
    Observer::step();
    return word_.fetch_add(n, order);
  }
  template <class Order>
  BROKKR_FN T fetch_or(T bits, Order order) const {
    Observer::step();
    return word_.fetch_or(bits, order);
  }
  template <class Order>
  BROKKR_FN T exchange(T value, Order order) const {
    Observer::step();
    return word_.exchange(value, order);
  }
  // A strong exchange: it does not fail spuriously.
  template <class Order>
  BROKKR_FN bool compare_exchange_strong(T& expected, T desired, Order order) const {
    Observer::step();
    return word_.compare_exchange_strong(expected, desired, order);
  }
  template <class Order>
  BROKKR_FN bool compare_exchange_weak(T& expected, T desired, Order order) const {
    Observer::step();
    return word_.compare_exchange_weak(expected, desired, order);
  }

 private:
  mutable device_atomic<T> word_;
};

BROKKR_MACHINE_END
