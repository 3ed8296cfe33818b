// A rank that reports another version of the program and ends when it is told to.
#include "ranks/transport.h"

int main() {
  using namespace brokkr::ranks;
  const auto transport = open_transport();
  Talk talk(*transport, 300);
  talk.send(0, Channel::hello, message_of(R"({"failure":"","facts":[["version","0.0.1"],["--ranks","cpd"]]})"));
  const bool refused = !talk.receive(0, Channel::hello).empty();
  talk.flush();
  transport->finish();
  return refused ? 1 : 0;
}
