// The way back from the capture layer to `brokkr capture`: lines of JSON through a socket that only the program under
// capture has.
//
// BROKKR_CAPTURE_STATUS is FD:INODE:PATH. FD is a socket that processes inherit, if INODE is still its number: a
// program may have closed it and opened something else. Who closed it connects to the socket at PATH, in a folder of
// one user.
#pragma once

#include <string>

namespace brokkr::capture {

// Sends a line of JSON text. Waits a little where the reader is busy if the line is `needed`, and drops it otherwise.
void send_status(const std::string& address, const std::string& json, bool needed);

// Whether whoever started the capture is gone, without having said that the program may go on.
bool is_abandoned(const std::string& address);

}  // namespace brokkr::capture
