#!/bin/sh
# Installs the Debian 12 packages that are missing. `tools/packages.sh run` installs what building and running
# needs, `tools/packages.sh test` (the default) what the checks need as well, `tools/packages.sh bench` what tools/bench
# needs as well: other peers, `tools/packages.sh python` what the stage python of tools/test needs as well: torch,
# `tools/packages.sh neon` what its stage neon needs: a compiler for aarch64 and an emulator.
# `--list` only prints the names.
set -eu

build="build-essential clang-19 cmake ninja-build git ca-certificates
  libglm-dev libzstd-dev nlohmann-json3-dev libtinyobjloader-dev libstb-dev libtinyexr-dev libcli11-dev
  libgl-dev libegl-dev libx11-dev libmeshoptimizer-dev libssl-dev zlib1g-dev libfmt-dev
   libdraco-dev libwebp-dev glslang-dev spirv-tools spirv-headers libglfw3-dev libimgui-dev libpng-dev python3 python3-glad fonts-roboto-unhinted"
# Packages for tests, formatting and lint, fuzzing, the OpenGL reference (Mesa's software driver through EGL) and its
# loader, a virtual screen with a window manager, programs to capture, plots of measurements, checks of manual pages,
# completions and packages, Vulkan programs and RenderDoc for imported frames, MPI for ranks, and tests of the Python
# package.
checks="libgtest-dev ccache python3 python3-venv clang-format clang-tidy libclang-rt-19-dev llvm-19
  libegl1-mesa-dev libgl1-mesa-dri libegl-mesa0
  xvfb libxtst6 x11-xkb-utils openbox mesa-utils apitrace python3-matplotlib
  man-db zsh fish lintian debootstrap desktop-file-utils
  python3-renderdoc mesa-vulkan-drivers vulkan-tools vkd3d-demos xauth
  libopenmpi-dev openmpi-bin python3-dev python3-numpy python3-pytest python3-hypothesis"

bench="libembree-dev"
python="python3-torch"  # 148 MB, and 640 MB on the disk
neon="g++-aarch64-linux-gnu qemu-user"

case "${1:-test}" in
  run) packages=$build ;;
  test) packages="$build $checks" ;;
  bench) packages="$build $checks $bench" ;;
  python) packages="$build $checks $python" ;;
  neon) packages="$build $checks $neon" ;;
  --list) echo $build $checks $bench $python $neon; exit 0 ;;
  *) echo "usage: tools/packages.sh [run|test|bench|python|neon|--list]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "tools/packages.sh: no dpkg here; install the equivalents of these Debian packages by hand:" >&2
  echo $packages >&2
  exit 0
fi

missing=
for package in $packages; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "tools/packages.sh: not root and no sudo; install these and run again:$missing" >&2
    exit 1
  fi
  sudo=sudo
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
install() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2; }
# The lists may be absent or stale on a fresh machine.
if ! install; then
  $sudo apt-get update >&2
  install
fi
