#include "viewer/sequence.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "brokkr/load.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Runs of digits compare by value, everything else by character.
bool natural_less(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [](const std::string& text, size_t& place) {
      while (place < text.size() && text[place] == '0') ++place;
      const size_t begin = place;
      while (place < text.size() && is_digit(text[place])) ++place;
      return text.substr(begin, place - begin);
    };
    const std::string x = number(a, i), y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

}  // namespace

std::vector<std::string> scenes_in(const std::string& folder) {
  for (const bool captured : {true, false}) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const bool fits = (it->path().extension() == ".bkf") == captured && is_loadable(it->path().string());
      if (fits && it->is_regular_file(error)) files.push_back(it->path().string());
    }
    std::sort(files.begin(), files.end(), natural_less);
    if (!files.empty()) return files;
  }
  return {};
}

void Sequence::set(std::vector<std::string> files) {
  files_ = std::move(files);
  position_ = 0;
  playing_ = false;
}

std::optional<size_t> Sequence::find(const std::string& file) const {
  const auto place = std::find(files_.begin(), files_.end(), file);
  if (place == files_.end()) return std::nullopt;
  return size_t(place - files_.begin());
}

void Sequence::seek(size_t position) {
  if (!files_.empty()) position_ = std::min(position, files_.size() - 1);
  since_ = Clock::now();
}

void Sequence::step(int by) {
  if (files_.empty()) return;
  const auto count = int64_t(files_.size());
  const int64_t wanted = int64_t(position_) + by;
  seek(size_t(loop ? (wanted % count + count) % count : std::clamp<int64_t>(wanted, 0, count - 1)));
}

void Sequence::play(Clock::time_point now) {
  playing_ = active();
  since_ = now;
}

Sequence::Clock::time_point Sequence::next_time() const {
  return since_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / double(speed)));
}

bool Sequence::advance(Clock::time_point now) {
  if (!playing_ || now < next_time()) return false;
  const double passed = std::chrono::duration<double>(now - since_).count();
  const auto steps = std::max<int64_t>(1, int64_t(passed * double(speed)));
  const auto last = int64_t(files_.size()) - 1;
  if (!loop && int64_t(position_) + steps >= last) {
    playing_ = false;
    const bool moved = position_ != size_t(last);
    position_ = size_t(last);
    return moved;
  }
  position_ = size_t((int64_t(position_) + steps) % (last + 1));
  since_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(double(steps) / double(speed)));
  return true;
}

}  // namespace brokkr::viewer
