// The channel from the capture layer to `brokkr capture`: lines of JSON through a socket that only the captured program
// has.
//
// BROKKR_CAPTURE_STATUS is FD:INODE:PATH. FD is an inherited socket, if its inode is still INODE: a program may have
// closed it and opened something else. A process that has closed it connects to the socket at PATH, in a folder that
// belongs to one user.
#pragma once

#include <string>

namespace brokkr::capture {

// Sends a line of JSON text. If the reader is busy, waits briefly if the line is `needed`, and drops it otherwise.
void send_status(const std::string& address, const std::string& json, bool needed);

// Whether the process that started the capture has ended without allowing the program to continue.
bool is_abandoned(const std::string& address);

}  // namespace brokkr::capture
