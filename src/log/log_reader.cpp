#include "log/log_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "scene/file_io.h"

namespace brokkr {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 31;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// Numbers of the columns that are read; -1 for a column that the layout lacks.
struct Columns {
  std::ptrdiff_t frame = -1, time = -1, application = -1, geometry = -1, raster = -1, resolve = -1;
  double time_unit = 1;  // seconds
  size_t count = 0;
};

std::optional<Columns> heading(std::string_view line) {
  const std::vector<std::string_view> names = split(line);
  const auto find = [&](std::initializer_list<std::string_view> known) {
    for (const std::string_view name : known) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at != names.end()) return at - names.begin();
    }
    return std::ptrdiff_t(-1);
  };
  Columns c;
  c.frame = find({"msBetweenPresents", "MsBetweenPresents", "FrameTime", "frametime"});
  if (c.frame < 0) return std::nullopt;
  c.time = find({"TimeInSeconds", "elapsed"});
  if (c.time >= 0 && names[size_t(c.time)] == "elapsed") c.time_unit = 1e-9;
  c.application = find({"Application"});
  c.geometry = find({"MsGeometry"});
  c.raster = find({"MsRaster"});
  c.resolve = find({"MsResolve"});
  c.count = names.size();
  return c;
}

class Reader {
 public:
  Reader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  void read(FrameLog& log) {
    std::string_view line;
    std::optional<Columns> columns;
    while (!columns && next(line)) columns = heading(line);
    if (!columns) {
      throw std::runtime_error(file_ +
                               ": no column msBetweenPresents or frametime; name a frame-time log of `brokkr bench "
                               "--log`, the viewer, PresentMon or MangoHud");
    }
    double sum = 0;
    while (next(line)) {
      if (line.empty()) continue;
      const std::vector<std::string_view> fields = split(line);
      if (fields.size() != columns->count)
        fail(std::to_string(fields.size()) + " fields under " + std::to_string(columns->count) + " columns");
      const double ms = value(fields, columns->frame);
      if (ms < 0) fail("a frame time below 0");
      sum += ms / 1000;
      log.frame_ms.push_back(ms);
      log.time_s.push_back(columns->time >= 0 ? value(fields, columns->time) * columns->time_unit : sum);
      if (columns->geometry >= 0) log.geometry_ms.push_back(value(fields, columns->geometry));
      if (columns->raster >= 0) log.raster_ms.push_back(value(fields, columns->raster));
      if (columns->resolve >= 0) log.resolve_ms.push_back(value(fields, columns->resolve));
      if (log.application.empty() && columns->application >= 0)
        log.application = std::string(fields[size_t(columns->application)]);
    }
    if (log.frame_ms.empty()) throw std::runtime_error(file_ + ": holds no frame; record one or more");
  }

 private:
  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    const size_t end = text_.find('\n');
    line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    return true;
  }

  double value(const std::vector<std::string_view>& fields, std::ptrdiff_t column) const {
    const std::string_view text = fields[size_t(column)];
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
      fail("field " + std::to_string(column + 1) + " is no number");
    return number;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(file_ + ": line " + std::to_string(number_) + ": " + what +
                             "; is the file cut off or not a frame-time log?");
  }

  std::string file_;
  std::string_view text_;
  size_t number_ = 0;
};

}  // namespace

FrameLog read_frame_log(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, kMostBytes);
  FrameLog log;
  log.name = path.stem().string();
  Reader(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}).read(log);
  return log;
}

}  // namespace brokkr
