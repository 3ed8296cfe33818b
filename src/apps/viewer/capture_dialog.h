// The dialog that captures a frame of a program: `brokkr capture` runs it, and the frame is opened.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/tool.h"

namespace brokkr::viewer {

// The words of a line as a shell has them: parted by blanks, quotes and backslashes keep blanks in a word. Throws
// std::runtime_error for a quote that does not end.
std::vector<std::string> split_words(const std::string& line);

class CaptureDialog {
 public:
  ~CaptureDialog();  // ends what runs
  CaptureDialog() = default;
  CaptureDialog(const CaptureDialog&) = delete;
  CaptureDialog& operator=(const CaptureDialog&) = delete;

  void open() { open_ = true; }
  void close() { open_ = false; }
  bool running() const { return process_ > 0; }

  // Draws the dialog while it is open. Returns the file of a frame that was captured since the last call.
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
  std::unique_ptr<app::TemporaryFolder> folder_;  // of what it says
};

}  // namespace brokkr::viewer
