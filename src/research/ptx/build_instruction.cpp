// Maps each operation to the part of the builder that builds it.
#include "ptx/builder.h"

namespace brokkr::ptx {

// By the first word of the operation, or the first two. Everything else is arithmetic.
const Named<Builder::Translate> Builder::kOperations[] = {
    {"bra", &Builder::branch},
    {"brx", &Builder::branch_by_table},
    {"ret", &Builder::leave},
    {"exit", &Builder::end},
    {"trap", &Builder::stop},
    {"brkpt", &Builder::stop},
    {"nanosleep", &Builder::sleep},
    {"call", &Builder::call},
    {"bar", &Builder::barrier},
    {"barrier", &Builder::barrier},
    {"bar.warp", &Builder::sync_warp},
    {"ld", &Builder::load},
    {"ldu", &Builder::load},
    {"st", &Builder::store},
    {"atom", &Builder::atomic},
    {"red", &Builder::atomic},
    {"fence", &Builder::fence},
    {"membar", &Builder::fence},
    {"cvta", &Builder::convert_address},
    {"isspacep", &Builder::is_space},
    {"prefetch", &Builder::nothing},
    {"prefetchu", &Builder::nothing},
    {"discard", &Builder::nothing},
    {"applypriority", &Builder::nothing},
    {"sust", &Builder::store_surface},
    {"shfl", &Builder::shuffle},
    {"vote", &Builder::vote},
    {"match", &Builder::match},
    {"redux", &Builder::reduce},
    {"elect", &Builder::elect},
    {"activemask", &Builder::active_mask},
    {"mov", &Builder::move},
    {"cvt", &Builder::convert},
    {"setp", &Builder::compare},
    {"selp", &Builder::select},
    {"popc", &Builder::count_bits},
    {"clz", &Builder::count_bits},
    {"bfind", &Builder::count_bits},
    {"mul.wide", &Builder::wide},
    {"mad.wide", &Builder::wide},
    {"lop3", &Builder::special},
    {"bfi", &Builder::special},
    {"bfe", &Builder::special},
    {"prmt", &Builder::special},
    {"shf", &Builder::special},
    {"dp4a", &Builder::special},
};

void Builder::append(const Instruction& in, uint32_t line) {
  p_.code.push_back(in);
  p_.lines.push_back({line, location_.file, location_.line, location_.inlined});
  p_.traits.push_back(traits_);
}

void Builder::instruction(const Statement& s) {
  Instruction in;
  if (!s.guard.empty()) {
    const Register* r = find_register(s.guard);
    if (r == nullptr || r->type != Type::pred) fail("predicate '" + std::string(s.guard) + "'");
    in.guard = r->place;
    in.guard_negated = s.guard_negated;
  }
  const Words parts = split(s.word, '.');
  traits_ = {.work = work_of(parts)};
  Translate translate = nullptr;
  if (parts.size() > 1) translate = find(kOperations, s.word.substr(0, parts[0].size() + 1 + parts[1].size()));
  if (translate == nullptr) translate = find(kOperations, parts[0]);
  if (translate == nullptr) translate = &Builder::arithmetic;
  if (!(this->*translate)(s, parts, in)) {  // fails only if it is executed
    in.kind = Kind::unknown;
    in.run = nullptr;
  }
  append(in, s.line);
}

}  // namespace brokkr::ptx
