# Checks that need a computer without any of our software source this file: a fresh Debian 12 in a folder. It needs
# root, debootstrap and Debian's mirror ($DEBIAN_MIRROR); without them the checks end with 77. BROKKR_FRESH_CCACHE names
# a ccache folder that the compilers inside share with those outside.

say() { echo "$(basename "$0"): $*" >&2; }
fail() { say "$*"; exit 1; }

# $1: folder for logs. Sets `root`, which is removed when the program ends. The output of debootstrap stays in build/
# for the next run.
make_fresh_debian() {
  results=$1
  mkdir -p "$results"
  : >"$results/apt.log"
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    say "needs root and debootstrap (tools/packages.sh test installs it)"
    exit 77
  fi
  work=$(mktemp -d)
  root=$work/debian
  trap leave_fresh_debian EXIT
  if [ ! -s build/fresh-debian.tar ]; then
    say "making a fresh Debian 12"
    debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
      >"$results/debootstrap.log" 2>&1 || { tail -n 3 "$results/debootstrap.log" >&2; say "debootstrap failed"; exit 77; }
    tar -C "$root" -cf build/fresh-debian.tar.part . && mv build/fresh-debian.tar.part build/fresh-debian.tar
  else
    mkdir -p "$root"
    tar -C "$root" -xf build/fresh-debian.tar
  fi
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/shm"
  mount -t tmpfs tmpfs "$root/dev/shm"
  if [ -n "${BROKKR_FRESH_CCACHE:-}" ]; then share_compiler_cache; fi
}

environment=()  # for all commands inside
share_compiler_cache() {
  mkdir -p "$root/root/.cache/ccache" "$root/root/.config/ccache"
  mount --bind "$BROKKR_FRESH_CCACHE" "$root/root/.cache/ccache"
  printf '%s\n' 'base_dir = /root' 'hash_dir = false' 'sloppiness = include_file_mtime, include_file_ctime, time_macros' \
    >"$root/root/.config/ccache/ccache.conf"
  inside apt-get update >>"$results/apt.log" 2>&1
  install ccache
  environment=(CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
}

leave_fresh_debian() {
  # Ends processes that still run inside, such as compilers after a signal ended this program.
  for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/root" 2>/dev/null)" = "$root" ]; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
  done
  for folder in root/.cache/ccache proc dev/shm; do
    umount "$root/$folder" 2>/dev/null || umount -l "$root/$folder" 2>/dev/null || true
  done
  # A folder that is still mounted must not be removed.
  if grep -q " $root/" /proc/mounts; then say "something is mounted in $root, which stays"; return; fi
  rm -rf --one-file-system "$work"
}

# Runs a command inside, without this computer's environment.
inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "${environment[@]}" "$@"
}

install() {
  inside apt-get install -y --no-install-recommends "$@" >>"$results/apt.log" 2>&1 ||
    { tail -n 5 "$results/apt.log" >&2; return 1; }
}
