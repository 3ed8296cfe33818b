#include "base/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/ending_signals.h"
#include "base/failure.h"
#include "base/loading.h"

namespace brokkr {
namespace {

std::string reason() { return std::strerror(errno); }

// An open file, which the destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)), owned_(other.owned_) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  // Returns true if everything that was written has arrived. Some file systems report a full disk only here.
  bool finish() { return close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
  bool owned_;
};

// While an object lives, a file that exceeds its size limit (ulimit -f) makes this thread's write() fail. Otherwise a
// signal would end the program and leave an incomplete file.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~NoSizeSignal() {
    const timespec now{};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&signals_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t signals_{}, before_{};
};

// If a signal ends the program, stops at the next piece, before everything is written.
void write_all(const Descriptor& file, const std::filesystem::path& path, std::span<const std::byte> bytes) {
  constexpr size_t kPiece = size_t(4) << 20;
  const NoSizeSignal guard;
  while (!bytes.empty() && !FileInTheMaking::must_end()) {
    const ssize_t written = write(file.number(), bytes.data(), std::min(bytes.size(), kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EFBIG)
      fail("{}: exceeds the limit of file sizes; raise it (ulimit -f) or write less", path.string());
    if (written < 0) fail("{}: cannot be written ({}); check the space on the disk", path.string(), reason());
    bytes = bytes.subspan(size_t(written));
  }
}

// Writes to devices, pipes and sockets without replacing them.
void write_in_place(const std::filesystem::path& path, std::span<const std::byte> bytes, mode_t mode) {
  if (S_ISDIR(mode)) fail("{}: is a directory; name a file", path.string());
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) fail("{}: cannot be opened for writing ({}); check its permissions", path.string(), reason());
  write_all(file, path, bytes);
}

// The superuser may write every file, but somebody protected a file that nobody may write.
void require_writable(const std::filesystem::path& path, mode_t mode) {
  constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
  if ((mode & kAnyWrite) == 0 || access(path.c_str(), W_OK) != 0)
    fail("{}: is read-only; make it writable, or choose another name", path.string());
}

[[noreturn]] void fail_to_create(const std::filesystem::path& path) {
  fail("{}: cannot be created ({}); check that its folder exists and is writable", path.string(), reason());
}

// Creates a new file in `folder`, which will become `path`. Sets its name, which fits wherever the name of `path` fits.
Descriptor make_temporary(const std::filesystem::path& folder, const std::filesystem::path& path,
                          std::filesystem::path& temporary) {
  static std::atomic<unsigned> counter{0};
  constexpr int kMaxTries = 1000;  // processes with the same number may write here from other computers
  for (int tries = 0;; ++tries) {
    temporary = folder / fmt::format(".brokkr.part-{}-{}", getpid(), counter.fetch_add(1));
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return Descriptor(file);
    if (errno != EEXIST || tries == kMaxTries) fail_to_create(path);
  }
}

// `old`: the file that is replaced. The new file gets its mode and its owner, if this user may give files away.
void fill(Descriptor& file, const std::filesystem::path& path, std::span<const std::byte> bytes,
          const struct stat* old) {
  constexpr mode_t kPermissions = 07777;
  write_all(file, path, bytes);
  if (old != nullptr) {
    const bool given =
        fchown(file.number(), old->st_uid, old->st_gid) == 0 || fchown(file.number(), uid_t(-1), old->st_gid) == 0;
    // Another group must not get the rights that the old group had.
    const mode_t mode = given ? old->st_mode & kPermissions : old->st_mode & (S_IRWXU | S_IRWXO);
    if (fchmod(file.number(), mode) != 0)
      fail("{}: cannot get the permissions of the old file ({}); remove that first", path.string(), reason());
  }
  if (!file.finish()) fail("{}: cannot be written ({}); check the space on the disk", path.string(), reason());
}

}  // namespace

namespace {

std::mutex kept_mutex;
bool keeps_inputs = false;
std::set<std::filesystem::path> kept_files;  // canonical

void note_input(const std::filesystem::path& path) {
  const std::lock_guard lock(kept_mutex);
  std::error_code error;
  if (!keeps_inputs || !std::filesystem::is_regular_file(path, error)) return;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (!error) kept_files.insert(file);
}

}  // namespace

KeptInputs::KeptInputs() {
  const std::lock_guard lock(kept_mutex);
  keeps_inputs = true;
}

KeptInputs::~KeptInputs() {
  const std::lock_guard lock(kept_mutex);
  keeps_inputs = false;
  kept_files.clear();
}

void require_no_input(const std::filesystem::path& path) {
  const std::lock_guard lock(kept_mutex);
  std::error_code error;
  if (kept_files.empty() || !kept_files.contains(std::filesystem::canonical(path, error)) || error) return;
  fail("{}: this run reads that file, which would be lost; write another", path.string());
}

std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes, Loading* loading) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail("{}: is a directory; name a file", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("{}: cannot be opened ({}); check the name and its permissions", path.string(), reason());
  const auto check = [&](uint64_t size) {
    if (size > max_bytes)
      fail("{}: is larger than the limit of {} bytes; use a smaller file", path.string(), max_bytes);
    if (loading == nullptr || loading->fits(size)) return;
    fail("{}: its {} exceed the memory that the limit leaves; use a smaller file, or raise the memory limit",
         path.string(), memory_text(size));
  };

  // Reads in steps, because the size that the file system reports may be wrong (pipes, /proc).
  constexpr size_t kStep = size_t(4) << 20;
  const uint64_t reported = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  std::vector<std::byte> bytes;
  if (!error) {
    check(reported);
    bytes.reserve(size_t(reported) + 1);
  }
  while (in) {
    const size_t old_size = bytes.size();
    const size_t step = std::min(kStep, std::max(bytes.capacity() - old_size, kStep / 64));
    bytes.resize(old_size + step);
    in.read(reinterpret_cast<char*>(bytes.data() + old_size), std::streamsize(step));
    bytes.resize(old_size + size_t(in.gcount()));
    check(bytes.size());
    if (loading != nullptr) loading->look(bytes.size(), std::max<uint64_t>(reported, 1));
  }
  if (in.bad()) fail("{}: cannot be read ({}); check the disk", path.string(), reason());
  note_input(path);
  if (loading != nullptr) loading->need(bytes.size(), "file");
  return bytes;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    fail("{}: this folder cannot be made ({}); name another", folder.string(),
         error ? error.message() : "another file has that name");
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::filesystem::path current_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  if (error) fail("the current folder cannot be used ({}); change to another one", error.message());
  return folder;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  return path.is_absolute() ? path : current_folder() / path;
}

std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::filesystem::path end_of_links(const std::filesystem::path& path) {
  constexpr int kMaxLinks = 40;  // the kernel follows as many
  std::filesystem::path file = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(file, error); i++) {
    const std::filesystem::path next = std::filesystem::read_symlink(file, error);
    if (error) break;
    file = file.parent_path() / next;
  }
  return file;
}

void require_creatable(const std::filesystem::path& path) {
  const std::filesystem::path target = end_of_links(path);
  std::error_code error;
  if (std::filesystem::exists(target, error)) return;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail_to_create(path);
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (path == kStandardOutput) return write_all(Descriptor(STDOUT_FILENO, false), path, bytes);
  const std::filesystem::path target = end_of_links(path);
  struct stat old {};
  const bool exists = stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(path, bytes, old.st_mode);
  if (exists) require_writable(path, old.st_mode);
  require_no_input(path);

  const FileInTheMaking guard;
  std::filesystem::path temporary;
  Descriptor file = make_temporary(target.parent_path(), path, temporary);
  try {
    fill(file, path, bytes, exists ? &old : nullptr);
    if (FileInTheMaking::must_end()) {
      unlink(temporary.c_str());
      return;  // the guard then ends the program
    }
    if (rename(temporary.c_str(), target.c_str()) != 0)
      fail("{}: cannot be replaced ({}); check its name and its permissions", path.string(), reason());
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace brokkr
