// Frame-time logs: F9 starts and stops a log. A curve shows the last frames with their percentiles.
#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>

#include "app/frame_plot.h"
#include "app/text.h"
#include "app/tool.h"
#include "base/file_io.h"
#include "log/frame_log.h"
#include "log/frame_statistics.h"
#include "log/log_reader.h"
#include "log/machine_facts.h"
#include "log/manifest.h"
#include "viewer/frame_times.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

LogSource source_of_window() {
  LogSource source;
  source.runtime = "OpenGL";
  GLFWwindow* const window = glfwGetCurrentContext();
  source.swap_chain = uint64_t(reinterpret_cast<uintptr_t>(window));
  source.gpu = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  source.driver = reinterpret_cast<const char*>(glGetString(GL_VERSION));
  source.sync_interval = 1;  // the window's swaps wait for the display
  return source;
}

// A log during its recording. Lines are written at once, so that none is lost.
struct Recording {
  LogSession session;
  std::ofstream file;
  std::optional<FrameLogWriter> writer;
  Clock::time_point begin;
  std::shared_ptr<const Rendered> last;
  std::vector<double> frame_ms;
};

class LogPanel : public Panel {
 public:
  ~LogPanel() override {
    if (!recording_ || !recording_->last) return;
    recording_->file.close();
    finish(*recording_);  // the viewer closes: finish the log and its manifest
  }
  const char* name() const override { return "Log"; }
  Section section() const override { return Section::measure; }
  bool applies(const ViewerState&) const override { return true; }

  bool on_key(ViewerState& state, const KeyEvent& event) override {
    if (event.action != Action::record_log) return false;
    recording_ ? stop(state) : start(state);
    return true;
  }

  void draw(ViewerState& state) override {
    draw_controls(state);
    group_header("Times of the last frames");
    draw_curve();
    if (!saved_.empty()) ImGui::TextWrapped("last log: %s", app::printable(saved_).c_str());
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    report(state);
    if (!recording_) return;
    const glm::vec2 centre = state.view.area_begin + glm::vec2(20, 20);
    list.AddCircleFilled({centre.x, centre.y}, 7, IM_COL32(225, 50, 45, 255));
    const std::string text = app::counted(recording_->frame_ms.size(), "frame");
    list.AddText({centre.x + 15, centre.y - 7}, IM_COL32(0, 0, 0, 255), text.c_str());
    list.AddText({centre.x + 14, centre.y - 8}, IM_COL32(255, 255, 255, 255), text.c_str());
  }

  void on_present(ViewerState& state, const Presented& presented) override {
    const FrameRecord record = record_of(presented);
    if (!presented.is_first) shown_.add(milliseconds(presented.interval()));
    last_end_ = presented.end;
    if (!recording_) return;
    Recording& r = *recording_;
    r.writer->add(record);
    r.frame_ms.push_back(record.between_presents_ms);
    r.session.cut_off += presented.frame->result.aborted ? 1 : 0;
    r.last = presented.frame;
    if (!r.file) {
      const std::string path = r.session.log.string();
      recording_.reset();
      state.commands.show_error(path + ": could not be written; is the disk full?");
    }
  }

 private:
  FrameRecord record_of(const Presented& p) const {
    FrameRecord record;
    const Rendered& frame = *p.frame;
    const Clock::time_point start = recording_ ? recording_->begin : p.begin;
    record.time_s = milliseconds(p.begin - start) / 1000;
    // The first frame of a log has no predecessor in it.
    const bool first = recording_ && recording_->frame_ms.empty();
    const Clock::time_point before = first ? start : p.previous.value_or(frame.begin);
    record.between_presents_ms = milliseconds(p.begin - before);
    record.in_present_ms = record.until_displayed_ms = milliseconds(p.end - p.begin);
    record.between_display_change_ms = milliseconds(p.end - last_end_.value_or(before));
    record.until_render_start_ms = milliseconds(frame.begin - p.begin);
    const bool input_since = p.input && p.previous && *p.input > *p.previous && *p.input <= p.begin;
    record.since_input_ms = input_since ? milliseconds(p.begin - *p.input) : 0;
    record.frame_id = recording_ ? recording_->frame_ms.size() : 0;
    record.policy = name_of(frame.settings.options.policy);
    fill_record(frame.result.statistics, milliseconds(frame.end - frame.begin), record);
    return record;
  }

  void draw_controls(ViewerState& state) {
    constexpr const char* kFormats[] = {"presentmon", "mangohud"};
    if (recording_) {
      const std::string file = recording_->session.log.filename().string();
      const size_t frames = recording_->frame_ms.size();
      if (ImGui::Button("Stop (F9)")) stop(state);
      ImGui::SameLine();
      ImGui::Text("%zu frames to %s", frames, app::printable(file).c_str());
    } else {
      if (ImGui::Button("Start a log (F9)")) start(state);
      ImGui::Combo(row("columns"), &format_, kFormats, 2);
      ImGui::TextWrapped("A log has one line per displayed frame; press R to draw without a pause.");
    }
    check_row("plot at the end", &plots_);
  }

  void draw_curve() const {
    const FrameStatistics& s = shown_.statistics();
    if (s.frames == 0) return ImGui::TextDisabled("none yet: press R to draw without a pause");
    const Plot plot = begin_plot("curve", 10);
    shown_.draw_curve(plot);
    ImGui::Text("last %zu frames", s.frames);
    if (begin_values("percentiles")) {
      value_row("median", app::fixed(s.median_ms, 3) + " ms");
      value_row("p95", app::fixed(s.p95_ms, 3) + " ms");
      value_row("p99", app::fixed(s.p99_ms, 3) + " ms");
      value_row("p99.9", app::fixed(s.p999_ms, 3) + " ms");
      value_row("1 % low", app::fixed(s.one_percent_low_fps, 2) + " frames/s");
      ImGui::EndTable();
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("1 %% low = %s", kOnePercentLowFormula);
  }

  void start(ViewerState& state) {
    if (!state.scene) return state.commands.show_note("there are no frames to record: load a scene first");
    auto recording = std::make_unique<Recording>();
    LogSession& session = recording->session;
    session.log = free_name(current_folder(), state.scene->path, ".csv", ".json");
    session.format = format_ == 1 ? LogFormat::mangohud : LogFormat::presentmon;
    session.source = source_of_window();
    session.begun = utc_now();
    recording->file.open(session.log, std::ios::binary);
    if (!recording->file)
      return state.commands.show_error(session.log.string() +
                                       ": cannot be written; start the viewer in a writable folder");
    recording->writer.emplace(recording->file, session.format, session.source);
    recording->begin = Clock::now();
    recording_ = std::move(recording);
    state.commands.show_note("recording " + recording_->session.log.string());
    state.commands.request_render();
  }

  void stop(ViewerState& state) {
    const std::unique_ptr<Recording> done = std::move(recording_);
    done->file.close();
    const std::string path = done->session.log.string();
    if (!done->last) {
      std::error_code ignored;
      fs::remove(done->session.log, ignored);
      return state.commands.show_note("no frame was shown: no log was kept");
    }
    saved_ = path;
    finish(*done);
    state.commands.show_note("saved " + path + ", " + app::counted(done->frame_ms.size(), "frame"));
  }

  // Writes manifest and plot on another thread, because hashing large scenes takes a while. Closing the viewer waits
  // for it.
  void finish(const Recording& done) {
    if (finishing_.valid()) finishing_.wait();
    finishing_ = std::async(
        std::launch::async,
        [session = done.session, last = done.last, times = done.frame_ms, plots = plots_]() mutable -> std::string {
          try {
            if (last->camera) session.camera = camera_text(*last->camera);
            write_json(manifest_path(session.log),
                       manifest_json(session, scene_json(last->scene->path, last->scene->frame), last->settings.options,
                                     last->result.statistics, times));
            if (!plots) return {};
            app::frame_plot(session.log.stem().string(), app::read_curves({session.log.string()}))
                .write(fs::path(session.log).replace_extension(".svg").string());
          } catch (const std::exception& error) {
            return error.what();
          }
          return {};
        });
  }

  void report(ViewerState& state) {
    if (!finishing_.valid() || finishing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    const std::string problem = finishing_.get();
    if (!problem.empty()) state.commands.show_error(problem);
  }

  std::future<std::string> finishing_;  // an error message, or empty
  std::unique_ptr<Recording> recording_;
  FrameTimes shown_;
  std::optional<Clock::time_point> last_end_;
  std::string saved_;
  int format_ = 0;
  bool plots_ = true;
};

}  // namespace

std::unique_ptr<Panel> make_log_panel() { return std::make_unique<LogPanel>(); }

}  // namespace brokkr::viewer
