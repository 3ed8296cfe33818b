#include "ptx/program.h"

namespace brokkr::ptx {

const Function& Program::function_at(uint32_t pc) const {
  for (const Function& f : functions) {
    if (f.defined && pc >= f.begin && pc < f.end) return f;
  }
  return functions.front();
}

const CallSite* Program::call_at(uint32_t pc, uint32_t function) const {
  const Instruction& in = code[pc];
  if (in.kind != Kind::call_register) return &calls[in.target];
  const auto known = indirect[in.target].call_of.find(function);
  return known == indirect[in.target].call_of.end() ? nullptr : &calls[known->second];
}

std::string_view Program::ptx_line(uint32_t pc) const {
  const size_t begin = line_begins[lines[pc].ptx - 1];
  std::string_view all = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
  while (!all.empty() && (all.front() == ' ' || all.front() == '\t')) all.remove_prefix(1);
  return all;
}

std::string Program::describe(uint32_t pc) const {
  std::string what =
      function_at(pc).name + ", PTX line " + std::to_string(lines[pc].ptx) + ": " + std::string(ptx_line(pc));
  const auto file = files.find(lines[pc].file);
  if (file != files.end()) {
    const size_t slash = file->second.rfind("/src/");
    what += " (" + (slash == std::string::npos ? file->second : file->second.substr(slash + 1)) + ":" +
            std::to_string(lines[pc].line) + ")";
  }
  return what;
}

}  // namespace brokkr::ptx
