#!/bin/sh
# Makes the Debian package and looks into it: the program, the library, and what it depends on.
#   package_test.sh CPACK BUILD
set -eu
cpack=$1 build=$2
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
  echo "no dpkg here: no Debian package to make"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work" >/dev/null
package=$(ls "$work"/*.deb)
dpkg-deb --contents "$package" >"$work/contents"
for file in ./usr/bin/brokkr libbrokkr.a libbrokkr.so brokkr-config.cmake include/brokkr/renderer.h LICENSE \
  libexec/brokkr/plot-patterns libexec/brokkr/plot-frames libexec/brokkr/plotting.py libexec/brokkr/pattern_plots/report.py; do
  grep -q "$file" "$work/contents" || { echo "$package has no $file"; exit 1; }
done
if grep -q '/usr/local\|/home/\|/work/' "$work/contents"; then
  echo "$package holds paths outside /usr"
  exit 1
fi
# The window is a program of its own: what needs no window must not need its libraries.
if [ -x "$build/brokkr-view" ]; then
  grep -q libexec/brokkr/brokkr-view "$work/contents" || { echo "$package has no brokkr-view"; exit 1; }
fi
if ldd "$build/brokkr" | grep -q 'libglfw\|libX11\|libGL'; then
  echo "brokkr needs a window system"
  exit 1
fi
depends=$(dpkg-deb --field "$package" Depends)
echo "$(basename "$package") depends on $depends"
case $depends in *libc6*libstdc++6*) ;; *) echo "dependencies are missing"; exit 1 ;; esac
# The program in the package starts.
dpkg-deb --extract "$package" "$work/root"
"$work/root/usr/bin/brokkr" --version
