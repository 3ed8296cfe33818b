// Signals that end the program leave no part of a file behind.
#pragma once

namespace brokkr {

// Makes SIGINT, SIGTERM and SIGHUP wait a moment, until unfinished files are removed; then they end the program as
// usual. A second signal ends it at once. Signals that the program handles or ignores are unchanged.
void end_after_files_in_the_making();

// While an object of this class lives, those signals wait. The destructor of the last one ends the program by the
// signal. Any number of objects may live at the same time, on any threads. The class does nothing in a program that has
// not called end_after_files_in_the_making.
class FileInTheMaking {
 public:
  FileInTheMaking();
  ~FileInTheMaking();
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  // Returns true if a signal waits. The file must then be removed and not finished.
  static bool must_end();
};

}  // namespace brokkr
