// The hardware resources of an instruction: used by machines that time programs, not by those that only run them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace brokkr::ptx {

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

// The unit that executes an instruction.
enum class Work : uint8_t {
  integer,
  multiply,
  floating,
  special,  // sin, rcp, sqrt and similar
  divide,
  doubles,
  control,
  collective,
  fence,
  load,
  store,
  atomic,
};

struct Traits {
  Work work = Work::integer;
  // For accesses: space, and bytes per lane, 0 for other instructions.
  Space space = Space::generic;
  uint8_t bytes = 0;
  bool wide_address = false;
};

// By the words of an operation: fma.rn.f32 has three.
Work work_of(const std::vector<std::string_view>& words);

}  // namespace brokkr::ptx
