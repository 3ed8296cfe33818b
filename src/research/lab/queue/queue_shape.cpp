#include "lab/queue/queue_shape.h"

#include <stdexcept>
#include <string>

namespace brokkr {

void check_queue_shape(const QueueShape& s) {
  const auto is_power = [](uint32_t n, uint32_t most) { return n >= 2 && n <= most && (n & (n - 1)) == 0; };
  if (!is_power(s.capacity, 1u << 26) || !is_power(s.segment, 1u << 16) || s.threads < 1 || s.threads > 1u << 20 ||
      s.homes < 1 || s.homes > s.threads) {
    throw std::invalid_argument(
        "queue shape: " + std::to_string(s.capacity) + " elements, " + std::to_string(s.threads) + " threads, " +
        std::to_string(s.homes) + " homes, segments of " + std::to_string(s.segment) +
        ": needs powers of two up to 2^26 and 2^16, 1 .. 2^20 threads, and no more homes than threads");
  }
}

}  // namespace brokkr
