// The dialog that captures a frame of a program: runs `brokkr capture` and opens the frame.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/tool.h"

namespace brokkr::viewer {

// Splits a line into words as a shell does: blanks separate words; quotes and backslashes protect blanks. Throws
// std::runtime_error if a quote is not closed.
std::vector<std::string> split_words(const std::string& line);

class CaptureDialog {
 public:
  ~CaptureDialog();  // ends the running capture
  CaptureDialog() = default;
  CaptureDialog(const CaptureDialog&) = delete;
  CaptureDialog& operator=(const CaptureDialog&) = delete;

  void open() { open_ = true; }
  void close() { open_ = false; }
  bool running() const { return process_ > 0; }

  // Draws the dialog while it is open. Returns the file if a frame was captured since the last call.
  std::optional<std::string> draw();

 private:
  void start();
  std::optional<std::string> poll();
  void stop();
  std::string last_line() const;

  bool open_ = false;
  std::string program_, arguments_, key_ = "F10", problem_;
  int frame_ = 60;
  bool by_key_ = false;
  pid_t process_ = -1;
  std::filesystem::path output_;
  std::unique_ptr<app::TemporaryFolder> folder_;  // holds its output
};

}  // namespace brokkr::viewer
