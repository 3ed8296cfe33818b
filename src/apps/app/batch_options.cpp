#include "app/batch_options.h"

#include <stdexcept>

#include "app/text.h"

namespace brokkr::app {
namespace {

template <class Find>
auto each_of(const std::string& list, const std::string& option, Find&& find) try {
  std::vector<std::decay_t<decltype(find(list))>> result;
  for (const std::string& name : split(list)) result.push_back(find(name));
  return result;
} catch (const std::invalid_argument& error) {
  throw UsageError(option + ": " + printable(error.what()));
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const BatchModel& model : batch_models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const ReorderInfo& info : reorder_methods()) names.emplace_back(info.name);
  return names;
}

Option model_option() {
  return choice_option("--model", "MODEL", "Batch model to reorder for (nvidia)", model_names());
}

const BatchModel& chosen_model(const Arguments& arguments) { return batch_model(arguments.text("model", "nvidia")); }

std::vector<BatchModel> models_of(const std::string& list, const std::string& option) {
  return each_of(list, option, [](const std::string& name) { return batch_model(name); });
}

std::vector<ReorderInfo> methods_of(const std::string& list, const std::string& option) {
  return each_of(list, option, [](const std::string& name) { return reorder_method(name); });
}

}  // namespace brokkr::app
