// The options of the pipeline on the command line: brokkr/options.def as options of the commands that render.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "brokkr/options.h"

namespace brokkr::app {

std::vector<Option> pipeline_options();
// The same for commands that make pictures, and choose their samples a pixel where nobody does (picture_samples).
std::vector<Option> picture_options();

// Sets the fields of `options` that the command line gives. Throws UsageError, and std::runtime_error for a pattern
// file that cannot be read.
void read_options(const Arguments& arguments, RenderOptions& options);

// The default options, changed by those on the command line.
RenderOptions render_options(const Arguments& arguments);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

// Options of the simulated device (pipeline/task_machine.h), for commands that take --machine.
std::vector<Option> simt_options();
// Configures the simulated device; call it before the first machine is made. Throws UsageError if the options belong to
// another machine than `machine`, and std::runtime_error if there is no simulated device.
void set_up_simt(const Arguments& arguments, const std::string& machine);
// The device's counters as JSON; empty if no cycles were counted.
std::string simt_report(const Arguments& arguments);
// The same counters as text, one line per kernel that ran.
std::vector<std::string> simt_lines(const std::string& report);

// Options that `brokkr optimize` and `brokkr batches` share.
Option model_option();
const BatchModel& chosen_model(const Arguments& arguments);
std::vector<std::string> model_names();
std::vector<std::string> method_names();

// Splits "a,b,c" into names. Throws UsageError that names `option` and lists the valid names.
std::vector<BatchModel> models_of(const std::string& list, const std::string& option);
std::vector<ReorderInfo> methods_of(const std::string& list, const std::string& option);

}  // namespace brokkr::app
