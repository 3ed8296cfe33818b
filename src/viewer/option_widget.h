// Widgets made from the command line's option table: what `brokkr render` can be told, the viewer can be told, by the
// same name, within the same limits, with the same help.
#pragma once

#include <map>
#include <string>

#include "app/command.h"
#include "brokkr/renderer.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

// Sets the option `name` to `text`; the fields of `options` that no option of the command line names stay. Throws
// std::invalid_argument where the text is no value for it.
void set_option(RenderOptions& options, const std::string& name, const std::string& text);

// All of `texts` that are options with such a value; what is not is left out (settings of an older version).
void set_options(RenderOptions& options, const std::map<std::string, std::string>& texts);

// Draws the widget of one option with its present value, for the next frame. What is wrong with a text that was entered
// is shown as an error.
void draw_option(const app::Option& option, ViewerState& state);

// The next (step 1) or previous (-1) of an option's choices, around the end. Returns what it is now.
std::string step_choice(RenderOptions& options, const std::string& name, int step);

}  // namespace brokkr::viewer
