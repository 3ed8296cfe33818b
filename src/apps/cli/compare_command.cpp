// brokkr compare: compares two images pixel by pixel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/text.h"
#include "brokkr/image.h"
#include "cli/commands.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

// Reads either kind of file as floats; the colours of a PNG range from 0 to 1.
FloatImage read_values(const std::string& path) {
  if (path.size() > 4 && path.substr(path.size() - 4) == ".pfm") return read_pfm(path);
  const Image image = read_image(path);
  FloatImage result{image.width, image.height, 4, {}};
  result.values.reserve(image.texels.size() * 4);
  for (const uint32_t texel : image.texels) {
    for (int shift = 0; shift < 32; shift += 8) {
      result.values.push_back(static_cast<float>(texel >> shift & 0xff) / 255);
    }
  }
  return result;
}

struct Comparison {
  uint64_t pixels = 0, differing = 0;  // `differing`: pixels with a channel that differs by more than the tolerance
  double worst = 0;
  int worst_x = 0, worst_y = 0;  // from the bottom left
};

double difference(float a, float b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double value = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

Comparison compare(const FloatImage& a, const FloatImage& b, double tolerance) {
  Comparison result;
  const size_t channels = static_cast<size_t>(a.channels);
  for (size_t first = 0; first < a.values.size(); first += channels) {
    double pixel = 0;
    for (size_t channel = 0; channel < channels; ++channel) {
      pixel = std::max(pixel, difference(a.values[first + channel], b.values[first + channel]));
    }
    const int number = static_cast<int>(result.pixels++);
    if (pixel > tolerance) ++result.differing;
    if (pixel > result.worst) {
      result.worst = pixel;
      result.worst_x = number % a.width;
      result.worst_y = number / a.width;
    }
  }
  return result;
}

int run_compare(const Arguments& arguments) {
  const std::string first = arguments.text("A"), second = arguments.text("B");
  for (const std::string& file : {first, second}) {
    if (file.ends_with(".exr"))
      throw std::runtime_error(file + ": .exr is not compared; write the values as .pfm, which --aov takes as well");
  }
  const FloatImage a = read_values(first), b = read_values(second);
  const auto channels = [](const FloatImage& image) { return counted(uint64_t(image.channels), "channel"); };
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) {
    throw std::runtime_error(fmt::format("{} is {}x{} with {}, {} is {}x{} with {}; compare equal sizes and channels",
                                         first, a.width, a.height, channels(a), second, b.width, b.height,
                                         channels(b)));
  }
  const double tolerance = arguments.real("tolerance", 0);
  const Comparison result = compare(a, b, tolerance);
  const double percent = 100.0 * static_cast<double>(result.differing) / static_cast<double>(result.pixels);
  const bool passed = percent <= arguments.real("max-percent", 0);
  if (arguments.has("json")) {
    nlohmann::ordered_json json = {{"pixels", result.pixels},
                                   {"differing", result.differing},
                                   {"percent", percent},
                                   {"worst", nullptr},
                                   {"worst_at", {result.worst_x, result.worst_y}},
                                   {"passed", passed}};
    if (std::isfinite(result.worst)) json["worst"] = result.worst;
    write_document(arguments.text("json"), json);
  }
  if (arguments.text("json") != "-") {
    std::cout << grouped(result.differing) << " of " << grouped(result.pixels) << " pixels differ by more than "
              << tolerance << " (" << fixed(percent, 4) << " %); the largest difference is " << result.worst;
    if (result.worst > 0) std::cout << " at (" << result.worst_x << ", " << result.worst_y << ")";
    std::cout << '\n';
  }
  return passed ? kSuccess : kFailure;
}

}  // namespace

Command compare_command() {
  return {"compare",
          "Compare two images (.png, .jpg, .pfm) pixel by pixel",
          {needed(file_option("A", "A", "First image")), needed(file_option("B", "B", "Second image")),
           real_option("--tolerance", "T",
                       "Largest difference at which channels count as equal; colours of PNG are 0 to 1 (0)", 0, 1e30),
           real_option("--max-percent", "P", "Fail if more than P percent of the pixels differ (0)", 0, 100),
           json_option("Write the result as JSON")},
          run_compare};
}

}  // namespace brokkr::app
