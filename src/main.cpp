#include "cli/cli.h"

int main(int argc, char** argv) { return brokkr::cli::run(argc, argv); }
