// The layer's messages: lines on standard error, and the status file that `brokkr capture` reads.
#pragma once

#include <cstdint>
#include <string>

namespace brokkr::capture {

void report(const std::string& message);

// Reports a draw that was not recorded: the first of a frame by name, the others as a number at the frame's end.
void report_skipped(int64_t frame, const std::string& label, const std::string& reason, uint64_t number);

// Appends a line to the status file: JSON text.
void write_status(const std::string& json);

}  // namespace brokkr::capture
