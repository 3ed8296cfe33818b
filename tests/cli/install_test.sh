#!/bin/sh
# Installs the build into an empty prefix, builds a program against it with find_package, and runs that.
#   install_test.sh CMAKE BUILD SOURCE CXX
set -eu
cmake=$1 build=$2 source=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/brokkr" --version
# What draws the report of `brokkr patterns` finds its modules from anywhere, and leaves nothing beside them.
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  (cd / && "$work/prefix/libexec/brokkr/plot-patterns" --help >/dev/null)
  if find "$work/prefix" -name __pycache__ | grep .; then exit 1; fi
fi
"$cmake" -S "$source/tests/cli/consumer" -B "$work/consumer" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/consumer"
"$work/consumer/consumer"
