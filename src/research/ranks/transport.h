// Messages between ranks. Sending and receiving never wait, and messages of two ranks keep their order. MPI carries
// them (mpi_transport.cpp).
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

// Messages of one channel arrive in the order in which they were sent.
enum class Channel : uint8_t { hello, ids, planes, picture, report };

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Starts to send, and returns. The transport keeps the message until it is sent.
  virtual void send(int to, Channel channel, std::shared_ptr<const Message> message) = 0;
  // The next message of that rank, if it has arrived completely. Also makes progress with all other messages.
  virtual std::optional<Message> receive(int from, Channel channel) = 0;
  // Makes progress with all messages. Returns true if all messages have been sent.
  virtual bool progress() = 0;
  // Call it when all ranks have finished.
  virtual void finish() = 0;
  // Ends every rank at once.
  [[noreturn]] virtual void end_all(int code) = 0;
  // The name of this computer, for messages to people.
  virtual std::string host() const = 0;
};

// The duration of the next sleep after a wait of `waited_us`, so that a rank notices a message late by at most an
// eighth of its waiting time, and by at most a millisecond.
double turn_us(double waited_us);

class DeviceLibrary;  // ranks/square_link.h
class SquareLink;     // ranks/square_link.h

// Messages, with a limit on the time that a rank waits for them.
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
  // Waits in short sleeps. After the timeout it throws std::runtime_error that names the rank.
  Message receive(int from, Channel channel);
  // Waits without a limit, for requests of a user, which may take hours.
  Message await(int from, Channel channel);
  // Waits until all messages of this rank are sent. Throws like receive.
  void flush();
  // Waits until `done` returns true, while making progress with messages. After the timeout it throws a message that
  // says that `what` has not ended.
  void wait_for(const std::function<bool()>& done, const std::string& what);

  // The link between device memories; null if there is none.
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

// The number of ranks that were started together, from the environment of mpirun or srun; 1 without one.
int started_ranks();
// The rank of this process, from the same environment; 0 without one.
int started_rank();
// The number of ranks on this computer.
int ranks_on_this_computer();

// Opens MPI. Throws std::runtime_error if this program was built without it, or if it cannot start.
std::unique_ptr<Transport> open_transport();

}  // namespace brokkr::ranks

// The function that the module brokkr-mpi.so exports. If MPI cannot start, it returns null and writes the reason to
// `error`.
extern "C" {
using BrokkrOpenMpi = brokkr::ranks::Transport*(char* error, size_t error_size);
}
