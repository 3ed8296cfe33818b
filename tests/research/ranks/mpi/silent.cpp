// A rank that joins, and never says a word.
#include <unistd.h>

#include "ranks/transport.h"

int main() {
  const auto transport = brokkr::ranks::open_transport();
  for (;;) pause();
}
