#include "inspect/settings_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <utility>

#include "pipeline/cpu_machine.h"
#include "plan/options.h"

namespace brokkr {
namespace {

// The emulated machine is about fifty times slower than a CPU machine, so it is chosen one time in eight.
MachineKind random_machine(Lot& lot) {
  std::vector<MachineKind> fast;
  bool emulated = false;
  for (const MachineInfo& machine : find_machines()) {
    if (!machine.available) continue;
    if (machine.kind == MachineKind::emulated)
      emulated = true;
    else if (std::find(fast.begin(), fast.end(), machine.kind) == fast.end())
      fast.push_back(machine.kind);
  }
  if (fast.empty() || (emulated && lot.below(8) == 0)) return MachineKind::emulated;
  return fast[lot.below(uint32_t(fast.size()))];
}

double largest_drawn(const OptionInfo& info) {
  constexpr std::array<std::pair<const char*, double>, 3> kLimits = {
      {{"workers", 64}, {"vertex-work", 256}, {"store", 16384}}};
  for (const auto& [name, limit] : kLimits) {
    if (std::strcmp(info.name, name) == 0) return limit;
  }
  return info.max;
}

// A random value that an option of this type may have.
template <class T>
void draw_value(const OptionInfo& info, const Frame& frame, Lot& lot, T& value) {
  if constexpr (std::is_same_v<T, MachineKind>) {
    value = random_machine(lot);
  } else if constexpr (std::is_same_v<T, ShaderCode>) {
    value = lot.below(2) == 0 ? ShaderCode::interpreted : ShaderCode::automatic;  // only some machines compile
  } else if constexpr (std::is_same_v<T, bool>) {
    value = lot.below(2) == 0;
  } else if constexpr (HasChoices<T>) {
    value = std::data(Choices<T>::all)[lot.below(uint32_t(std::size(Choices<T>::all)))].value;
  } else if constexpr (std::is_same_v<T, PatternChoice>) {
    PatternKind kind{};
    draw_value(info, frame, lot, kind);
    value = kind;
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::vector<std::string> there = names_of<T>(info);
    std::erase_if(there, [](const std::string& isa) { return !cpu_supports(isa); });
    if (!there.empty()) value = there[lot.below(uint32_t(there.size()))];
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (info.power_of_two) {
      const double lowest = std::log2(info.min), highest = std::log2(info.max);
      value = T(std::exp2(lowest + lot.below(uint32_t(highest - lowest) + 1)));
    } else if (info.min < 0) {
      value = T(double(lot.below(4096)) - 1024);
    } else {
      value = T(lot.magnitude(info.min, largest_drawn(info)));
    }
  } else if constexpr (requires { value.has_value(); }) {
    draw_value(info, frame, lot, value.emplace());
  } else {
    if constexpr (requires { value.resize(1); }) value.resize(std::min<size_t>(frame.views.size(), 8));
    for (auto& each : value) draw_value(info, frame, lot, each);
  }
}

template <class T>
bool differs(const std::vector<T>& a, const std::vector<T>& b, size_t i) {
  return std::memcmp(&a[i], &b[i], sizeof(T)) != 0;  // NOLINT(bugprone-suspicious-memory-comparison): by bits
}

// Compares arrays of values; floats are compared by their bits.
template <class T>
std::optional<PictureDifference> compare(const char* what, const std::vector<T>& expected, const std::vector<T>& seen,
                                         int width) {
  if (expected.size() != seen.size()) return PictureDifference{"size", 0, 0, std::max(expected.size(), seen.size())};
  if (expected.empty() || std::memcmp(expected.data(), seen.data(), sizeof(T) * expected.size()) == 0) return {};
  PictureDifference found{what};
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!differs(expected, seen, i)) continue;
    if (found.pixels++ == 0) found.x = int(i % size_t(width)), found.y = int(i / size_t(width));
  }
  return found;
}

std::optional<PictureDifference> compare_layers(const Layer& a, const Layer& b) {
  if (a.width != b.width || a.height != b.height) return PictureDifference{"size"};
  std::optional<PictureDifference> found;
  const auto look = [&](const char* what, auto values) {
    if (!found) found = compare(what, a.*values, b.*values, a.width);
  };
  look("coverage", &Layer::overdraw);
  look("colour", &Layer::color);
  look("colour", &Layer::color_float);
  if (!found && a.more_colors.size() != b.more_colors.size()) return PictureDifference{"size"};
  for (size_t i = 0; !found && i < a.more_colors.size(); ++i)
    found = compare("further colour", a.more_colors[i], b.more_colors[i], 4 * a.width);
  look("depth", &Layer::depth);
  look("stencil", &Layer::stencil);
  look("visible triangle", &Layer::visible_id);
  look("depth writer", &Layer::depth_id);
  return found;
}

}  // namespace

// splitmix64 [Steele14].
uint64_t Lot::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t Lot::below(uint32_t count) { return uint32_t((next() >> 32) * count >> 32); }

double Lot::magnitude(double min, double max) {
  const double share = double(next() >> 11) * 0x1p-53;
  return std::clamp(std::floor(std::exp2(share * std::log2(max - min + 2)) - 1 + min), min, max);
}

RenderOptions random_settings(const RenderOptions& base, const std::set<std::string>& kept, const Frame& frame,
                              Lot& lot) {
  RenderOptions options = base;
  for_each_option(options, [&](const OptionInfo& info, auto& value) {
    if (info.decides_picture || kept.contains(info.name) || !is_read(info, options)) return;
    // An unspecified option has its default half of the time, so that few enough settings combine to be understood.
    if (lot.below(2) == 0) draw_value(info, frame, lot, value);
  });
  return options;
}

std::string settings_text(const RenderOptions& options, const RenderOptions& base) {
  std::string text;
  const std::map<std::string, std::string> before = option_texts(base);
  for (const auto& [name, value] : option_texts(options)) {
    const auto same = before.find(name);
    if (same == before.end() || same->second != value) text.append(" --").append(name).append(" ").append(value);
  }
  return text;
}

std::optional<PictureDifference> first_difference(const std::vector<TargetImage>& expected,
                                                  const std::vector<TargetImage>& seen) {
  if (expected.size() != seen.size()) return PictureDifference{"size"};
  for (size_t target = 0; target < expected.size(); ++target) {
    const std::vector<Layer>&a = expected[target].layers, &b = seen[target].layers;
    if (a.size() != b.size()) return PictureDifference{"size", target};
    for (size_t layer = 0; layer < a.size(); ++layer) {
      if (std::optional<PictureDifference> found = compare_layers(a[layer], b[layer])) {
        found->target = target, found->layer = layer;
        return found;
      }
    }
  }
  return {};
}

SettingsCheck::SettingsCheck(DrawTargets draw, const RenderOptions& base)
    : draw_(std::move(draw)), base_(base), expected_(draw_all(base)) {}

std::vector<std::vector<TargetImage>> SettingsCheck::draw_all(RenderOptions options) const {
  std::vector<std::vector<TargetImage>> pictures;
  options.keep_ids = true;
  pictures.push_back(draw_(options));
  if (options.shading == Shading::overdraw) return pictures;
  options.keep_ids = false;
  options.shading = Shading::overdraw;
  pictures.push_back(draw_(options));
  return pictures;
}

std::optional<PictureDifference> SettingsCheck::difference(const RenderOptions& options) const {
  try {
    const std::vector<std::vector<TargetImage>> seen = draw_all(options);
    for (size_t i = 0; i < seen.size(); ++i) {
      if (std::optional<PictureDifference> found = first_difference(expected_[i], seen[i])) return found;
    }
    return {};
  } catch (const std::exception& error) {
    PictureDifference refused{"picture"};
    refused.refusal = error.what();
    return refused;
  }
}

RenderOptions SettingsCheck::fewest(RenderOptions options) const {
  bool changed = true;
  while (std::exchange(changed, false)) {
    for (const auto& option : option_texts(options)) {
      const std::string& name = option.first;
      RenderOptions fewer = options;
      for_each_option(fewer, [&](const OptionInfo& info, auto& field) {
        if (info.name != name) return;
        for_each_option(base_, [&](const OptionInfo& other, const auto& standard) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, std::remove_cvref_t<decltype(standard)>>) {
            if (other.name == info.name) field = standard;
          }
        });
      });
      if (fewer == options || !difference(fewer)) continue;
      options = fewer;
      changed = true;
    }
  }
  return options;
}

}  // namespace brokkr
