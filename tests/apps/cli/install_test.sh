#!/bin/sh
# Installs the build into an empty prefix, builds programs against it with find_package, and runs them.
#   install_test.sh CMAKE BUILD SOURCE CXX
set -eu
cmake=$1 build=$2 source=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/brokkr" --version
# The headers in src/engine/brokkr, brokkr/tasks.h with the rooms that it includes, and no other.
(cd "$source/src/engine" && {
  find brokkr -type f
  echo brokkr/tasks.h
  find machine queue schedule -name '*.h' ! -name tasks.h | sed 's|^|brokkr/tasks/|'
} | sort) >"$work/expected"
(cd "$work/prefix/include" && find . -type f | sed 's|^./||' | sort) >"$work/installed"
diff "$work/expected" "$work/installed"

# The shared library has a versioned name and exports only what those headers declare.
library=$(find "$work/prefix" -name libbrokkr.so)
version=$(sed -n 's/#define BROKKR_VERSION "\(.*\)\.\([0-9]*\)"/\1/p' "$source/src/engine/brokkr/version.h")
objdump -p "$library" | grep "SONAME *libbrokkr.so.$version\$"
nm -D --defined-only --demangle "$library" | cut -d ' ' -f 3- >"$work/symbols"
if grep -v '^\(typeinfo \(name \)\?for \|vtable for \)\?brokkr::' "$work/symbols" || grep Impl "$work/symbols"; then
  echo "$library shows more than its interface"
  exit 1
fi

build_against() {  # SOURCE, RESULT: a project that finds the installed library
  "$cmake" -S "$1" -B "$2" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    >/dev/null
  "$cmake" --build "$2"
}
cd "$work"
build_against "$source/tests/apps/cli/consumer" consumer
for program in with_shared with_shared_xyzw; do consumer/$program; done
# A program that links the library statically does not lie beside the library's programs.
BROKKR_LIBEXEC="$work/prefix/libexec/brokkr" consumer/with_static

# Builds the example in docs/guide/library.md, and runs it to draw its picture.
for part in "cmake CMakeLists.txt" "cpp triangle.cpp"; do
  sed -n "/^## Build on it/,/^## /p" "$source/docs/guide/library.md" | sed -n "/^\`\`\`${part% *}\$/,/^\`\`\`\$/p" | sed '/^```/d' >snippet
  diff "$source/docs/examples/${part#* }" snippet
done
build_against "$source/docs/examples/tasks" tasks
tasks/page_rank
tasks/mandelbrot
build_against "$source/docs/examples" example
example/triangle
"$work/prefix/bin/brokkr" compare triangle.png triangle.png
