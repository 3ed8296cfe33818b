#include "log/frame_log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "log/text.h"

namespace brokkr {
namespace {

constexpr const char* kPresentMonColumns =
    "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,"
    "msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,"
    "msFlipDelay,msUntilRenderStart,msGPUActive,msSinceInput";
constexpr const char* kBrokkrColumns =
    "MsCPUBusy,MsGPUBusy,FrameId,BinPattern,Policy,Rasterizers,BinSize,MsGeometry,MsRaster,MsResolve,QueuePeak,"
    "Triangles,Fragments,MsUpdate,MsUpload";
constexpr const char* kMangoHudSystem = "os,cpu,gpu,ram,kernel,driver,cpuscheduler";
constexpr const char* kMangoHudColumns =
    "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,"
    "ram_used,swap_used,process_rss,cpu_mhz,elapsed";

// Removes characters that would end the column or the line; some readers of both formats do not support quotes.
std::string field(std::string text) {
  for (char& c : text) {
    if (c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

// Readers of these formats accept neither "nan" nor "-0".
std::string number(double value, int decimals) {
  const std::string text = fixed(std::isfinite(value) ? value : 0, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

std::string ms(double value) { return number(value, 4); }

std::string gib(uint64_t kib) { return number(double(kib) / (1024.0 * 1024.0), 4); }

}  // namespace

void fill_record(const Statistics& s, double frame_ms, FrameRecord& record) {
  const bool gpu = s.machine == "cuda";
  record.gpu_busy_ms = gpu ? s.launch_ms : 0;
  record.cpu_busy_ms = std::max(0.0, frame_ms - record.gpu_busy_ms);
  record.pattern = s.pattern;
  record.rasterizers = s.rasterizers;
  record.bin = s.bin;
  record.geometry_ms = record.raster_ms = 0;
  for (const BlockTime& block : s.block_times) {
    record.geometry_ms += block.ms[size_t(Stage::geometry)];
    record.raster_ms += block.ms[size_t(Stage::rasterize)];
  }
  if (!s.block_times.empty()) {
    record.geometry_ms /= double(s.block_times.size());
    record.raster_ms /= double(s.block_times.size());
  }
  record.resolve_ms = s.read_back_ms;
  record.update_ms = s.update_ms;
  record.upload_ms = s.upload_ms;
  record.queue_peak = s.queue_peak;
  record.triangles = s.triangles_out;
  record.fragments = s.fragments;
}

std::optional<LogFormat> log_format(std::string_view name) {
  if (name == "presentmon") return LogFormat::presentmon;
  if (name == "mangohud") return LogFormat::mangohud;
  return std::nullopt;
}

const char* log_format_name(LogFormat format) { return format == LogFormat::presentmon ? "presentmon" : "mangohud"; }

std::string log_columns(LogFormat format) {
  return format == LogFormat::presentmon ? std::string(kPresentMonColumns) + "," + kBrokkrColumns : kMangoHudColumns;
}

FrameLogWriter::FrameLogWriter(std::ostream& out, LogFormat format, LogSource source)
    : out_(out), format_(format), source_(std::move(source)) {
  if (format == LogFormat::mangohud) {
    const MachineFacts facts = machine_facts();
    out_ << kMangoHudSystem << '\n'
         << field(facts.system) << ',' << field(facts.processor) << ',' << field(source_.gpu) << ',' << facts.memory_kib
         << ',' << field(facts.kernel) << ',' << field(source_.driver) << ',' << field(facts.governor) << '\n';
    look_at_load();
  } else {
    before_ = fmt::format("{},{},0x{:016X},{},{},0,", field(source_.application), getpid(), source_.swap_chain,
                          field(source_.runtime), source_.sync_interval);
    middle_ = fmt::format("{:d},{},", source_.allows_tearing, field(source_.present_mode));
  }
  out_ << log_columns(format) << '\n' << std::flush;
}

void FrameLogWriter::add(const FrameRecord& r) {
  ++frames_;
  if (format_ == LogFormat::mangohud) return add_mangohud(r);
  out_ << before_ << (r.dropped ? "1," : "0,") << number(r.time_s, 7) << ',' << ms(r.in_present_ms) << ','
       << ms(r.between_presents_ms) << ',' << middle_ << ms(r.until_render_complete_ms) << ','
       << ms(r.until_displayed_ms) << ',' << ms(r.between_display_change_ms) << ",0.0000,"
       << ms(r.until_render_start_ms) << ',' << ms(r.gpu_busy_ms) << ',' << ms(r.since_input_ms) << ','
       << ms(r.cpu_busy_ms) << ',' << ms(r.gpu_busy_ms) << ',' << r.frame_id << ',' << field(r.pattern) << ','
       << field(r.policy) << ',' << r.rasterizers << ',' << r.bin << ',' << ms(r.geometry_ms) << ',' << ms(r.raster_ms)
       << ',' << ms(r.resolve_ms) << ',' << r.queue_peak << ',' << r.triangles << ',' << r.fragments << ','
       << ms(r.update_ms) << ',' << ms(r.upload_ms) << '\n'
       << std::flush;
}

void FrameLogWriter::add_mangohud(const FrameRecord& r) {
  using std::chrono::milliseconds;
  if (std::chrono::steady_clock::now() - load_.taken > milliseconds(250)) look_at_load();
  const double fps = r.between_presents_ms > 0 ? 1000 / r.between_presents_ms : 0;
  const double gpu_load = r.between_presents_ms > 0 ? 100 * r.gpu_busy_ms / r.between_presents_ms : 0;
  out_ << number(fps, 4) << ',' << ms(r.between_presents_ms) << ',' << number(load_.cpu_percent, 3) << ",0,"
       << std::lround(std::fmin(gpu_load, 100)) << ",0,0,0,0,0,0," << gib(load_.memory.used_kib) << ','
       << gib(load_.memory.swap_kib) << ',' << gib(load_.memory.resident_kib) << ',' << load_.cpu_mhz << ','
       << std::llround(r.time_s * 1e9) << '\n'
       << std::flush;
}

void FrameLogWriter::look_at_load() {
  load_.taken = std::chrono::steady_clock::now();
  const ProcessorTicks now = processor_ticks(), before = load_.ticks;
  if (now.all > before.all && before.all > 0 && now.busy >= before.busy)
    load_.cpu_percent = 100 * double(now.busy - before.busy) / double(now.all - before.all);
  load_.ticks = now;
  load_.memory = memory_use();
  load_.cpu_mhz = processor_mhz();
}

}  // namespace brokkr
