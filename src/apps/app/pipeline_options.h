// The options of the pipeline on the command line: brokkr/options.def in the form of the commands that render.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "brokkr/options.h"

namespace brokkr::app {

std::vector<Option> pipeline_options();

// Sets the options that were given. Throws UsageError, and std::runtime_error for a pattern file that cannot be read.
void read_options(const Arguments& arguments, RenderOptions& options);

// The default options, changed by those that were given.
RenderOptions render_options(const Arguments& arguments);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

// Options of the simulated device (pipeline/task_machine.h), for commands with --machine.
std::vector<Option> simt_options();
// Before the first machine is made. Throws UsageError where the options are for another machine than `machine`, and
// std::runtime_error where there is no simulated device.
void set_up_simt(const Arguments& arguments, const std::string& machine);
// The counters as JSON; empty if no cycles were counted.
std::string simt_report(const Arguments& arguments);
// The same as lines: each kernel that has run.
std::vector<std::string> simt_lines(const std::string& report);

// Options that `brokkr optimize` and `brokkr batches` share.
Option model_option();
const BatchModel& chosen_model(const Arguments& arguments);
std::vector<std::string> model_names();
std::vector<std::string> method_names();

// "a,b,c" as names. Throws UsageError that names `option` and lists what there is.
std::vector<BatchModel> models_of(const std::string& list, const std::string& option);
std::vector<ReorderInfo> methods_of(const std::string& list, const std::string& option);

}  // namespace brokkr::app
