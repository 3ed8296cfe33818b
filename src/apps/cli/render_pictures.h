// The files that `brokkr render` writes of a frame that was drawn, by one process or by many.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "app/picture.h"

namespace brokkr::app {

// The layers of the chosen target: to `picture`, or where it has several, all to a file of their own where {} of
// --output stands for the layer's number (with several inputs: for NAME-NUMBER), else as layers of one .exr. Nothing
// where `picture` is empty. Returns what a summary calls them.
std::string write_picture(const std::string& picture, const Arguments& arguments, const std::string& file, bool several,
                          const std::vector<Layer>& layers, uint32_t layer_number, ColorFormat format);

bool wants(const std::vector<AovRequest>& aovs, Aov aov);

// `overdraw`: the layer that was drawn with Shading::overdraw, where that is asked for.
void write_aovs(const std::vector<AovRequest>& aovs, const Layer& layer, const Layer& overdraw,
                const PreparedFrame& prepared, const std::string& file, bool several);

}  // namespace brokkr::app
