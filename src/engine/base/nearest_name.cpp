#include "base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace brokkr {
namespace {

constexpr size_t kLongest = 64;  // letters; the time is proportional to the product of both lengths

// The number of edits between two words, where each letter takes part in at most one edit ("optimal string alignment").
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) last[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view text, const std::vector<std::string>& known) {
  if (text.size() > kLongest) return {};
  std::string nearest;
  size_t least = text.size() / 3 + 1;
  for (const std::string& name : known) {
    if (name.size() > kLongest) continue;
    const size_t edits = distance(text, name);
    if (edits >= least) continue;
    least = edits;
    nearest = name;
  }
  return nearest;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known) {
  const std::string name = nearest_name(text, known);
  return name.empty() ? "" : " (did you mean '" + name + "'?)";
}

std::string meant_or_known(std::string_view text, const std::vector<std::string>& known) {
  if (known.empty()) return " (there are none)";
  constexpr size_t kMaxNames = 12;  // names; more make a line that nobody reads
  std::string list = did_you_mean(text, known);
  if (!list.empty()) return list;
  for (size_t i = 0; i < std::min(known.size(), kMaxNames); ++i) list += (i == 0 ? " (known: " : ", ") + known[i];
  return list + (known.size() > kMaxNames ? " and " + std::to_string(known.size() - kMaxNames) + " more)" : ")");
}

}  // namespace brokkr
