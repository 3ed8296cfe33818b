#include "ranks/session.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_parse.h"
#include "brokkr/version.h"
#include "plan/options.h"
#include "ranks/devices.h"

namespace brokkr::app {
namespace {

// Why the ranks cannot go on together, or nothing: found by rank 0 from what all say, and told to all.
std::string verdict_of(ranks::Talk& talk, const std::string& failure, const Facts& facts) {
  nlohmann::ordered_json mine = {{"failure", failure}, {"facts", facts}};
  if (talk.rank() != 0) {
    talk.send(0, ranks::Channel::hello,
              ranks::message_of(mine.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
    return ranks::text_of(talk.receive(0, ranks::Channel::hello));
  }
  std::string verdict = failure.empty() ? "" : "rank 0: " + failure;
  for (int from = 1; from < talk.size(); ++from) {
    const auto theirs = parse_json(ranks::text_of(talk.receive(from, ranks::Channel::hello)));
    if (!verdict.empty()) continue;
    if (const auto said = theirs.at("failure").get<std::string>(); !said.empty()) {
      verdict = fmt::format("rank {}: {}", from, said);
      continue;
    }
    for (size_t i = 0; i < facts.size() && verdict.empty(); ++i) {
      const auto value = theirs.at("facts").at(i).at(1).get<std::string>();
      if (value != facts[i].second)
        verdict = fmt::format("rank {}: {} is '{}' there and '{}' at rank 0; give all ranks the same", from,
                              facts[i].first, value, facts[i].second);
    }
  }
  talk.send_all(ranks::Channel::hello, ranks::message_of(verdict));
  talk.flush();
  return verdict;
}

// As one piece: all ranks write to one terminal.
void print_error(const std::string& what) { std::cerr << "brokkr: " + what + "\n" << std::flush; }

}  // namespace

Facts common_facts(const std::string& mode, const RenderOptions& options, const ranks::RankSettings& settings) {
  const std::map<std::string, std::string> texts = option_texts(options);
  const auto text_of = [&](const char* option) {
    const auto found = texts.find(option);
    return found == texts.end() ? std::string() : found->second;
  };
  return {{"version", BROKKR_VERSION},
          {"--ranks", mode},
          {"--rank-pattern", pattern_name(settings.pattern)},
          {"--rank-bin", std::to_string(settings.bin)},
          {"--merge", std::to_string(settings.merge)},
          {"--shading", text_of("shading")},
          {"--budget", text_of("budget")},
          {"--command-limit", options.command_limit ? std::to_string(*options.command_limit) : "none"}};
}

void agree(ranks::Talk& talk, const std::string& failure, const Facts& facts) {
  if (const std::string verdict = verdict_of(talk, failure, facts); !verdict.empty()) throw Refused{verdict};
}

void agree_about(ranks::Talk& talk, const std::string& file, Facts& facts, const std::function<void()>& prepare) {
  std::string failure;
  try {
    prepare();
  } catch (const std::bad_alloc&) {
    failure = file + ": there is not enough memory";
  } catch (const std::exception& error) {
    failure = error.what();
  }
  agree(talk, failure, facts);
}

std::vector<std::string> gather_texts(ranks::Talk& talk, const std::string& own) {
  if (talk.rank() != 0) {
    talk.send(0, ranks::Channel::report, ranks::message_of(own));
    talk.flush();
    return {};
  }
  std::vector<std::string> all = {own};
  for (int from = 1; from < talk.size(); ++from)
    all.push_back(ranks::text_of(talk.receive(from, ranks::Channel::report)));
  return all;
}

int run_session(const ranks::RankSettings& settings, const std::function<void(ranks::Talk&)>& body) {
  ranks::choose_device();
  const std::unique_ptr<ranks::Transport> transport = ranks::open_transport();
  ranks::Talk talk(*transport, settings.timeout_s);
  try {
    body(talk);
    transport->finish();
    return kSuccess;
  } catch (const Refused& refused) {
    // Before any rank ends: what mpirun says of that comes later.
    if (talk.rank() == 0) print_error(refused.why);
    transport->finish();
    return kFailure;
  } catch (const std::exception& error) {
    // The others may wait for this rank: nobody goes on.
    const auto* const no_memory = dynamic_cast<const std::bad_alloc*>(&error);
    print_error(fmt::format("rank {} on {}: {}", talk.rank(), transport->host(),
                            no_memory != nullptr ? "there is not enough memory" : error.what()));
    transport->end_all(kFailure);
  }
  return kFailure;
}

}  // namespace brokkr::app
