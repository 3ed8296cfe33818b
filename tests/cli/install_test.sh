#!/bin/sh
# Installs the build into an empty prefix, builds a program against it with find_package, and runs that.
#   install_test.sh CMAKE BUILD SOURCE CXX
set -eu
cmake=$1 build=$2 source=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/brokkr" --version
"$cmake" -S "$source/tests/cli/consumer" -B "$work/consumer" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/consumer"
"$work/consumer/consumer"
