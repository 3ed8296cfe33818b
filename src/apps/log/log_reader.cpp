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

constexpr uint64_t kMaxBytes = uint64_t(1) << 31;
// The range of accepted times; the largest is thirty years. Beyond it, sums, ratios and axes would overflow or
// underflow.
constexpr double kMaxMs = 1e12, kLeastMs = 1e-6;
constexpr size_t kMaxCurves = 64;
constexpr size_t kTellingRows = 1001;  // enough rows to identify MangoHud's unit

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

// Splits a log into lines.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The next non-empty line; empty at the end of the log.
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
  // Returns true if the last line read ends the file without a newline.
  bool torn() const { return torn_; }

 private:
  std::string_view rest_;
  size_t number_ = 0;
  bool torn_ = false;
};

constexpr size_t kNone = ~size_t(0);

// The index in `names` of the first element of `known` that occurs there.
size_t find(const std::vector<std::string_view>& names, std::initializer_list<std::string_view> known) {
  for (const std::string_view name : known) {
    const auto place =
        std::ranges::find_if(names, [&](std::string_view one) { return is_equal_in_any_case(trimmed(one), name); });
    if (place != names.end()) return size_t(place - names.begin());
  }
  return kNone;
}

// Parses a number with a decimal point or a decimal comma. Returns nothing if the text is not a number.
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

// Evidence of the unit in which MangoHud wrote frame times.
struct MangoHud {
  bool is_older = false;         // a version line before 0.6.9
  std::vector<double> products;  // frames per second times frame time: 1000 or 1e6
  std::vector<double> steps;     // nanoseconds between two rows per unit of frame time: from 1e6 on, or from 1000 on
  // Milliseconds per unit of the log's frame times.
  double unit_ms() const {
    const bool is_us = !products.empty() ? median_of(products) > 31623
                       : !steps.empty()  ? median_of(steps) < 3e5
                                         : is_older;
    return is_us ? 1e-3 : 1;
  }
};

// Returns true if a line is MangoHud's version, "0.6.8" or "v0.6.8-1", and before 0.6.9.
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

// The text for FrameLog::cut_off.
std::string cut_off_text(const std::filesystem::path& path, size_t frames, bool torn) {
  using Json = nlohmann::ordered_json;
  Json manifest;
  std::error_code ignored;
  const std::filesystem::path beside = manifest_path(path);
  if (beside != path && std::filesystem::is_regular_file(beside, ignored))
    manifest = parse_json_or_null(as_text(read_file(beside, kMaxBytes)));
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

// Reads the rows of a log: one curve for each application, process and swap chain.
class LogReader {
 public:
  LogReader(const std::filesystem::path& path, std::string_view text, std::string_view application)
      : path_(path), application_(application), lines_(text) {
    read_columns();
  }
  std::vector<FrameLog> read();

 private:
  void read_columns();
  // Reads the row in fields_. Returns false if it is the file's last row and is incomplete.
  bool read_row();
  // Returns true if the row belongs to a requested application.
  bool is_wanted(std::string_view name);
  // The curve that the row belongs to.
  FrameLog& log_of(std::string_view name);
  void note_unit(const FrameLog& log, double frame);
  // Converts frame times to milliseconds, and computes start times if the file has none.
  void finish(FrameLog& log) const;
  // Reads a time in units of `unit_ms` milliseconds; values below kLeastMs become 0.
  double value(size_t column, double unit_ms = 1) const;
  std::string_view text(size_t column) const { return column == kNone ? std::string_view() : trimmed(fields_[column]); }
  [[noreturn]] void refuse(const std::string& what) const {
    fail("{}: line {}: {}; is the file cut off or not a frame-time log?", path_.string(), lines_.number(), what);
  }

  const std::filesystem::path& path_;
  std::string_view application_;
  Lines lines_;
  char separator_ = ',';
  std::vector<std::string_view> names_, fields_;
  // Columns, or kNone.
  size_t frame_ = kNone, time_ = kNone, application_column_ = kNone, process_column_ = kNone,
         swap_chain_column_ = kNone, rate_ = kNone;
  size_t needed_ = 0;     // fields of a row that has all of these columns
  double time_unit_ = 1;  // seconds
  bool is_mango_ = false;
  MangoHud mango_;
  std::vector<std::pair<size_t, std::vector<double> FrameLog::*>> stages_;

  std::vector<FrameLog> logs_;
  std::vector<std::string> keys_;  // one per log
  std::string others_;             // applications that were not requested
  size_t current_ = 0, without_time_ = 0, frames_ = 0;
};

void LogReader::read_columns() {
  while (frame_ == kNone) {
    const std::string_view line = lines_.next();
    if (line.empty()) {
      fail(
          "{}: no column msBetweenPresents or frametime; name a frame-time log of `brokkr bench --log`, the viewer, "
          "PresentMon or MangoHud",
          path_.string());
    }
    mango_.is_older |= is_version_before_0_6_9(line);
    for (const char one : {',', ';', '\t'}) {
      split(line, separator_ = one, names_);
      frame_ = find(names_, {"msBetweenPresents", "FrameTime", "CPUFrameTime", "MsBetweenAppStart"});
      if (frame_ != kNone) break;
    }
  }
  time_ = find(names_, {"TimeInSeconds", "elapsed", "TimeInMs", "CPUStartTime", "CPUStartTimeInMs", "CPUStartQPCTime",
                        "CPUStartQPCTimeInMs"});
  application_column_ = find(names_, {"Application", "ProcessName"});
  process_column_ = find(names_, {"ProcessID"});
  swap_chain_column_ = find(names_, {"SwapChainAddress"});
  rate_ = find(names_, {"fps"});
  is_mango_ = trimmed(names_[frame_]) == "frametime";
  time_unit_ = time_ == kNone || is_equal_in_any_case(trimmed(names_[time_]), "TimeInSeconds") ? 1
               : is_equal_in_any_case(trimmed(names_[time_]), "elapsed")                       ? 1e-9
                                                                                               : 1e-3;
  stages_ = {{find(names_, {"MsGeometry"}), &FrameLog::geometry_ms},
             {find(names_, {"MsRaster"}), &FrameLog::raster_ms},
             {find(names_, {"MsResolve"}), &FrameLog::resolve_ms}};
  const auto need = [&](size_t column) { needed_ = std::max(needed_, column == kNone ? 0 : column + 1); };
  for (const size_t column : {frame_, time_, application_column_, process_column_, swap_chain_column_, rate_})
    need(column);
  for (const auto& [column, values] : stages_) need(column);
}

double LogReader::value(size_t column, double unit_ms) const {
  const std::optional<double> number = number_of(fields_[column]);
  if (!number) refuse(fmt::format("field {} is not a number", column + 1));
  const double ms = std::abs(*number) * unit_ms;
  if (ms > kMaxMs) refuse(fmt::format("field {} is a time of more than {} ms", column + 1, kMaxMs));
  return ms < kLeastMs ? 0 : *number;
}

bool LogReader::is_wanted(std::string_view name) {
  if (application_.empty()) return true;
  const auto without_ending = [](std::string_view one) {
    const bool has = one.size() > 4 && is_equal_in_any_case(one.substr(one.size() - 4), ".exe");
    return has ? one.substr(0, one.size() - 4) : one;
  };
  if (is_equal_in_any_case(without_ending(name), without_ending(application_))) return true;
  if (others_.find(name) == std::string::npos) others_ += (others_.empty() ? "" : ", ") + std::string(name);
  return false;
}

FrameLog& LogReader::log_of(std::string_view name) {
  const std::string_view parts[] = {name, text(process_column_), text(swap_chain_column_)};
  const auto is_of = [&](const std::string& key) {
    std::string_view rest = key;
    for (const std::string_view part : parts) {
      if (!rest.starts_with(part) || !rest.substr(part.size()).starts_with('\n')) return false;
      rest.remove_prefix(part.size() + 1);
    }
    return true;
  };
  if (current_ < keys_.size() && is_of(keys_[current_])) return logs_[current_];
  current_ = size_t(std::ranges::find_if(keys_, is_of) - keys_.begin());
  if (current_ == kMaxCurves) refuse(fmt::format("more than {} applications and swap chains", kMaxCurves));
  if (current_ == keys_.size()) {
    keys_.push_back(fmt::format("{}\n{}\n{}\n", parts[0], parts[1], parts[2]));
    FrameLog& log = logs_.emplace_back();
    log.name = path_.stem().string();
    log.application = name;
    for (size_t place = 0; (place = log.application.find("\"\"", place)) != std::string::npos; ++place)
      log.application.erase(place, 1);
    log.swap_chain = parts[2];
  }
  return logs_[current_];
}

void LogReader::note_unit(const FrameLog& log, double frame) {
  if (!is_mango_ || frame <= 0 || mango_.products.size() >= kTellingRows) return;
  const std::optional<double> rate = rate_ == kNone ? std::nullopt : number_of(fields_[rate_]);
  if (rate && *rate > 0) mango_.products.push_back(*rate * frame);
  const std::optional<double> now = time_ == kNone ? std::nullopt : number_of(fields_[time_]);
  if (now && !log.time_s.empty()) mango_.steps.push_back(std::abs(*now - log.time_s.back() * 1e9) / frame);
}

bool LogReader::read_row() {
  if (fields_.size() < names_.size() && lines_.torn()) return false;
  if (fields_.size() == names_.size() + 1 && fields_.back().empty()) fields_.pop_back();
  // OCAT's columns of the computer have values in the first row alone.
  if (fields_.size() < needed_ || fields_.size() > names_.size())
    refuse(fmt::format("{} fields under {} columns", fields_.size(), names_.size()));
  const std::string_view name = text(application_column_);
  if (!is_wanted(name)) return true;
  if (is_absent(fields_[frame_])) {
    ++without_time_;
    return true;
  }
  const double frame = value(frame_);
  if (frame < 0) refuse("a frame time below 0");
  FrameLog& log = log_of(name);
  note_unit(log, frame);
  ++frames_;
  log.frame_ms.push_back(frame);
  if (time_ != kNone && !is_absent(fields_[time_])) log.time_s.push_back(value(time_, time_unit_ * 1000) * time_unit_);
  for (const auto& [column, values] : stages_) {
    if (column != kNone) (log.*values).push_back(value(column));
  }
  return true;
}

void LogReader::finish(FrameLog& log) const {
  const double unit_ms = is_mango_ ? mango_.unit_ms() : 1;
  if (unit_ms != 1) {
    for (double& ms : log.frame_ms) ms *= unit_ms;
  }
  if (log.time_s.size() == log.frame_ms.size()) return;
  double sum = 0;
  log.time_s.clear();
  for (const double ms : log.frame_ms) log.time_s.push_back(sum += ms / 1000);
}

std::vector<FrameLog> LogReader::read() {
  bool torn = false;
  for (std::string_view line = lines_.next(); !torn && !line.empty();) {
    split(line, separator_, fields_);
    torn = !read_row();
    if (!torn) line = lines_.next();
  }
  if (logs_.empty() && !others_.empty())
    fail("{}: no frame of '{}'; it has those of {}", path_.string(), application_, others_);
  if (logs_.empty()) fail("{}: holds no frame; record one or more", path_.string());
  for (FrameLog& log : logs_) finish(log);
  logs_.front().cut_off = cut_off_text(path_, frames_, torn);
  if (without_time_ > 0) {
    logs_.front().left_out = fmt::format("{}: {} left out because the frame time is NA", path_.string(),
                                         without_time_ == 1 ? "1 row was" : fmt::format("{} rows were", without_time_));
  }
  return std::move(logs_);
}

}  // namespace

std::vector<FrameLog> read_frame_logs(const std::filesystem::path& path, std::string_view application) {
  const std::vector<std::byte> bytes = read_file(path, kMaxBytes);
  if (as_text(bytes).starts_with("\xff\xfe") || as_text(bytes).starts_with("\xfe\xff"))
    fail("{}: its text is UTF-16, as PowerShell writes it; save it as UTF-8", path.string());
  return LogReader(path, as_text(bytes), application).read();
}

FrameLog read_frame_log(const std::filesystem::path& path) {
  std::vector<FrameLog> logs = read_frame_logs(path);
  if (logs.size() > 1) {
    fail("{}: holds frames of {} applications or swap chains, of {} and {} among others; record only one",
         path.string(), logs.size(), logs[0].application, logs[1].application);
  }
  return std::move(logs.front());
}

}  // namespace brokkr
