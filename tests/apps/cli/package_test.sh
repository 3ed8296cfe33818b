#!/bin/sh
# Makes the Debian packages and looks into them: what is in which, what each depends on, and what lintian says. How they
# fare on a fresh Debian is tools/check-package's question.
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

fail() { echo "$*"; exit 1; }
package() { ls "$work/$1"_*.deb; }
holds() {  # PACKAGE FILE…
  dpkg-deb --contents "$(package "$1")" >"$work/contents"
  for file in $2; do grep -q " \./usr/.*$file" "$work/contents" || fail "$1 has no $file"; done
  if grep -q '/usr/local\|/home/\|__pycache__' "$work/contents"; then fail "$1 holds what it should not"; fi
}
libraries=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
holds brokkr "bin/brokkr$ $libraries/libbrokkr.so.0 share/doc/brokkr/copyright share/doc/brokkr/README.md scenes/minetest.bkf
  man1/brokkr.1.gz man1/brokkr-render.1.gz bash-completion/completions/brokkr vendor-completions/_brokkr brokkr.fish"
holds libbrokkr-dev "include/brokkr/renderer.h $libraries/libbrokkr.a $libraries/libbrokkr.so $libraries/cmake/brokkr/brokkr-config.cmake"
[ ! -e "$build/lib/brokkr/libbrokkr-capture.so" ] || holds brokkr "$libraries/brokkr/libbrokkr-capture.so"
if [ -x "$build/brokkr-view" ]; then
  holds brokkr-viewer "libexec/brokkr/brokkr-view applications/brokkr.desktop mime/packages/brokkr.xml apps/brokkr.svg"
fi
if [ -e "$build/src/research/ranks/brokkr-mpi.so" ]; then
  holds brokkr-ranks libexec/brokkr/brokkr-mpi.so
  dpkg-deb --field "$(package brokkr-ranks)" Depends | grep "brokkr (= .*openmpi-bin" | grep -q libopenmpi || fail "brokkr-ranks: what it needs"
fi

# Drawing without a window requires no window library, no Python and no MPI.
depends=$(dpkg-deb --field "$(package brokkr)" Depends)
echo "brokkr depends on $depends"
case $depends in *libc6*libstdc++6*) ;; *) fail "dependencies are missing" ;; esac
case $depends in *libgl* | *libegl* | *libx11* | *python* | *libllvm* | *mpi*) fail "that is too much" ;; esac
dpkg-deb --field "$(package libbrokkr-dev)" Depends | grep -q "brokkr (= .*libglm-dev" || fail "libbrokkr-dev: $depends"

# The packaged program starts, and its version is that of the changelog.
dpkg-deb --extract "$(package brokkr)" "$work/root"
version=$("$work/root/usr/bin/brokkr" --version | sed 's/^brokkr //')
[ "$version" = "$(dpkg-deb --field "$(package brokkr)" Version)" ] || fail "the package has another version than $version"
zcat "$work/root/usr/share/doc/brokkr/changelog.gz" | head -n 1 | grep -q "($version)" || fail "cmake/package/changelog.in is not of $version"
maintainer=$(dpkg-deb --field "$(package brokkr)" Maintainer)
zcat "$work/root/usr/share/doc/brokkr/changelog.gz" | grep -qF " -- $maintainer  " || fail "the changelog does not name $maintainer"

if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$work"/*.deb || fail "lintian finds faults"
else
  echo "no lintian here"
fi
