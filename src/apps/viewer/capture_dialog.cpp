#include "viewer/capture_dialog.h"

#include <fcntl.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "app/text.h"
#include "base/file_io.h"
#include "base/process.h"
#include "viewer/file_dialog.h"
#include "viewer/looks.h"
#include "viewer/scene.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

// Finds `brokkr` beside this program in the build tree, or in bin of an installation.
fs::path find_command() {
  std::error_code error;
  for (const fs::path& place : {program_folder(), program_folder() / "../../bin"}) {
    if (fs::exists(place / "brokkr", error)) return fs::weakly_canonical(place / "brokkr", error);
  }
  throw std::runtime_error("brokkr, which captures frames, is not beside this program: install or build it");
}

}  // namespace

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) throw std::runtime_error(std::string("arguments: the quote ") + quote + " is not closed");
  if (in_word) words.push_back(std::move(word));
  return words;
}

CaptureDialog::~CaptureDialog() { stop(); }

void CaptureDialog::start() {
  problem_.clear();
  try {
    if (program_.empty()) throw std::runtime_error("program: name one that draws with OpenGL, such as glxgears");
    const fs::path command = find_command();
    output_ = free_name(current_folder(), fs::path(program_).filename().string() + ".bkf", ".bkf");
    std::vector<std::string> words = {"brokkr", "capture", "-o", output_.string()};
    for (const std::string& word : by_key_ ? std::vector<std::string>{"--key", key_, "--count", "1"}
                                           : std::vector<std::string>{"--frame", std::to_string(frame_)})
      words.push_back(word);
    words.insert(words.end(), {"--", with_home(program_)});
    for (std::string& word : split_words(arguments_)) words.push_back(std::move(word));
    folder_ = std::make_unique<app::TemporaryFolder>();
    const int log = ::open((folder_->path() / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    try {
      process_ = start_program(command, words, {}, {none, log, log}, true);
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
    ::close(log);
    ::close(none);
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

void CaptureDialog::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);  // brokkr then ends the captured program
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string CaptureDialog::last_line() const {
  std::ifstream file(folder_->path() / "log");
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line.substr(line.rfind('\r') == std::string::npos ? 0 : line.rfind('\r') + 1);
  }
  return app::printable(last);
}

std::optional<std::string> CaptureDialog::poll() {
  if (process_ <= 0) return std::nullopt;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == 0) return std::nullopt;
  process_ = -1;
  std::error_code error;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && fs::exists(output_, error)) return output_.string();
  problem_ = last_line();
  if (problem_.empty()) problem_ = program_ + " ended before a frame was captured";
  return std::nullopt;
}

std::optional<std::string> CaptureDialog::draw() {
  std::optional<std::string> captured = poll();
  if (captured) open_ = false;
  if (!open_) return captured;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(34 * em, 0.95f * window.x), 0});
  if (ImGui::Begin("Capture a frame", &open_, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    ImGui::TextWrapped("Runs a program that draws with OpenGL, and opens one of its frames.");
    ImGui::BeginDisabled(running());
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    bool wanted = false;
    const auto line = [&](const char* name, const char* hint, std::string& text) {
      wanted |= ImGui::InputTextWithHint(row(name), hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
    };
    line("program", "a file, or a name in PATH: glxgears", program_);
    line("arguments", "none", arguments_);
    if (radio("frame", !by_key_)) by_key_ = false;
    ImGui::SameLine();
    if (radio("when a key is pressed", by_key_)) by_key_ = true;
    if (by_key_)
      line("key", "an X11 name: F10", key_);
    else
      ImGui::InputInt(row("number"), &frame_, 1, 60);
    frame_ = std::max(frame_, 0);
    ImGui::EndDisabled();
    ImGui::Dummy({0, 0.3f * em});
    if (running()) {
      if (ImGui::Button("Stop")) stop();
      ImGui::SameLine();
      std::string said = last_line();
      if (said.empty()) said = by_key_ ? "press " + key_ + " in the program" : "running ...";
      ImGui::TextWrapped("%s", said.c_str());
    } else if (ImGui::Button("Capture", {8 * em, 0}) || wanted) {
      start();
    }
    if (!problem_.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, theme::kBad);
      ImGui::TextWrapped("%s", problem_.c_str());
      ImGui::PopStyleColor();
    }
  }
  ImGui::End();
  return captured;
}

}  // namespace brokkr::viewer
