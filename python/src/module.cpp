#include "bind.h"

NB_MODULE(_brokkr, m) {
  bind_machines(m);
}
