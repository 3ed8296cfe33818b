// Writes the renderer's results to picture files: single pictures, and all pictures that `brokkr render` makes from a
// frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/command.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"

namespace brokkr::app {

// `path` must end in one of `endings` (".png", …, in any case). Throws UsageError that names `option`.
void require_ending(const std::string& path, const std::vector<std::string>& endings, const std::string& option);

// Like require_ending, but also accepts "-": standard output, which must not be a terminal.
void require_picture(const std::string& path, const std::vector<std::string>& endings, const std::string& option);

// The path that file writers take: "-" becomes kStandardOutput.
std::string written_path(const std::string& path);

// `path` with {} replaced by the stem of `input`. Throws UsageError that names `option` if there are several inputs and
// no {}, because each picture would overwrite the one before.
std::string output_name(const std::string& path, const std::string& input, bool several, const std::string& option);

// The name of a layer's picture where `path` contains {}, which stands for the layer's number, or for NAME-NUMBER with
// several inputs. Throws as output_name does.
std::string layer_output_name(const std::string& path, const std::string& input, bool several, uint32_t layer,
                              const std::string& option);

// The name of a layer in an .exr that holds all of `layers`, such as view000.
std::string layer_name(uint32_t layer, size_t layers);

// Throws UsageError that names `option` and two inputs if both inputs would get the same output name.
void require_distinct_names(const std::string& path, const std::vector<std::string>& inputs, const std::string& option);

// Writes the colour of a layer: to .png as a window shows it, or to .exr as linear values. Here and below, a path of
// "-" writes PNG to standard output.
void write_color(const std::string& path, const Layer& layer, ColorFormat format);

// Writes the colours of layers of equal size to one .exr, as layers view000, view001 and so on, in linear values.
void write_color_layers(const std::string& path, const std::vector<Layer>& layers, ColorFormat format);

// Returns true if a path ends in .exr, in any case.
bool is_exr(const std::string& path);

// Writes RGBA8 (0xAABBGGRR), rows bottom to top, to .png.
void write_pixels(const std::string& path, int width, int height, const std::vector<uint32_t>& pixels);

// Writes one value per pixel, rows bottom to top, to .pfm or .exr.
void write_values(const std::string& path, int width, int height, const std::vector<float>& values);

// The layers of a target that was drawn. `number`: the one that a file for a single layer gets.
struct DrawnLayers {
  const std::vector<Layer>& layers;
  uint32_t number;
  ColorFormat format;
};

// Writes the layers of the chosen target to `picture`. If the target has several, each goes to its own file, where {}
// in --output stands for the layer's number (with several inputs: for NAME-NUMBER); without {} they become layers of
// one .exr. Writes nothing if `picture` is empty. Returns the name that a summary gives them.
std::string write_picture(const std::string& picture, const Arguments& arguments, const std::string& file, bool several,
                          const DrawnLayers& drawn);

}  // namespace brokkr::app
