// What an instruction asks of hardware: for a machine that times programs, and of no use to one that only runs them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace brokkr::ptx {

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

// The unit that works on an instruction.
enum class Work : uint8_t {
  integer,
  multiply,
  floating,
  special,  // sin, rcp, sqrt and their like
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
  // Of an access: bytes of each lane, 0 where it is none.
  Space space = Space::generic;
  uint8_t bytes = 0;
  bool wide_address = false;
};

// By the words of an operation: fma.rn.f32 has three.
Work work_of(const std::vector<std::string_view>& words);

}  // namespace brokkr::ptx
