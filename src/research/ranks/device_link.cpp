#include "ranks/device_link.h"

#include <iostream>

#include "brokkr/renderer.h"

namespace brokkr::ranks {
namespace {

bool draws_on_gpu(const RenderOptions& options) {
  if (options.machine == MachineKind::cuda) return true;
  if (options.machine != MachineKind::automatic || !options.isa.empty()) return false;
  for (const MachineInfo& machine : find_machines()) {
    if (machine.kind == MachineKind::cuda && machine.available) return true;
  }
  return false;
}

// A byte for the mode, then the obstacle.
Message pack(const LinkAbility& ability) {
  Message message = {std::byte(ability.mode)};
  append<char>(message, ability.obstacle);
  return message;
}
LinkAbility unpack(const Message& message, int from) {
  if (message.empty()) throw std::runtime_error("rank " + std::to_string(from) + " sent nothing about its devices");
  return {LinkMode(message[0]), text_of(message).substr(1)};
}

// What all say, at rank 0; its answer, everywhere.
template <class Decide>
std::string decide_together(Talk& talk, const LinkAbility& own, Decide&& decide) {
  if (talk.rank() != 0) {
    talk.send(0, Channel::hello, pack(own));
    return text_of(talk.receive(0, Channel::hello));
  }
  std::vector<LinkAbility> all = {own};
  for (int from = 1; from < talk.size(); ++from) all.push_back(unpack(talk.receive(from, Channel::hello), from));
  const std::string decision = decide(all);
  talk.send_all(Channel::hello, message_of(decision));
  talk.flush();
  return decision;
}

}  // namespace

std::string why_not_linked(const std::vector<LinkAbility>& abilities) {
  for (size_t rank = 0; rank < abilities.size(); ++rank) {
    const LinkAbility& ability = abilities[rank];
    const std::string who = "rank " + std::to_string(rank) + ": ";
    if (ability.mode == LinkMode::mpi) return who + "--rank-link mpi was given there";
    if (!ability.obstacle.empty()) return who + ability.obstacle;
  }
  return {};
}

void link_devices(Talk& talk, const RenderOptions& options, LinkMode mode) {
  if (talk.size() == 1) return;
  LinkAbility own{mode, {}};
  std::unique_ptr<DeviceLibrary> library;
  std::unique_ptr<SquareLink> link;
  Message id;
  // Runs `step` unless something is in the way, and keeps what it throws.
  const auto attempt = [&](auto&& step) {
    if (mode == LinkMode::mpi || !own.obstacle.empty()) return;
    try {
      step();
    } catch (const std::exception& error) {
      own.obstacle = error.what();
    }
  };
  attempt([&] {
    if (!draws_on_gpu(options)) throw std::runtime_error("it does not draw on a GPU");
    library = open_nccl();
    if (talk.rank() == 0) id = library->make_id();
  });
  std::string why = decide_together(talk, own, why_not_linked);
  if (why.empty()) {
    if (talk.rank() == 0)
      talk.send_all(Channel::hello, id);
    else
      id = talk.receive(0, Channel::hello);
    attempt([&] { link = library->join(id, talk); });
    why = decide_together(talk, own, why_not_linked);
  }
  if (why.empty())
    talk.link(std::move(library), std::move(link));
  else if (talk.rank() == 0 && mode == LinkMode::nccl)
    std::cerr << "brokkr: --rank-link nccl: targets go through hosts, over MPI (" + why + ")\n" << std::flush;
}

#if !defined(BROKKR_HAVE_NCCL)
std::unique_ptr<DeviceLibrary> open_nccl(const std::string&) {
  throw std::runtime_error("this program was built without NCCL (BROKKR_NCCL)");
}
#endif

}  // namespace brokkr::ranks
