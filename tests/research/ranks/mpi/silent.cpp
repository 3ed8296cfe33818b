// A rank that joins and never sends a message.
#include <unistd.h>

#include "ranks/transport.h"

int main() {
  const auto transport = brokkr::ranks::open_transport();
  for (;;) pause();
}
