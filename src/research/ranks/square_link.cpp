#include "ranks/square_link.h"

#include <algorithm>

namespace brokkr::ranks {

void HostLink::start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received, TargetSquares& of) {
  std::map<const void*, std::shared_ptr<Message>> messages;  // what goes to many is one message
  for (const SquarePiece& piece : sent) {
    std::shared_ptr<Message>& message = messages[piece.memory];
    if (!message) {
      message = std::make_shared<Message>(piece.bytes);
      of.to_host(piece.memory, message->data(), piece.bytes);
    }
    talk_.transport().send(piece.rank, Channel::planes, message);
  }
  for (const SquarePiece& piece : received) awaited_[piece.rank].push_back(piece);
  for (auto& [rank, pieces] : awaited_) std::reverse(pieces.begin(), pieces.end());
}

bool HostLink::is_done(TargetSquares& of) {
  bool done = talk_.transport().progress();
  for (auto& [rank, pieces] : awaited_) {
    while (!pieces.empty()) {
      const std::optional<Message> message = talk_.poll(rank, Channel::planes);
      if (!message) break;
      const SquarePiece& piece = pieces.back();
      if (message->size() != piece.bytes)
        throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::to_string(message->size()) +
                                 " bytes of a target, not as many as its squares have");
      of.from_host(piece.memory, message->data(), piece.bytes);
      pieces.pop_back();
    }
    done = done && pieces.empty();
  }
  return done;
}

}  // namespace brokkr::ranks
