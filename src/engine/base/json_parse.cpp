#include "base/json_parse.h"

#include <cstddef>
#include <iterator>

#include "base/json_builder.h"

namespace brokkr {
namespace {

// A text that is read from its beginning to its end, and reports its progress to `loading`.
class WatchedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedText(const char* begin, const char* at, const char* end, Loading* loading)
      : begin_(begin), at_(at), end_(end), loading_(loading) {}
  reference operator*() const { return *at_; }
  WatchedText& operator++() {
    constexpr std::ptrdiff_t kStep = 1 << 12;
    at_++;
    if (loading_ != nullptr && (at_ - begin_) % kStep == 0)
      loading_->look(uint64_t(at_ - begin_), uint64_t(end_ - begin_));
    return *this;
  }
  WatchedText operator++(int) {
    const WatchedText before = *this;
    ++*this;
    return before;
  }
  bool operator==(const WatchedText& other) const { return at_ == other.at_; }

 private:
  const char *begin_, *at_, *end_;
  Loading* loading_;
};

}  // namespace

template <typename Json>
Json parse_json(std::string_view text, Loading* loading) {
  Json root;
  JsonBuilder<Json> builder(root, loading);
  const char *const begin = text.data(), *const end = begin + text.size();
  Json::sax_parse(WatchedText(begin, begin, end, loading), WatchedText(begin, end, end, loading), &builder);
  return root;
}

template nlohmann::json parse_json<nlohmann::json>(std::string_view, Loading*);
template nlohmann::ordered_json parse_json<nlohmann::ordered_json>(std::string_view, Loading*);

}  // namespace brokkr
