// Modules: variables, functions and their bodies, and nested scopes.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "ptx/builder.h"
#include "ptx/memory.h"

namespace brokkr::ptx {

Words split(std::string_view text, char at) {
  Words parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}
uint64_t to_number(std::string_view text) {
  uint64_t value = 0;
  const bool hex = text.starts_with("0x");
  std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), value, hex ? 16 : 10);
  return value;
}
bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

namespace {

Declaration declaration(const std::string_view* begin, const std::string_view* end) {
  Declaration d;
  uint32_t count = 1, align = 0;
  for (const std::string_view* t = begin; t != end; ++t) {
    if (*t == ".align") {
      align = uint32_t(to_number(*++t));
    } else if ((*t)[0] == '.') {
      const Type type = type_named(t->substr(1));
      if (type != Type::none) d.type = type;
    } else if (*t == "[") {
      ++t;
      if (*t == "]") {
        d.unsized = true;
        count = 0;
      } else {
        count *= uint32_t(to_number(*t++));
      }
    } else if (*t == "=") {
      break;
    } else {
      d.name = *t;
    }
  }
  d.align = align != 0 ? align : std::max(bytes_of(d.type), 1u);
  d.bytes = count * std::max(bytes_of(d.type), 1u);
  return d;
}
Words words_of(const Statement& s) {
  Words all{s.word};
  all.insert(all.end(), s.tokens.begin(), s.tokens.end());
  return all;
}
std::vector<Declaration> declarations(const Words& t, size_t& i) {
  std::vector<Declaration> all;
  ++i;  // "("
  while (t[i] != ")") {
    const size_t begin = i;
    while (t[i] != "," && t[i] != ")") ++i;
    if (i > begin) all.push_back(declaration(&t[begin], &t[i]));
    if (t[i] == ",") ++i;
  }
  ++i;
  return all;
}

}  // namespace

void Builder::run() {
  declare_shared();
  for (at_ = 0; at_ < statements_.size(); ++at_) {
    const Statement& s = statements_[at_];
    try {
      top_level(s);
    } catch (const std::runtime_error& error) {
      const std::string_view what = error.what();
      if (what.starts_with("PTX line")) throw;
      throw std::runtime_error("PTX line " + std::to_string(statements_[std::min(at_, statements_.size() - 1)].line) +
                               ": " + std::string(what));
    }
  }
  match_calls();
  for (size_t i = p_.code.size(); i-- > 0;) {
    if (p_.code[i].kind == Kind::plain) p_.code[i].plain = i + 1 < p_.code.size() ? p_.code[i + 1].plain + 1 : 1;
  }
  for (CallSite& site : p_.calls) {
    if (site.builtin == Builtin::none && !p_.functions[site.function].defined)
      throw std::runtime_error("function " + p_.functions[site.function].name + " has no body here");
  }
}

// All shared variables of the module; those without a size come last.
void Builder::declare_shared() {
  std::vector<Declaration> unsized;
  for (const Statement& s : statements_) {
    if (s.kind != Statement::directive || s.word == ".loc") continue;
    const Words words = words_of(s);
    if (!has(Words(words.begin(), words.begin() + std::ptrdiff_t(std::min<size_t>(words.size(), 3))), ".shared"))
      continue;
    const Declaration d = declaration(words.data(), words.data() + words.size());
    if (d.unsized) {
      unsized.push_back(d);
    } else if (!shared_.contains(d.name)) {
      p_.static_shared = align_up(p_.static_shared, d.align);
      shared_[d.name] = p_.static_shared;
      p_.static_shared += d.bytes;
    }
  }
  for (const Declaration& d : unsized) p_.static_shared = align_up(p_.static_shared, std::max(d.align, 16u));
  for (const Declaration& d : unsized) shared_[d.name] = p_.static_shared;
}

void Builder::declare_variable(const Words& words) {
  const Declaration d = declaration(words.data(), words.data() + words.size());
  const bool constant = has(words, ".const");
  void* memory =
      Memory::instance().allocate(std::max(d.bytes, 1u), constant ? kConstRange : kGlobalRange, nullptr, true);
  if (memory == nullptr) fail("no memory for variable " + std::string(d.name));
  p_.variables[std::string(d.name)] = {memory, d.bytes};
  const auto equals = std::find(words.begin(), words.end(), "=");
  if (equals == words.end()) return;
  fill_variable(d, words, size_t(equals - words.begin()) + 1, static_cast<uint8_t*>(memory));
}

// Numbers, and addresses of known variables.
void Builder::fill_variable(const Declaration& d, const Words& words, size_t first, uint8_t* to) const {
  const uint32_t size = std::max(bytes_of(d.type), 1u);
  const uint8_t* const end = to + d.bytes;
  for (auto t = words.begin() + std::ptrdiff_t(first); t != words.end(); ++t) {
    if (*t == "{" || *t == "}" || *t == "," || *t == "(" || *t == ")" || *t == "generic") continue;
    uint64_t value = 0;
    if (*t == "-") {
      value = ~to_number(*++t) + 1;
    } else if (t->starts_with("0f") || t->starts_with("0d")) {
      std::from_chars(t->data() + 2, t->data() + t->size(), value, 16);
    } else if ((*t)[0] >= '0' && (*t)[0] <= '9') {
      value = to_number(*t);
    } else if (const auto other = p_.variables.find(*t); other != p_.variables.end()) {
      value = reinterpret_cast<uint64_t>(other->second.first);
    } else if (const auto f = p_.function_of.find(*t); f != p_.function_of.end()) {
      value = kFirstFunction + f->second * kFunctionBytes;
    } else {
      fail("initial value '" + std::string(*t) + "'");
    }
    if (to + size <= end) std::memcpy(to, &value, size);
    to += size;
  }
}

void Builder::top_level(const Statement& s) {
  if (s.kind != Statement::directive) {
    if (s.kind == Statement::instruction) fail("an instruction outside of a function");
    return;
  }
  if (s.word == ".file") {
    if (s.tokens.size() >= 2)
      p_.files[uint32_t(to_number(s.tokens[0]))] = std::string(s.tokens[1].substr(1, s.tokens[1].size() - 2));
    return;
  }
  if (s.word == ".entry" || s.word == ".func") return function(s);
  const Words words = words_of(s);
  if (has(words, ".global") || has(words, ".const")) declare_variable(words);
}

Function& Builder::function_named(std::string_view name) {
  const auto [known, fresh] = p_.function_of.try_emplace(name, uint32_t(p_.functions.size()));
  if (fresh) {
    p_.functions.emplace_back();
    p_.functions.back().name = name;
  }
  return p_.functions[known->second];
}

size_t Builder::read_limits(Function& f) const {
  size_t next = at_ + 1;
  for (; next < statements_.size() && statements_[next].kind == Statement::directive; ++next) {
    const Statement& limit = statements_[next];
    if (limit.word == ".maxntid" || limit.word == ".reqntid") {
      f.max_threads = 1;
      for (const std::string_view& token : limit.tokens) {
        if (token != ",") f.max_threads *= uint32_t(to_number(token));
      }
    } else if (limit.word == ".minnctapersm") {
      f.min_blocks = uint32_t(to_number(limit.tokens.at(0)));
    } else if (limit.word != ".maxnreg" && limit.word != ".noreturn") {
      break;
    }
  }
  return next;
}

void Builder::function(const Statement& s) {
  const bool entry = s.word == ".entry";
  Words t = s.tokens;
  t.push_back("(");  // so that something follows the name
  t.push_back(")");
  size_t i = 0;
  std::vector<Declaration> results, parameters;
  if (t[i] == "(") results = declarations(t, i);
  const std::string_view name = t[i++];
  if (t[i] == "(") parameters = declarations(t, i);

  Function& f = function_named(name);
  f.entry = entry;
  f.parameters.clear();
  f.results.clear();
  scopes_.assign(1, Scope());
  uint32_t offset = 0;
  const auto lay_out = [&](const std::vector<Declaration>& from, std::vector<Variable>& to) {
    for (const Declaration& d : from) {
      offset = align_up(offset, d.align);
      to.push_back({d.name, offset, d.bytes});
      scopes_[0].locals[d.name] = {entry, offset, d.bytes};
      offset += d.bytes;
    }
  };
  lay_out(parameters, f.parameters);
  if (entry) {
    f.parameter_bytes = offset;
    offset = 0;
  }
  lay_out(results, f.results);
  scopes_[0].local_top = align_up(offset, 16);
  max_local_ = scopes_[0].local_top;

  // The function's limits, and its body if it has one.
  const size_t next = read_limits(f);
  if (next >= statements_.size() || statements_[next].kind != Statement::open) return;
  at_ = next;
  body(f);
}

void Builder::statement_of_body(const Statement& s) {
  switch (s.kind) {
    case Statement::open:
      scopes_.emplace_back();
      scopes_.back().local_top = scopes_[scopes_.size() - 2].local_top;
      break;
    case Statement::close: close_scope(); break;
    case Statement::label:
      scopes_.back().labels[s.word] = uint32_t(p_.code.size());
      last_label_ = s.word;
      break;
    case Statement::directive: local_directive(s); break;
    case Statement::instruction: instruction(s); break;
  }
}

void Builder::body(Function& f) {
  f.begin = uint32_t(p_.code.size());
  f.defined = true;
  function_ = &f;
  frame_words_ = kFrameRegisters;
  predicate_word_ = 0;
  last_label_ = {};
  location_ = {};
  int depth = 0;
  for (++at_;; ++at_) {
    if (at_ >= statements_.size()) fail("function " + f.name + " has no end");
    const Statement& s = statements_[at_];
    if (s.kind == Statement::close && depth-- == 0) break;
    if (s.kind == Statement::open) ++depth;
    statement_of_body(s);
  }
  // Control that reaches the end returns.
  Instruction last;
  last.kind = f.entry ? Kind::end : Kind::leave;
  traits_ = {.work = Work::control};
  append(last, statements_[at_].line);
  close_scope();
  f.end = uint32_t(p_.code.size());
  f.frame_words = align_up(frame_words_, 64);
  f.local_bytes = align_up(max_local_, 16);
}

void Builder::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  const auto outer = [&](std::string_view label) -> Scope& {
    if (scopes_.empty()) fail("no label " + std::string(label));
    return scopes_.back();
  };
  for (const auto& [at, label] : scope.branches) {
    const auto found = scope.labels.find(label);
    if (found != scope.labels.end()) {
      p_.code[at].target = found->second;
    } else {
      outer(label).branches.emplace_back(at, label);
    }
  }
  for (auto& [table, labels] : scope.table_labels) {
    const bool all = std::all_of(labels.begin(), labels.end(), [&](auto l) { return scope.labels.contains(l); });
    if (!all) {
      outer(labels.front()).table_labels.emplace_back(table, labels);
      continue;
    }
    for (const std::string_view& label : labels) p_.tables[table].push_back(scope.labels[label]);
  }
}

void Builder::local_directive(const Statement& s) {
  if (s.word == ".loc") {
    if (s.tokens.size() >= 2) location_ = {0, uint32_t(to_number(s.tokens[0])), uint32_t(to_number(s.tokens[1])), {}};
    const auto name = std::find(s.tokens.begin(), s.tokens.end(), "function_name");
    if (name != s.tokens.end() && name + 1 != s.tokens.end()) location_.inlined = name[1];
    return;
  }
  if (s.word == ".reg") return declare_registers(s);
  if (s.word == ".branchtargets") return declare_table(s);
  if (s.word == ".local" || s.word == ".param") {
    const Words words = words_of(s);
    const Declaration d = declaration(words.data(), words.data() + words.size());
    Scope& scope = scopes_.back();
    scope.local_top = align_up(scope.local_top, d.align);
    scope.locals[d.name] = {false, scope.local_top, d.bytes};
    scope.local_top += d.bytes;
    max_local_ = std::max(max_local_, scope.local_top);
    return;
  }
  if (s.word == ".global" || s.word == ".const") declare_variable(words_of(s));
}

void Builder::declare_table(const Statement& s) {
  Words labels;
  for (const std::string_view& t : s.tokens) {
    if (t != ",") labels.push_back(t);
  }
  scopes_.back().tables[last_label_] = uint32_t(p_.tables.size());
  scopes_.back().table_labels.emplace_back(uint32_t(p_.tables.size()), labels);
  p_.tables.emplace_back();
}

void Builder::declare_registers(const Statement& s) {
  Type type = Type::none;
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    const std::string_view t = s.tokens[i];
    if (t[0] == '.') {
      if (type_named(t.substr(1)) != Type::none) type = type_named(t.substr(1));
    } else if (i + 1 < s.tokens.size() && s.tokens[i + 1] == "<") {
      scopes_.back().ranges[t] = {type, to_number(s.tokens[i + 2])};
      i += 3;
    } else if (t != ",") {
      scopes_.back().registers[t] = {type, kNowhere};
    }
  }
}

std::unique_ptr<Program> build_program(std::string text) {
  auto program = std::make_unique<Program>();
  program->text = std::move(text);
  program->line_begins.push_back(0);
  for (size_t i = 0; i < program->text.size(); ++i) {
    if (program->text[i] == '\n') program->line_begins.push_back(i + 1);
  }
  Builder(*program).run();
  return program;
}

}  // namespace brokkr::ptx
