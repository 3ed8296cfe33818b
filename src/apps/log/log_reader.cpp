#include "log/log_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "log/manifest.h"

namespace brokkr {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 31;
// The range of accepted times; the largest is thirty years. Beyond it, sums, ratios and axes would overflow or
// underflow.
constexpr double kMostMs = 1e12, kLeastMs = 1e-6;
constexpr size_t kMostCurves = 64;
constexpr size_t kTellingRows = 1001;  // that tell MangoHud's unit

// The fields of a line, without the quotes around them.
void split(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    size_t end = line.find(separator);
    if (line.starts_with('"')) {
      size_t quote = line.find('"', 1);
      while (quote != std::string_view::npos && line.substr(quote + 1).starts_with('"'))
        quote = line.find('"', quote + 2);
      if (quote != std::string_view::npos) {
        end = line.find(separator, quote + 1);
        fields.push_back(line.substr(1, quote - 1));
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + 1);
        continue;
      }
    }
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool is_equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 'a' - 'A') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// A log's lines, one after another.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The next line that is not empty; nothing at the end.
  std::string_view next() {
    std::string_view line;
    while (line.empty()) {
      if (rest_.empty()) return {};
      line = rest_.substr(0, rest_.find('\n'));
      torn_ = line.size() == rest_.size();
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    }
    return line;
  }
  size_t number() const { return number_; }
  // Returns true if the last line read is the file's last and is incomplete.
  bool torn() const { return torn_; }

 private:
  std::string_view rest_;
  size_t number_ = 0;
  bool torn_ = false;
};

constexpr size_t kNone = ~size_t(0);

// The index in `names` of the first of `known` that occurs.
size_t find(const std::vector<std::string_view>& names, std::initializer_list<std::string_view> known) {
  for (const std::string_view name : known) {
    const auto at =
        std::ranges::find_if(names, [&](std::string_view one) { return is_equal_in_any_case(trimmed(one), name); });
    if (at != names.end()) return size_t(at - names.begin());
  }
  return kNone;
}

// The number of a field, with a decimal point or a decimal comma; nothing where it is none.
std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  std::string with_point;
  const size_t comma = text.find(',');
  if (comma != std::string_view::npos && text.find('.') == std::string_view::npos) {
    with_point = text;
    with_point[comma] = '.';
    text = with_point;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool is_absent(std::string_view text) {
  text = trimmed(text);
  return text.empty() || is_equal_in_any_case(text, "na") || is_equal_in_any_case(text, "n/a");
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What tells MangoHud's unit.
struct MangoHud {
  bool is_older = false;         // a version line before 0.6.9
  std::vector<double> products;  // frames per second times frame time: 1000 or 1e6
  std::vector<double> steps;     // nanoseconds between two rows per unit of frame time: from 1e6 on, or from 1000 on
  // Milliseconds of the log's unit.
  double unit_ms() const {
    const bool is_us = !products.empty() ? median_of(products) > 31623
                       : !steps.empty()  ? median_of(steps) < 3e5
                                         : is_older;
    return is_us ? 1e-3 : 1;
  }
};

// Whether a line is MangoHud's version, "0.6.8" or "v0.6.8-1", and before 0.6.9.
bool is_version_before_0_6_9(std::string_view line) {
  if (line.starts_with('v')) line.remove_prefix(1);
  int part[3] = {};
  for (int& one : part) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), one);
    if (error != std::errc{}) return false;
    line.remove_prefix(size_t(end - line.data()));
    if (&one != &part[2] && !line.starts_with('.')) return false;
    if (&one != &part[2]) line.remove_prefix(1);
  }
  return std::ranges::lexicographical_compare(part, std::array{0, 6, 9});
}

// FrameLog::cut_off.
std::string cut_off_text(const std::filesystem::path& path, size_t frames, bool torn) {
  using Json = nlohmann::ordered_json;
  Json manifest;
  std::error_code ignored;
  const std::filesystem::path beside = manifest_path(path);
  if (beside != path && std::filesystem::is_regular_file(beside, ignored))
    manifest = parse_json_or_null(as_text(read_file(beside, kMostBytes)));
  const auto field = [&](const char* name) { return manifest.is_object() ? manifest.value(name, Json()) : Json(); };
  const bool mine = field("kind") == kLogKind && field("log") == path.filename().string();
  if (!torn && !(mine && field("complete") == false)) return {};
  std::string text = fmt::format("{}: the recording was cut off", path.string());
  if (mine && field("ended_by").is_string()) text += " by " + field("ended_by").get<std::string>();
  text += fmt::format("; it holds {} {}", frames, frames == 1 ? "frame" : "frames");
  if (mine && field("frames_asked").is_number_unsigned())
    text += fmt::format(" of {}", field("frames_asked").get<uint64_t>());
  return text;
}

}  // namespace

std::vector<FrameLog> read_frame_logs(const std::filesystem::path& path, std::string_view application) {
  const std::vector<std::byte> bytes = read_file(path, kMostBytes);
  Lines lines(as_text(bytes));
  std::vector<std::string_view> names, fields;
  MangoHud mango;
  size_t frame = kNone;
  char separator = ',';
  while (frame == kNone) {
    const std::string_view line = lines.next();
    if (line.empty()) {
      fail(
          "{}: no column msBetweenPresents or frametime; name a frame-time log of `brokkr bench --log`, the viewer, "
          "PresentMon or MangoHud",
          path.string());
    }
    mango.is_older |= is_version_before_0_6_9(line);
    for (const char one : {',', ';', '\t'}) {
      split(line, separator = one, names);
      frame = find(names, {"msBetweenPresents", "FrameTime", "MsBetweenAppStart"});
      if (frame != kNone) break;
    }
  }
  const size_t time = find(names, {"TimeInSeconds", "elapsed", "TimeInMs", "CPUStartTime", "CPUStartTimeInMs"});
  const size_t of_application = find(names, {"Application", "ProcessName"}), of_process = find(names, {"ProcessID"}),
               of_chain = find(names, {"SwapChainAddress"}), of_rate = find(names, {"fps"});
  const bool is_mango = trimmed(names[frame]) == "frametime";
  const double time_unit = time == kNone || is_equal_in_any_case(trimmed(names[time]), "TimeInSeconds") ? 1
                           : is_equal_in_any_case(trimmed(names[time]), "elapsed")                      ? 1e-9
                                                                                                        : 1e-3;  // s
  const std::pair<size_t, std::vector<double> FrameLog::*> stages[] = {
      {find(names, {"MsGeometry"}), &FrameLog::geometry_ms},
      {find(names, {"MsRaster"}), &FrameLog::raster_ms},
      {find(names, {"MsResolve"}), &FrameLog::resolve_ms}};

  std::vector<FrameLog> logs;
  std::vector<std::string> keys;  // of each log
  std::string others;             // applications that are not asked for
  size_t current = 0, without_time = 0, frames = 0;
  bool torn = false;
  for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
    split(line, separator, fields);
    const auto refuse = [&](const std::string& what) {
      fail("{}: line {}: {}; is the file cut off or not a frame-time log?", path.string(), lines.number(), what);
    };
    // In the file's unit of `unit_ms` milliseconds.
    const auto value = [&](size_t column, double unit_ms = 1) {
      const std::optional<double> number = number_of(fields[column]);
      if (!number) refuse(fmt::format("field {} is no number", column + 1));
      const double ms = std::abs(*number) * unit_ms;
      if (ms > kMostMs) refuse(fmt::format("field {} is a time of more than {} ms", column + 1, kMostMs));
      return ms < kLeastMs ? 0 : *number;
    };
    if (fields.size() < names.size() && lines.torn()) {
      torn = true;
      break;
    }
    if (fields.size() != names.size()) refuse(fmt::format("{} fields under {} columns", fields.size(), names.size()));
    const auto text = [&](size_t column) { return column == kNone ? std::string_view() : trimmed(fields[column]); };
    std::string_view name = text(of_application);
    if (!application.empty()) {
      const auto without_ending = [](std::string_view one) {
        const bool has = one.size() > 4 && is_equal_in_any_case(one.substr(one.size() - 4), ".exe");
        return has ? one.substr(0, one.size() - 4) : one;
      };
      if (!is_equal_in_any_case(without_ending(name), without_ending(application))) {
        if (others.find(name) == std::string::npos) others += (others.empty() ? "" : ", ") + std::string(name);
        continue;
      }
    }
    if (is_absent(fields[frame])) {
      ++without_time;
      continue;
    }
    const double ms = value(frame);
    if (ms < 0) refuse("a frame time below 0");
    const std::string_view parts[] = {name, text(of_process), text(of_chain)};
    const auto is_of = [&](const std::string& key) {
      std::string_view rest = key;
      for (const std::string_view part : parts) {
        if (!rest.starts_with(part) || !rest.substr(part.size()).starts_with('\n')) return false;
        rest.remove_prefix(part.size() + 1);
      }
      return true;
    };
    if (current >= keys.size() || !is_of(keys[current])) {
      current = size_t(std::ranges::find_if(keys, is_of) - keys.begin());
      if (current == kMostCurves) refuse(fmt::format("more than {} applications and swap chains", kMostCurves));
      if (current == keys.size()) {
        keys.push_back(fmt::format("{}\n{}\n{}\n", parts[0], parts[1], parts[2]));
        FrameLog& log = logs.emplace_back();
        log.name = path.stem().string();
        log.application = name;
        for (size_t at = 0; (at = log.application.find("\"\"", at)) != std::string::npos; ++at)
          log.application.erase(at, 1);
        log.swap_chain = parts[2];
      }
    }
    FrameLog& log = logs[current];
    if (is_mango && ms > 0 && mango.products.size() < kTellingRows) {
      const std::optional<double> rate = of_rate == kNone ? std::nullopt : number_of(fields[of_rate]);
      if (rate && *rate > 0) mango.products.push_back(*rate * ms);
      const std::optional<double> now = time == kNone ? std::nullopt : number_of(fields[time]);
      if (now && !log.time_s.empty()) mango.steps.push_back(std::abs(*now - log.time_s.back() * 1e9) / ms);
    }
    ++frames;
    log.frame_ms.push_back(ms);
    if (time != kNone && !is_absent(fields[time])) log.time_s.push_back(value(time, time_unit * 1000) * time_unit);
    for (const auto& [column, values] : stages) {
      if (column != kNone) (log.*values).push_back(value(column));
    }
  }
  if (logs.empty() && !others.empty())
    fail("{}: no frame of '{}'; it has those of {}", path.string(), application, others);
  if (logs.empty()) fail("{}: holds no frame; record one or more", path.string());
  const double unit_ms = is_mango ? mango.unit_ms() : 1;
  for (FrameLog& log : logs) {
    if (unit_ms != 1) {
      for (double& ms : log.frame_ms) ms *= unit_ms;
    }
    if (log.time_s.size() == log.frame_ms.size()) continue;
    double sum = 0;
    log.time_s.clear();
    for (const double ms : log.frame_ms) log.time_s.push_back(sum += ms / 1000);
  }
  logs.front().cut_off = cut_off_text(path, frames, torn);
  if (without_time > 0) {
    logs.front().left_out = fmt::format("{}: {} left out, whose frame time is NA", path.string(),
                                        without_time == 1 ? "1 row was" : fmt::format("{} rows were", without_time));
  }
  return logs;
}

FrameLog read_frame_log(const std::filesystem::path& path) {
  std::vector<FrameLog> logs = read_frame_logs(path);
  if (logs.size() > 1) {
    fail("{}: holds frames of {} applications or swap chains, of {} and {} among others; record one alone",
         path.string(), logs.size(), logs[0].application, logs[1].application);
  }
  return std::move(logs.front());
}

}  // namespace brokkr
