#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

constexpr Named<Work> kWorks[] = {
    {"bra", Work::control},       {"brx", Work::control},      {"ret", Work::control},     {"exit", Work::control},
    {"trap", Work::control},      {"call", Work::control},     {"bar", Work::control},     {"barrier", Work::control},
    {"nanosleep", Work::control}, {"ld", Work::load},          {"ldu", Work::load},        {"st", Work::store},
    {"sust", Work::store},        {"atom", Work::atomic},      {"red", Work::atomic},      {"fence", Work::fence},
    {"membar", Work::fence},      {"shfl", Work::collective},  {"vote", Work::collective}, {"match", Work::collective},
    {"redux", Work::collective},  {"elect", Work::collective}, {"div", Work::divide},      {"rem", Work::divide},
    {"sqrt", Work::special},      {"rsqrt", Work::special},    {"rcp", Work::special},     {"sin", Work::special},
    {"cos", Work::special},       {"ex2", Work::special},      {"lg2", Work::special},     {"tanh", Work::special},
};

}  // namespace

Work work_of(const std::vector<std::string_view>& words) {
  if (const Work work = find(kWorks, words[0]); work != Work::integer) return work;
  const Type t = type_named(words.back());
  if (t == Type::f64) return Work::doubles;
  if (is_float(t)) return Work::floating;
  const bool multiplies = words[0] == "mul" || words[0] == "mad" || words[0] == "dp4a";
  return multiplies ? Work::multiply : Work::integer;
}

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

Type type_named(std::string_view name) {
  constexpr Named<Type> kTypes[] = {{"pred", Type::pred}, {"b8", Type::b8},   {"u8", Type::u8},   {"s8", Type::s8},
                                    {"b16", Type::b16},   {"u16", Type::u16}, {"s16", Type::s16}, {"f16", Type::f16},
                                    {"b32", Type::b32},   {"u32", Type::u32}, {"s32", Type::s32}, {"f32", Type::f32},
                                    {"b64", Type::b64},   {"u64", Type::u64}, {"s64", Type::s64}, {"f64", Type::f64},
                                    {"b128", Type::b128}};
  return find(kTypes, name);
}

uint8_t rounding_mode(const Rounding& r) {
  return uint8_t(r.mode | int(r.flush) << 2 | int(r.saturate) << 3 | int(r.integer) << 4);
}

}  // namespace brokkr::ptx
