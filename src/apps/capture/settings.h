// The settings of the capture layer, from the environment (`brokkr capture` sets it), and the layer's messages: lines
// on standard error.
//
//   BROKKR_CAPTURE_OUTPUT        file to write; `{}` stands for the frame's number. Unset: the layer does nothing
//   BROKKR_CAPTURE_STATUS        where `brokkr capture` listens
//   BROKKR_CAPTURE_FRAME         first frame to capture, counted from 0
//   BROKKR_CAPTURE_EVERY         distance to the next one
//   BROKKR_CAPTURE_COUNT         how many frames; 0: no limit
//   BROKKR_CAPTURE_KEY           an X11 keysym ("F10") that captures the next frame
//   BROKKR_CAPTURE_FAST_FORWARD  1: nothing is drawn to windows until shortly before the first frame
//   BROKKR_CAPTURE_CHECK_STATE   1: read the GL state before and after each recorded call and report differences
//   BROKKR_CAPTURE_KEEP_RUNNING  1: the program goes on when `brokkr capture` is killed; otherwise it is ended
//   BROKKR_CAPTURE_NO_PROGRAMS   1: positions and state alone, without programs and what they read
//   BROKKR_CAPTURE_TEXTURE_LIMIT MiB of textures in a file; those beyond it are left out
//   BROKKR_CAPTURE_APPLICATION   for the file's `asset`
//   BROKKR_CAPTURE_LICENSE       for the file's `asset`
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace brokkr::capture {

struct Settings {
  std::string output, status, key, application, license;
  std::optional<int64_t> frame;
  int64_t every = 0, count = 1;
  bool fast_forward = false, check_state = false, keep_running = false, programs = true;
  uint64_t texture_limit = uint64_t(1) << 30;  // bytes
};

// Read on first use.
const Settings& settings();

// Writes a line to standard error.
void report(const std::string& message);

// Reports a draw that was not recorded: the first one in a frame by name, the others as a count at the end of the
// frame.
void report_skipped(int64_t frame, const std::string& label, const std::string& reason, uint64_t number);

// The channel from the capture layer to `brokkr capture`: lines of JSON through a socket that only the captured program
// has.
//
// BROKKR_CAPTURE_STATUS is FD:INODE:PATH. FD is an inherited socket, if its inode is still INODE: a program may have
// closed it and opened something else. A process that has closed it connects to the socket at PATH, in a folder that
// only this user can enter.

// Sends a line of JSON text. If the reader is busy, waits briefly if the line is `needed`, and drops it otherwise.
void send_status(const std::string& address, const std::string& json, bool needed);

// Returns true if the process that started the capture has ended without allowing the program to continue.
bool is_abandoned(const std::string& address);

}  // namespace brokkr::capture
