#include "ptx/settings.h"

#include <cstdlib>
#include <type_traits>

namespace brokkr::ptx {
namespace {

template <class T>
void read(const char* name, T& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return;
  if constexpr (std::is_same_v<T, std::string>)
    value = text;
  else
    value = static_cast<T>(std::strtoull(text, nullptr, 0));
}

Settings read_all() {
  Settings s;
  read("BROKKR_PTX_SMS", s.multiprocessors);
  read("BROKKR_PTX_BLOCKS_PER_SM", s.blocks_per_sm);
  read("BROKKR_PTX_COOPERATIVE", s.cooperative);
  read("BROKKR_PTX_MHZ", s.megahertz);
  read("BROKKR_PTX_MEMORY_MIB", s.memory_mib);
  read("BROKKR_PTX_POISON", s.poison);
  read("BROKKR_PTX_SEED", s.seed);
  read("BROKKR_PTX_THREADS", s.threads);
  read("BROKKR_PTX_SLICE", s.slice);
  read("BROKKR_PTX_LIMIT", s.limit);
  read("BROKKR_PTX_SYNC", s.synchronous);
  read("BROKKR_PTX_CLOCK", s.real_clock);
  read("BROKKR_PTX_STORES", s.held_stores);
  read("BROKKR_PTX_STALE", s.stale_loads);
  read("BROKKR_PTX_RACES", s.races);
  read("BROKKR_PTX_VERBOSE", s.verbose);
  read("BROKKR_PTX_WARN", s.warn);
  read("BROKKR_PTX_TOUCHED", s.touched);
  read("BROKKR_PTX_PROFILE", s.profile);
  read("BROKKR_PTX_TEXT", s.text_folder);
  read("BROKKR_PTX_COVERAGE", s.coverage_folder);
  return s;
}

Settings& the_settings() {
  static Settings s = read_all();
  return s;
}

}  // namespace

const Settings& settings() { return the_settings(); }
void change_settings(const Settings& to) { the_settings() = to; }

}  // namespace brokkr::ptx
