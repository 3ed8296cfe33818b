// Access of queues to shared memory: device_atomic, with an observer that is called before every access. Programs run
// unobserved, which costs nothing; tests interleave threads access by access, or disturb their timing
// (tests/engine/queue/interleaving.h).
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

#define BROKKR_WATCHED(access, parameters, arguments) \
  template <class Order>                              \
  BROKKR_FN auto access parameters const {            \
    Observer::step();                                 \
    return word_.access arguments;                    \
  }
  BROKKR_WATCHED(load, (Order order), (order))
  BROKKR_WATCHED(store, (T value, Order order), (value, order))
  BROKKR_WATCHED(fetch_add, (T n, Order order), (n, order))
  BROKKR_WATCHED(fetch_or, (T bits, Order order), (bits, order))
  BROKKR_WATCHED(exchange, (T value, Order order), (value, order))
  // The strong one does not fail spuriously.
  BROKKR_WATCHED(compare_exchange_strong, (T & expected, T desired, Order order), (expected, desired, order))
  BROKKR_WATCHED(compare_exchange_weak, (T & expected, T desired, Order order), (expected, desired, order))
#undef BROKKR_WATCHED

 private:
  mutable device_atomic<T> word_;
};

BROKKR_MACHINE_END
