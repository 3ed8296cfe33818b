// Options that `brokkr optimize` and `brokkr batches` share.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "batch/batch_model.h"
#include "batch/reorder.h"

namespace brokkr::app {

Option model_option();
const BatchModel& chosen_model(const Arguments& arguments);
std::vector<std::string> model_names();
std::vector<std::string> method_names();

// "a,b,c" as names. Throws UsageError that names `option` and lists what there is.
std::vector<BatchModel> models_of(const std::string& list, const std::string& option);
std::vector<ReorderInfo> methods_of(const std::string& list, const std::string& option);

}  // namespace brokkr::app
