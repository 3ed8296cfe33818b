// Signals that end the program leave no part of a file behind.
#pragma once

namespace brokkr {

// From now on SIGINT, SIGTERM and SIGHUP end the program as they would have, but not before files in the making are
// removed: a moment later. A second one ends it at once. Signals that somebody handles or ignores stay as they are.
void end_after_files_in_the_making();

// While one lives, those signals wait; the destructor of the last one ends the program by them. Any number may live at
// a time, on any threads. Nothing happens in a program that has not called end_after_files_in_the_making.
class FileInTheMaking {
 public:
  FileInTheMaking();
  ~FileInTheMaking();
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  // Returns true if a signal waits: the file must be removed instead of being finished.
  static bool must_end();
};

}  // namespace brokkr
