#include "cli/render_pictures.h"

#include <fmt/format.h>

#include <algorithm>

namespace brokkr::app {
namespace {

std::string write_layers(const std::string& path, const std::string& file, bool several,
                         const std::vector<Layer>& layers, ColorFormat format) {
  if (path.find("{}") == std::string::npos) {
    write_color_layers(path, layers, format);
    return fmt::format("{} ({} layers)", path, layers.size());
  }
  std::string first, last;
  for (size_t number = 0; number < layers.size(); ++number) {
    last = several ? output_name(path, file, true, "--output") : path;
    const size_t place = several ? last.rfind('.') : last.find("{}");
    last.replace(place, several ? 0 : 2, (several ? "-" : "") + std::to_string(number));
    if (number == 0) first = last;
    write_color(last, layers[number], format);
  }
  return first + " to " + last;
}

}  // namespace

std::string write_picture(const std::string& picture, const Arguments& arguments, const std::string& file, bool several,
                          const std::vector<Layer>& layers, uint32_t layer_number, ColorFormat format) {
  if (picture.empty()) return picture;
  const std::string asked = arguments.text("output");
  if (layers.size() > 1 && !arguments.has("layer") && (is_exr(picture) || asked.find("{}") != std::string::npos))
    return write_layers(asked.empty() ? picture : asked, file, several, layers, format);
  write_color(picture, layers[layer_number], format);
  return picture;
}

bool wants(const std::vector<AovRequest>& aovs, Aov aov) {
  return std::any_of(aovs.begin(), aovs.end(), [&](const AovRequest& r) { return r.aov == aov; });
}

void write_aovs(const std::vector<AovRequest>& aovs, const Layer& layer, const Layer& overdraw,
                const PreparedFrame& prepared, const std::string& file, bool several) {
  for (const AovRequest& aov : aovs) {
    const Layer& source = aov.aov == Aov::overdraw ? overdraw : layer;
    const std::string path = output_name(aov.path, file, several, "--aov");
    write_values(path, source.width, source.height, aov_values(aov.aov, source, prepared));
  }
}

}  // namespace brokkr::app
