#include "app/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "app/command.h"
#include "app/input.h"
#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/image.h"
#include "plan/color_code.h"

namespace brokkr::app {
namespace {

std::string ending(const std::string& path) {
  std::string text = std::filesystem::path(path).extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Linear RGB triples.
std::vector<float> linear_rgb(const Layer& layer, ColorFormat format) {
  const size_t count = static_cast<size_t>(layer.width) * static_cast<size_t>(layer.height);
  std::vector<float> values(count * 3);
  for (size_t pixel = 0; pixel < count; ++pixel) {
    for (size_t channel = 0; channel < 3; ++channel) {
      float& value = values[pixel * 3 + channel];
      if (format == ColorFormat::rgba16f) {
        value = layer.color_float[pixel * 4 + channel];
      } else {
        value = static_cast<float>(layer.color[pixel] >> (8 * channel) & 0xff) / 255;
        if (format == ColorFormat::rgba8_srgb) value = float(linear_from_srgb(double(value)));
      }
    }
  }
  return values;
}

}  // namespace

void require_ending(const std::string& path, const std::vector<std::string>& endings, const std::string& option) {
  if (std::find(endings.begin(), endings.end(), ending(path)) != endings.end()) return;
  std::string known;
  for (const std::string& each : endings)
    known += (known.empty() ? "" : &each == &endings.back() ? " or " : ", ") + each;
  throw UsageError(option + ": '" + path + "' does not end in " + known);
}

void require_picture(const std::string& path, const std::vector<std::string>& endings, const std::string& option) {
  if (path != "-") return require_ending(path, endings, option);
  if (isatty(STDOUT_FILENO) == 1)
    throw UsageError(option + " -: a terminal cannot show a picture; redirect it to a file: > FILE" + endings.front());
}

std::string written_path(const std::string& path) { return path == "-" ? kStandardOutput : path; }

std::string output_name(const std::string& path, const std::string& input, bool several, const std::string& option) {
  const size_t place = path.find("{}");
  if (place == std::string::npos) {
    if (!several) return path;
    throw UsageError(option + ": '" + path +
                     "' would be written for every FILE; put {} in it for the name of each FILE");
  }
  if (path.find("{}", place + 2) != std::string::npos)
    throw UsageError(option + ": '" + path + "' contains {} twice; use it once");
  std::string name = std::filesystem::path(input).stem().string();
  for (char& c : name) {  // names of generated scenes look like URLs
    if (c == ':' || c == '?' || c == '&' || c == '=') c = '-';
  }
  return path.substr(0, place) + name + path.substr(place + 2);
}

std::string layer_output_name(const std::string& path, const std::string& input, bool several, uint32_t layer,
                              const std::string& option) {
  std::string name = several ? output_name(path, input, true, option) : path;
  const size_t place = several ? name.rfind('.') : name.find("{}");
  return name.replace(place, several ? 0 : 2, (several ? "-" : "") + std::to_string(layer));
}

std::string layer_name(uint32_t layer, size_t layers) {
  return fmt::format("view{:0{}}", layer, std::max<size_t>(std::to_string(layers - 1).size(), 3));
}

void require_distinct_names(const std::string& path, const std::vector<std::string>& inputs,
                            const std::string& option) {
  std::map<std::string, std::string> known;
  for (const std::string& input : inputs) {
    const auto [first, is_new] = known.emplace(output_name(path, input, inputs.size() > 1, option), input);
    if (!is_new)
      throw UsageError(option + ": '" + first->first + "' would be written for " + first->second + " and for " + input +
                       "; draw them one at a time, into different folders");
  }
}

bool is_exr(const std::string& path) { return ending(path) == ".exr"; }

void write_color_layers(const std::string& path, const std::vector<Layer>& layers, ColorFormat format) {
  std::vector<ExrLayer> pictures;
  for (size_t number = 0; number < layers.size(); ++number)
    pictures.push_back({layer_name(uint32_t(number), layers.size()), linear_rgb(layers[number], format)});
  write_exr_layers(path, layers[0].width, layers[0].height, 3, pictures);
}

void write_color(const std::string& path, const Layer& layer, ColorFormat format) {
  if (is_exr(path)) {
    write_exr(path, layer.width, layer.height, 3, linear_rgb(layer, format));
  } else {
    write_png(written_path(path), layer);
  }
}

void write_pixels(const std::string& path, int width, int height, const std::vector<uint32_t>& pixels) {
  // A window shows no alpha, whatever its framebuffer contains.
  write_png(written_path(path), width, height, pixels, true);
}

void write_values(const std::string& path, int width, int height, const std::vector<float>& values) {
  if (is_exr(path)) {
    write_exr(path, width, height, 1, values);
  } else {
    write_pfm(path, width, height, 1, values);
  }
}

namespace {

std::string write_layers(const std::string& path, const std::string& file, bool several,
                         const std::vector<Layer>& layers, ColorFormat format) {
  if (path.find("{}") == std::string::npos) {
    write_color_layers(path, layers, format);
    return fmt::format("{} ({} layers)", path, layers.size());
  }
  std::string first, last;
  for (size_t number = 0; number < layers.size(); ++number) {
    last = layer_output_name(path, file, several, uint32_t(number), "--output");
    if (number == 0) first = last;
    write_color(last, layers[number], format);
  }
  return first + " to " + last;
}

}  // namespace

std::string write_picture(const std::string& picture, const Arguments& arguments, const std::string& file, bool several,
                          const DrawnLayers& drawn) {
  if (picture.empty()) return picture;
  const auto& [layers, number, format] = drawn;
  const std::string asked = arguments.text("output");
  if (layers.size() > 1 && !arguments.has("layer") && (is_exr(picture) || asked.find("{}") != std::string::npos))
    return write_layers(asked.empty() ? picture : asked, file, several, layers, format);
  write_color(picture, layers[number], format);
  if (layers.size() == 1 || arguments.has("layer") || picture == "-") return picture;
  return fmt::format("{} (layer {} of {}; {{}} in --output writes each)", picture, number, layers.size());
}

namespace {

namespace fs = std::filesystem;

struct Named {
  std::string option;  // "--output", or "FILE"
  std::string path;
  bool is_shared = false;  // Option::shared_ending
};

bool has_no_dashes(const Option& option) { return option.names.front() != '-'; }

std::string shown_name(const Option& option) { return has_no_dashes(option) ? option.value : "--" + key_of(option); }

FileUse use_of(const Option& option, const std::string& value) {
  if (option.kind != ValueKind::choice_or_file) return option.use;
  const bool chosen = std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
  return chosen ? FileUse::none : FileUse::read;
}

bool is_folder(const Option& option) { return option.value == "DIR"; }

// The file name in an option's value, which may have the form NAME=FILE.
std::string file_of(const Option& option, const std::string& value) {
  return option.value.starts_with("NAME=") ? value.substr(value.find('=') + 1) : value;
}

// One spelling for all names of a file. Empty for anything that cannot be overwritten: a device, a pipe, a folder.
std::string place_of(const std::string& path) {
  if (path == "-") return kStandardOutput;
  std::error_code error;
  const fs::path file = end_of_links(path);
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {};
  const fs::path whole = fs::absolute(file, error);
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  return (error ? whole.lexically_normal() : folder / whole.filename()).string();
}

// The files that an output option writes: one for each input if the path contains {}, and the second file beside each.
std::vector<Named> written_names(const Option& option, const std::string& path,
                                 const std::vector<std::string>& inputs) {
  const std::string shown = shown_name(option);
  std::vector<Named> names;
  if (path.find("{}") == std::string::npos || inputs.empty()) {
    names.push_back({shown, path});
  } else {
    require_distinct_names(path, inputs, shown);
    for (const std::string& input : inputs) names.push_back({shown, output_name(path, input, false, shown)});
  }
  if (option.beside.empty() || path == "-" || fs::path(path).extension() == option.beside) return names;
  for (size_t i = 0, count = names.size(); i < count; ++i)
    names.push_back({shown, fs::path(names[i].path).replace_extension(option.beside).string()});
  return names;
}

[[noreturn]] void refuse(const Named& first, const Named& second) {
  if (second.path == "-")
    throw UsageError(first.option + ", " + second.option + ": both go to standard output; name a file for one of them");
  throw UsageError(first.option + ", " + second.option + ": both write '" + printable(second.path) +
                   "'; name a different file for each");
}

}  // namespace

void require_distinct_files(const std::vector<Option>& options, const Arguments& arguments) {
  std::vector<Named> read, written;
  std::vector<std::string> to_make;
  std::vector<std::string> inputs;
  const auto each = [&](FileUse use, const auto& take) {
    for (const Option& option : options) {
      for (const std::string& value : arguments.all(key_of(option))) {
        if (use_of(option, value) == use) take(option, file_of(option, value));
      }
    }
  };
  each(FileUse::read, [&](const Option& option, const std::string& path) {
    read.push_back({shown_name(option), path});
    if (has_no_dashes(option)) inputs.push_back(path);
  });
  each(FileUse::written, [&](const Option& option, const std::string& path) {
    for (Named& name : written_names(option, path, inputs)) {
      name.is_shared = !option.shared_ending.empty() && path.ends_with(option.shared_ending);
      if (!is_folder(option)) to_make.push_back(name.path);
      written.push_back(std::move(name));
    }
  });
  std::map<std::string, Named> known;
  for (const Named& output : written) {
    const std::string place = place_of(output.path);
    if (place.empty()) continue;
    const auto [first, is_new] = known.emplace(place, output);
    if (!is_new && !(output.is_shared && first->second.option == output.option)) refuse(first->second, output);
  }
  for (const Named& input : read) {
    const auto found = input.path == "-" ? known.end() : known.find(place_of(input.path));
    if (found == known.end()) continue;
    throw UsageError(found->second.option + ": '" + printable(found->second.path) + "' is read by " + input.option +
                     ", and would be overwritten; name another file");
  }
  for (const std::string& path : to_make) {
    if (path != "-") require_creatable(path);
  }
}

void announce_files(const std::vector<Option>& options, const Arguments& arguments) {
  std::vector<std::string> inputs, files;
  for (const Option& option : options) {
    const bool is_input = option.use == FileUse::read && has_no_dashes(option);
    for (const std::string& path : arguments.all(key_of(option))) {
      if (option.use == FileUse::written && path == "-") return;
      if (is_input) inputs.push_back(path);
    }
  }
  const std::vector<std::string> all = without_folders(inputs);
  for (const Option& option : options) {
    for (const std::string& path : arguments.all(key_of(option))) {
      if (!option.announced) continue;
      const size_t before = files.size();
      std::error_code error;
      for (const Named& name : written_names(option, path, all)) {
        const bool is_there =
            is_folder(option) ? fs::is_directory(name.path, error) : fs::is_regular_file(name.path, error);
        if (is_there) files.push_back(name.path + (is_folder(option) ? "/" : ""));
      }
      const bool is_numbered = files.size() == before && path.find("{}") != std::string::npos;
      if (is_numbered) files.push_back(path);
    }
  }
  if (!files.empty()) std::cout << fmt::format("wrote {}", fmt::join(files, ", ")) << std::endl;
}

}  // namespace brokkr::app
