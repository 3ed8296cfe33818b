#include "ranks/square_link.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

#include "base/file_io.h"
#include "brokkr/renderer.h"

namespace brokkr::ranks {

std::string device_of_rank(const std::string& visible, int devices, int local_rank) {
  std::vector<std::string> names;
  for (size_t begin = 0; !visible.empty() && begin <= visible.size();) {
    const size_t end = std::min(visible.find(',', begin), visible.size());
    if (end > begin) names.push_back(visible.substr(begin, end - begin));
    begin = end + 1;
  }
  for (int i = 0; visible.empty() && i < devices; ++i) names.push_back(std::to_string(i));
  if (names.size() < 2 || local_rank < 0) return {};
  return names[size_t(local_rank) % names.size()];
}

void choose_device() {
  int devices = 0;
  while (is_there("/dev/nvidia" + std::to_string(devices))) ++devices;
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const char* const rank = std::getenv(name);
    if (rank == nullptr) continue;
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string device = device_of_rank(visible != nullptr ? visible : "", devices, std::atoi(rank));
    if (!device.empty()) setenv("CUDA_VISIBLE_DEVICES", device.c_str(), 1);
    return;
  }
}

void HostLink::start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received, TargetSquares& squares) {
  std::map<const void*, std::shared_ptr<Message>> messages;  // several receivers share one message
  for (const SquarePiece& piece : sent) {
    std::shared_ptr<Message>& message = messages[piece.memory];
    if (!message) {
      message = std::make_shared<Message>(piece.bytes);
      squares.to_host(piece.memory, message->data(), piece.bytes);
    }
    talk_.transport().send(piece.rank, Channel::planes, message);
  }
  for (const SquarePiece& piece : received) awaited_[piece.rank].push_back(piece);
  for (auto& [rank, pieces] : awaited_) std::reverse(pieces.begin(), pieces.end());
}

bool HostLink::is_done(TargetSquares& squares) {
  bool done = talk_.transport().progress();
  for (auto& [rank, pieces] : awaited_) {
    while (!pieces.empty()) {
      const std::optional<Message> message = talk_.poll(rank, Channel::planes);
      if (!message) break;
      const SquarePiece& piece = pieces.back();
      if (message->size() != piece.bytes)
        throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::to_string(message->size()) +
                                 " bytes of a target, but its squares have a different size");
      squares.from_host(piece.memory, message->data(), piece.bytes);
      pieces.pop_back();
    }
    done = done && pieces.empty();
  }
  return done;
}

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

// Gathers the values of all ranks at rank 0 and distributes its decision.
template <class Decide>
std::string decide_together(Talk& talk, const LinkAbility& ability, Decide&& decide) {
  if (talk.rank() != 0) {
    talk.send(0, Channel::hello, pack(ability));
    return text_of(talk.receive(0, Channel::hello));
  }
  std::vector<LinkAbility> all = {ability};
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
  LinkAbility ability{mode, {}};
  std::unique_ptr<DeviceLibrary> library;
  std::unique_ptr<SquareLink> link;
  Message id;
  // Runs `step` unless there is an obstacle, and turns its exception into one.
  const auto attempt = [&](auto&& step) {
    if (mode == LinkMode::mpi || !ability.obstacle.empty()) return;
    try {
      step();
    } catch (const std::exception& error) {
      ability.obstacle = error.what();
    }
  };
  attempt([&] {
    if (!draws_on_gpu(options)) throw std::runtime_error("it does not draw on a GPU");
    library = open_nccl();
    if (talk.rank() == 0) id = library->make_id();
  });
  std::string why = decide_together(talk, ability, why_not_linked);
  if (why.empty()) {
    if (talk.rank() == 0)
      talk.send_all(Channel::hello, id);
    else
      id = talk.receive(0, Channel::hello);
    attempt([&] { link = library->join(id, talk); });
    why = decide_together(talk, ability, why_not_linked);
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
