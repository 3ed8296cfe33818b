// How ranks talk: messages between two of them, in order, none of which waits. MPI carries them (mpi_transport.cpp);
// what is here is how they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace brokkr::ranks {

using Message = std::vector<std::byte>;

// Messages of a kind arrive in the order in which they were sent.
enum class Channel : uint8_t { hello, ids, planes, picture, report };

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Begins to send, and returns; the message is kept until it has gone.
  virtual void send(int to, Channel channel, std::shared_ptr<const Message> message) = 0;
  // The next message from there, if it has come whole. Carries all others forward, too.
  virtual std::optional<Message> receive(int from, Channel channel) = 0;
  // Carries messages forward. Returns whether all that were sent have gone.
  virtual bool progress() = 0;
  // All ranks have come to their end.
  virtual void finish() = 0;
  // Ends every rank, at once.
  [[noreturn]] virtual void end_all(int code) = 0;
  // The name of the other's computer, for messages to people.
  virtual std::string host() const = 0;
};

// How long who has waited for so long sleeps before it looks for a message again: a message is noticed late by an
// eighth of the time that it took at most, and by a millisecond.
double turn_us(double waited_us);

class DeviceLibrary;  // ranks/square_link.h
class SquareLink;     // ranks/square_link.h

// What ranks say to each other, and how long they wait for it.
class Talk {
 public:
  Talk(Transport& transport, double timeout_s) : transport_(transport), timeout_s_(timeout_s) {}

  int rank() const { return transport_.rank(); }
  int size() const { return transport_.size(); }
  Transport& transport() { return transport_; }

  void send(int to, Channel channel, Message message) {
    transport_.send(to, channel, std::make_shared<const Message>(std::move(message)));
  }
  void send_all(Channel channel, Message message);
  std::optional<Message> poll(int from, Channel channel) { return transport_.receive(from, channel); }
  // Waits asleep, in turns. Throws std::runtime_error that names the rank after the timeout.
  Message receive(int from, Channel channel);
  // Waits without a limit, for what may come in an hour: a request of somebody who sits at a window.
  Message await(int from, Channel channel);
  // Until all that this rank has sent is gone. Throws like receive.
  void flush();
  // Until `done` says so, and carries messages forward. `what` has not ended where it throws after the timeout.
  void wait_for(const std::function<bool()>& done, const std::string& what);

  // What carries memory of devices; null: nothing does.
  SquareLink* link() const { return link_.get(); }
  void link(std::shared_ptr<DeviceLibrary> library, std::shared_ptr<SquareLink> link);

 private:
  Transport& transport_;
  double timeout_s_;
  std::shared_ptr<DeviceLibrary> library_;
  std::shared_ptr<SquareLink> link_;  // destroyed first
};

template <class T>
void append(Message& message, std::span<const T> values) {
  const size_t at = message.size();
  message.resize(at + values.size_bytes());
  if (!values.empty()) std::memcpy(message.data() + at, values.data(), values.size_bytes());
}
inline Message message_of(const std::string& text) {
  Message message;
  append<char>(message, text);
  return message;
}
inline std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

// The number of ranks that this process was started as one of, by the environment that mpirun and srun make; 1: none.
int started_ranks();
// Which of them this process is, by the same environment; 0 where there is none.
int started_rank();
// The number of ranks on this computer.
int ranks_on_this_computer();

// Opens MPI. Throws std::runtime_error where this program was built without it or it cannot start.
std::unique_ptr<Transport> open_transport();

}  // namespace brokkr::ranks

// What the module exports (brokkr-mpi.so); null, with a reason in `error`, where MPI cannot start.
extern "C" {
using BrokkrOpenMpi = brokkr::ranks::Transport*(char* error, size_t error_size);
}
