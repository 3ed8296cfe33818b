// brokkr capture and brokkr import: capture frames of a running OpenGL program, or of an apitrace recording.
// import_rdc.h imports captures of RenderDoc.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/process.h"
#include "cli/captured_program.h"
#include "cli/commands.h"
#include "cli/import_rdc.h"

namespace brokkr::app {

// Runs a program with the capture layer and waits for the requested frames.

// The first frame that --frame or --every names. Frames count from 0: frame N is drawn between swap N and the next one.
std::optional<int64_t> first_frame(const Arguments& arguments) {
  const char* const option = arguments.has("frame") ? "frame" : "every";
  return arguments.has(option) ? std::optional(arguments.integer(option, 0)) : std::nullopt;
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 20;

// Passes signals that end this program on to the captured program.
volatile std::sig_atomic_t pending_signal = 0;
void note_signal(int signal) { pending_signal = signal; }

class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    for (size_t i = 0; i < kSignals.size(); i++) {
      sigaction(kSignals[i], &action, &before_[i]);
      // The parent process asked us to ignore this signal, as nohup does.
      if (before_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~Signals() {
    for (size_t i = 0; i < kSignals.size(); i++) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

fs::path output_path(const Arguments& arguments) { return absolute_path(arguments.text("output", "frame.bkf")); }

// The number of frames; 0: no limit.
int64_t frame_count(const Arguments& arguments) {
  return arguments.integer("count", arguments.has("every") || arguments.has("key") ? 0 : 1);
}

// The settings that the layer gets (src/apps/capture/settings.h).
std::map<std::string, std::string> environment(const Arguments& arguments, const fs::path& library,
                                               const StatusChannel& status, const std::string& application) {
  const std::optional<int64_t> frame = first_frame(arguments);
  return {{"LD_PRELOAD", preloaded_with(library)},
          {"BROKKR_CAPTURE_OUTPUT", output_path(arguments).string()},
          {"BROKKR_CAPTURE_STATUS", status.address()},
          {"BROKKR_CAPTURE_FRAME", frame ? std::to_string(*frame) : ""},
          {"BROKKR_CAPTURE_EVERY", arguments.text("every")},
          {"BROKKR_CAPTURE_COUNT", std::to_string(frame_count(arguments))},
          {"BROKKR_CAPTURE_KEY", arguments.text("key")},
          {"BROKKR_CAPTURE_FAST_FORWARD", arguments.has("fast-forward") ? "1" : ""},
          {"BROKKR_CAPTURE_CHECK_STATE", arguments.has("check-state") ? "1" : ""},
          {"BROKKR_CAPTURE_NO_PROGRAMS", arguments.has("no-programs") ? "1" : ""},
          {"BROKKR_CAPTURE_TEXTURE_LIMIT", arguments.text("texture-limit")},
          {"BROKKR_CAPTURE_KEEP_RUNNING", arguments.has("keep-running") ? "1" : ""},
          {"BROKKR_CAPTURE_APPLICATION", application},
          {"BROKKR_CAPTURE_LICENSE", arguments.text("license")}};
}

// The progress of a run.
struct Outcome {
  int64_t written = 0, without_draws = 0;  // frames
  std::string skipped;                     // why draws of the last frame were skipped
  std::string problem;
  std::set<pid_t> programs;                                              // processes that draw
  nlohmann::ordered_json frames_json = nlohmann::ordered_json::array();  // numbers of each captured frame
  bool prints = true;                                                    // a line for each captured frame
  bool swapped = false, warned = false;
  int64_t shown = 0;                                                  // frames presented, as far as this process knows
  int64_t frames = -1;                                                // number of frames of a program that ended
  std::string target;                                                 // " of N", where N is the requested frame
  std::unique_ptr<Progress> progress = std::make_unique<Progress>();  // shown until the first frame
};

// A message from the layer. A program can forge it, so we trust nothing in it.
struct Message {
  std::optional<int64_t> swap, ended, frame, draws, triangles, skipped, state_checks, state_differences;
  std::optional<bool> swaps, empty;
  std::optional<std::string> file, error, reason;
};

// Sets `member` if `line` has `key`. Returns false if that value has another type.
template <typename T>
bool read_member(const nlohmann::json& line, const char* key, std::optional<T>& member) {
  const auto found = line.find(key);
  if (found == line.end()) return true;
  if constexpr (std::is_same_v<T, int64_t>) {
    if (!found->is_number_unsigned() || found->get<uint64_t>() > uint64_t(INT64_MAX)) return false;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!found->is_boolean()) return false;
  } else {
    if (!found->is_string()) return false;
  }
  member = found->get<T>();
  return true;
}

// Returns nothing if the layer cannot have written the line.
std::optional<Message> parse_message(const std::string& text) {
  const auto line = parse_json_or_null<nlohmann::json>(text);
  Message m;
  if (!line.is_object()) return std::nullopt;
  const bool known = read_member(line, "swaps", m.swaps) && read_member(line, "swap", m.swap) &&
                     read_member(line, "ended", m.ended) && read_member(line, "file", m.file) &&
                     read_member(line, "error", m.error) && read_member(line, "reason", m.reason) &&
                     read_member(line, "empty", m.empty) && read_member(line, "frame", m.frame) &&
                     read_member(line, "draws", m.draws) && read_member(line, "triangles", m.triangles) &&
                     read_member(line, "skipped", m.skipped) && read_member(line, "state_checks", m.state_checks) &&
                     read_member(line, "state_differences", m.state_differences);
  const bool whole =
      !m.file || m.error || (m.frame && m.draws && m.triangles && m.skipped && m.state_checks && m.state_differences);
  const bool empty = !m.swaps && !m.swap && !m.ended && !m.file && !m.error;
  if (!known || !whole || empty) return std::nullopt;
  return m;
}

void take(const StatusChannel::Line& line, Outcome& outcome) {
  const std::optional<Message> message = parse_message(line.text);
  if (!message) {
    if (!outcome.warned) {
      warn("process " + std::to_string(line.sender) +
           " of the program sent a message that is not from the capture layer; such messages are ignored");
    }
    outcome.warned = true;
    return;
  }
  outcome.programs.insert(line.sender);
  outcome.swapped = outcome.swapped || message->swaps.value_or(false);
  if (message->ended) outcome.frames = *message->ended;
  if (message->swap) outcome.shown = *message->swap;
  if (message->swap && outcome.progress)
    outcome.progress->show("frame " + std::to_string(*message->swap) + outcome.target);
  if (message->file || message->error) outcome.progress.reset();
  if (message->error) {
    outcome.problem = *message->error;
  } else if (message->file) {
    outcome.written++;
    if (message->empty.value_or(false)) {
      outcome.without_draws++;
      outcome.skipped = message->reason.value_or("");
    }
    outcome.frames_json.push_back({{"file", *message->file},
                                   {"frame", *message->frame},
                                   {"draws", *message->draws},
                                   {"triangles", *message->triangles},
                                   {"skipped_draws", *message->skipped},
                                   {"state_checks", *message->state_checks},
                                   {"state_differences", *message->state_differences}});
    if (!outcome.prints) return;
    const auto number = [](int64_t value, const char* thing) { return counted(uint64_t(value), thing); };
    std::cout << fmt::format("{}: frame {}, {}, {}, {} skipped", printable(*message->file), *message->frame,
                             number(*message->draws, "draw"), number(*message->triangles, "triangle"),
                             number(*message->skipped, "draw"));
    if (*message->state_checks > 0)
      std::cout << fmt::format(", {} in {}", number(*message->state_differences, "state difference"),
                               number(*message->state_checks, "check"));
    std::cout << std::endl;
  }
}

// A run that captured only frames without draws has failed. Empty if any frame has a draw.
std::string describe_empty(const Outcome& outcome, const std::string& program) {
  if (outcome.without_draws < outcome.written) return "";
  const std::string start = program + ": no draw was recorded; ";
  if (!outcome.skipped.empty()) return start + "all were skipped: " + outcome.skipped;
  return start + "the program draws with another interface (Vulkan, or software), in another process or context, or " +
         "repeats an unchanged picture: choose another --frame";
}

std::string describe_end(const Arguments& arguments, const Outcome& outcome, const std::string& program, int status) {
  if (!outcome.problem.empty()) return outcome.problem;
  std::string message = "ended";
  if (WIFSIGNALED(status)) message = "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    message = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  message = program + " " + message;
  if (!outcome.swapped)
    return message +
           " without showing a frame through GLX or EGL; check that it runs on its own, and that it draws with OpenGL "
           "itself, not with Vulkan or through another program";
  if (outcome.frames >= 0) message += " after " + counted(uint64_t(outcome.frames), "frame");
  if (arguments.has("key") && !first_frame(arguments))
    return message + "; " + arguments.text("key") + " was not pressed";
  return message + ", before the requested frame; choose an earlier --frame";
}

std::string describe_timeout(const Outcome& outcome, const std::string& program) {
  const std::string start = program + ": the frame was not reached within --timeout; ";
  if (!outcome.swapped)
    return start +
           "no frame has been shown through GLX or EGL so far: allow more seconds, or make the program draw with "
           "OpenGL";
  return start + "it has shown " + counted(uint64_t(std::max<int64_t>(outcome.shown, 1)), "frame") +
         " so far: allow more seconds, choose an earlier --frame, or press a key if the program waits for one";
}

}  // namespace

// Runs `command` (the program comes first) until it ends or the requested frames are written; prints one line per
// frame. `application`: the name to store in the file; if empty, the program's name. `signal`: the signal that ends the
// program. Returns the exit code.
int run_captured(const Arguments& arguments, const std::vector<std::string>& command, const std::string& application,
                 int signal) {
  const fs::path library = find_capture_library(arguments.text("library"));
  const fs::path program = find_program(command.front());
  if (program.empty()) {
    throw std::runtime_error(command.front() + ": no such program; name a file, or a program in PATH or /usr/games");
  }
  require_same_word_size(program, library);
  require_creatable(output_path(arguments));
  const Signals signals;
  pending_signal = 0;
  Outcome outcome;
  outcome.prints = arguments.text("json") != "-";
  if (const std::optional<int64_t> frame = first_frame(arguments)) outcome.target = " of " + std::to_string(*frame);
  const double patience = arguments.real("timeout", 0);  // 0: no limit
  StatusChannel channel;
  const ProgramStart start = start_of(program, command);
  // By default, the layer would store the name of the started file.
  const bool is_named = !application.empty() || start.file == program;
  const std::string name = is_named ? application : program.filename().string();
  CapturedProgram game(start.file, start.words, environment_with(environment(arguments, library, channel, name)),
                       channel.inherited(), !arguments.has("keep-running"));
  channel.close_inherited();
  const auto hear = [&](int milliseconds) {
    const auto lines = channel.read(milliseconds, [&](pid_t process) { return game.has(process); });
    for (const StatusChannel::Line& line : lines) take(line, outcome);
    return !lines.empty();
  };
  const int64_t count = frame_count(arguments);
  const auto limit = Clock::now() + std::chrono::duration<double>(patience);
  bool timed_out = false;
  while (game.is_running(outcome.programs)) {
    hear(kPollMs);
    const bool done = count > 0 && outcome.written >= count && !arguments.has("keep-running");
    timed_out = patience > 0 && Clock::now() > limit;
    if (done || timed_out || pending_signal != 0 || !outcome.problem.empty()) game.end(signal);
  }
  while (hear(0)) continue;
  // If a game drew and then exited by itself, the processes it leaves behind may be services that it started.
  if (outcome.swapped) game.release();
  outcome.progress.reset();
  if (pending_signal != 0) return 128 + pending_signal;
  const bool enough = count > 0 ? outcome.written >= count : outcome.written > 0;
  if (enough && outcome.problem.empty()) {
    const std::string empty = describe_empty(outcome, command.front());
    if (!empty.empty()) throw std::runtime_error(empty);
    write_document(arguments.text("json"), outcome.frames_json);
    return kSuccess;
  }
  if (timed_out) throw std::runtime_error(describe_timeout(outcome, command.front()));
  throw std::runtime_error(describe_end(arguments, outcome, command.front(), game.status()));
}

namespace {

void check_output(const Arguments& arguments) {
  const std::string path = arguments.text("output");
  if (!path.empty()) require_ending(path, {".bkf"}, "--output");
  if (path.find("{}") != path.rfind("{}")) throw UsageError("--output: '" + path + "' contains {} twice; use it once");
}

int run_capture(const Arguments& arguments) {
  check_output(arguments);
  if (!first_frame(arguments) && !arguments.has("key"))
    throw UsageError("no frame is chosen: give --frame N, --every N or --key KEY");
  return run_captured(arguments, arguments.all("PROGRAM"), arguments.text("application"), SIGTERM);
}

// apitrace compresses recordings with snappy ("at"), gzip or, as it names them .trace, brotli.
bool is_apitrace_recording(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const int first = stream.get(), second = stream.get();
  return (first == 'a' && second == 't') || (first == 0x1f && second == 0x8b) || file.extension() == ".trace";
}

int run_import(const Arguments& arguments) {
  check_output(arguments);
  const std::filesystem::path trace = arguments.text("TRACE");
  std::error_code error;
  const auto refuse = [&](const char* why) {
    throw std::runtime_error(trace.string() + ": " + why + "; name a recording of apitrace or RenderDoc");
  };
  if (!std::filesystem::exists(trace, error)) refuse("there is no such file");
  if (!std::filesystem::is_regular_file(trace, error)) refuse("this is not a file");
  if (is_renderdoc_capture(trace)) {
    return import_renderdoc(arguments);
  }
  if (trace.extension() == ".rdc")
    throw std::runtime_error(trace.string() + ": it does not begin as a capture of RenderDoc; record it again");
  if (trace.extension() == ".bkf") refuse("this is a frame file, which `brokkr render` draws");
  if (!is_apitrace_recording(trace)) refuse("neither apitrace nor RenderDoc wrote this file");
  if (!first_frame(arguments)) throw UsageError("no frame is chosen: give --frame N or --every N");
  const std::string player = arguments.has("egl") ? "eglretrace" : "glretrace";
  if (find_program(player).empty())
    throw std::runtime_error(player + " was not found; install apitrace (Debian package: apitrace)");
  // Benchmark mode suppresses OpenGL errors of the recorded program. The player has no state to save, so it may be
  // killed.
  return run_captured(arguments, {player, "-b", trace.string()},
                      arguments.text("application", trace.filename().string()), SIGKILL);
}

// Options that both commands share, after the command's own.
std::vector<Option> with_shared(std::vector<Option> own) {
  return joined(
      std::move(own),
      {
          output_option(
              "-o,--output", "FILE.bkf",
              "Frame file to write (frame.bkf); {} stands for the frame's number, which is added if there are several"),
          integer_option("--frame", "Frame to capture, counted from 0", 0, 1e12),
          integer_option("--every", "Capture further frames, N frames apart", 1, 1e12),
          integer_option("--count", "Stop after K frames (1; with --every or --key: 0, no limit)", 0, 1e9, "K"),
          json_option("Write the numbers of the frames as JSON, an array"),
          text_option("--application", "TEXT", "Name of the application for the file"),
          text_option("--license", "TEXT", "Licence of the frame's content, for the file"),
          flag("--no-programs", "Leave out programs and their inputs; record only positions, state and depth"),
          integer_option("--texture-limit", "Leave out textures beyond this many MiB per file (1024)", 0, 65536, "MIB"),
          flag("--fast-forward",
               "Draw nothing to the window until 4 frames before the first captured one, which speeds up software "
               "drivers"),
          flag("--check-state", "Read the GL state before and after each recorded call and report differences"),
          real_option("--timeout", "SECONDS", "End the program after this many seconds (no limit)", 0.1, 1e6),
          file_option("--library", "FILE.so",
                      "Capture library (the one beside this program); 32-bit programs need a 32-bit one"),
      });
}

}  // namespace

Command capture_command() {
  return {
      "capture", "Run an OpenGL program and capture frames of it",
      with_shared(
          {needed(several(text_option("PROGRAM", "PROGRAM", "OpenGL program to run, after --, with its arguments"))),
           text_option("--key", "KEY", "Capture when this key goes down: an X11 keysym, e.g. F10"),
           flag("--keep-running", "Leave the program running after the last frame")}),
      run_capture};
}

Command import_command() {
  return {"import", "Make a frame file of an apitrace recording, or of a RenderDoc capture of Vulkan or OpenGL",
          with_shared({needed(file_option("TRACE", "TRACE", "Recording of apitrace, or capture of RenderDoc (.rdc)")),
                       flag("--egl", "The recorded program used EGL: replay with eglretrace")}),
          run_import};
}

}  // namespace brokkr::app
