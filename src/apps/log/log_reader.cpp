#include "log/log_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "log/manifest.h"

namespace brokkr {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 31;
// Thirty years. Sums, ratios and axes of what is longer, and of what no clock can tell from nothing, leave the range of
// numbers.
constexpr double kMostMs = 1e12, kLeastMs = 1e-6;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// A log's lines, one after another.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The next line's fields; nothing at the end.
  std::vector<std::string_view> next() {
    std::string_view line;
    while (line.empty()) {
      if (rest_.empty()) return {};
      line = rest_.substr(0, rest_.find('\n'));
      torn_ = line.size() == rest_.size();
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    }
    return cells_of(line);
  }
  size_t number() const { return number_; }
  // Whether the line that was read last is the file's last and has no end.
  bool torn() const { return torn_; }

 private:
  std::string_view rest_;
  size_t number_ = 0;
  bool torn_ = false;
};

constexpr size_t kNone = ~size_t(0);

// The place in `names` of the first of `known` that is there.
size_t find(const std::vector<std::string_view>& names, std::initializer_list<std::string_view> known) {
  for (const std::string_view name : known) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return size_t(at - names.begin());
  }
  return kNone;
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

FrameLog read_frame_log(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, kMostBytes);
  Lines lines(as_text(bytes));
  std::vector<std::string_view> names;
  size_t frame = kNone;
  while (frame == kNone) {
    names = lines.next();
    if (names.empty()) {
      fail(
          "{}: no column msBetweenPresents or frametime; name a frame-time log of `brokkr bench --log`, the viewer, "
          "PresentMon or MangoHud",
          path.string());
    }
    frame = find(names, {"msBetweenPresents", "MsBetweenPresents", "FrameTime", "frametime"});
  }
  const size_t time = find(names, {"TimeInSeconds", "elapsed"}), application = find(names, {"Application"});
  const double time_unit = time != kNone && names[time] == "elapsed" ? 1e-9 : 1;  // seconds

  FrameLog log;
  log.name = path.stem().string();
  const std::pair<size_t, std::vector<double>*> stages[] = {{find(names, {"MsGeometry"}), &log.geometry_ms},
                                                            {find(names, {"MsRaster"}), &log.raster_ms},
                                                            {find(names, {"MsResolve"}), &log.resolve_ms}};
  double sum = 0;
  bool torn = false;
  for (auto fields = lines.next(); !fields.empty(); fields = lines.next()) {
    const auto refuse = [&](const std::string& what) {
      fail("{}: line {}: {}; is the file cut off or not a frame-time log?", path.string(), lines.number(), what);
    };
    // In the file's unit, which has so many milliseconds.
    const auto value = [&](size_t column, double unit_ms = 1) {
      const std::string_view text = fields[column];
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
        refuse(fmt::format("field {} is no number", column + 1));
      const double ms = std::abs(number) * unit_ms;
      if (ms > kMostMs) refuse(fmt::format("field {} is a time of more than {} ms", column + 1, kMostMs));
      return ms < kLeastMs ? 0 : number;
    };
    if (fields.size() < names.size() && lines.torn()) {
      torn = true;
      break;
    }
    if (fields.size() != names.size()) refuse(fmt::format("{} fields under {} columns", fields.size(), names.size()));
    const double ms = value(frame);
    if (ms < 0) refuse("a frame time below 0");
    sum += ms / 1000;
    log.frame_ms.push_back(ms);
    log.time_s.push_back(time != kNone ? value(time, time_unit * 1000) * time_unit : sum);
    for (const auto& [column, values] : stages) {
      if (column != kNone) values->push_back(value(column));
    }
    if (log.application.empty() && application != kNone) log.application = fields[application];
  }
  if (log.frame_ms.empty()) fail("{}: holds no frame; record one or more", path.string());
  log.cut_off = cut_off_text(path, log.frame_ms.size(), torn);
  return log;
}

}  // namespace brokkr
