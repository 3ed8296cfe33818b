#include "brokkr/errors.h"

#include <algorithm>
#include <charconv>

namespace brokkr {

Error::Error(const std::string& message) : std::runtime_error(message) {
  if (const size_t end = message.rfind("; "); end != std::string::npos) remedy_ = message.substr(end + 2);
  constexpr std::string_view kField = "field '";
  const size_t begin = message.find(kField);
  if (begin == std::string::npos) return;
  const size_t first = begin + kField.size(), last = message.find('\'', first);
  if (last != std::string::npos) field_ = message.substr(first, last - first);
}

std::string Error::problem() const {
  const std::string text = what();
  return remedy_.empty() ? text : text.substr(0, text.size() - remedy_.size() - 2);
}

ShaderError::ShaderError(const std::string& message) : Error(message) {
  const size_t end = message.find(": ");
  if (end == std::string::npos) return;
  name_ = message.substr(0, end);
  const size_t colon = name_.rfind(':');
  if (colon == std::string::npos) return;
  const char* const last = name_.data() + name_.size();
  if (const auto [stop, error] = std::from_chars(name_.data() + colon + 1, last, line_);
      error != std::errc() || stop != last)
    line_ = 0;
  else
    name_.resize(colon);
}

Error::~Error() = default;
FileError::~FileError() = default;
ShaderError::~ShaderError() = default;
MemoryLimitError::~MemoryLimitError() = default;
MachineError::~MachineError() = default;

}  // namespace brokkr
