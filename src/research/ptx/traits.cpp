#include "ptx/traits.h"

#include "ptx/operations.h"

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

}  // namespace brokkr::ptx
