# Part of ./dev package: out/assay-board-x86_64 and out/assay-board-aarch64. The one of this computer is a target of the usual
# build. The other one is cross-compiled in build-agent-MACHINE, with libraries that apt downloads and build-agent-root keeps:
# no package of another architecture is installed.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

# machine, architecture of Debian, triplet
table='x86_64 amd64 x86_64-linux-gnu
aarch64 arm64 aarch64-linux-gnu'
libraries=(libglib2.0-dev libprotobuf-c-dev libffi-dev libpcre2-dev libseccomp-dev)
here=$(uname -m)

# unpack ARCHITECTURE ROOT: the static libraries of another architecture, their headers and their .pc files.
unpack ()
{
  local root=$2 state=$PWD/$2/apt debs
  [ "$(cat "$root/complete" 2>/dev/null)" != "${libraries[*]}" ] || return 0
  command -v apt-get >/dev/null || return 1
  rm -rf "$root"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/debs"
  cat >"$state/apt.conf" <<EOF
Dir::State "$state";
Dir::State::lists "$state/lists";
Dir::State::status "/dev/null";
Dir::Cache "$state/cache";
APT::Architecture "$1";
APT::Architectures "$1";
APT::Sandbox::User "";
EOF
  say "downloading ${#libraries[@]} packages for $1 (20 MB with the lists)"
  (cd "$state/debs" && export APT_CONFIG=$state/apt.conf &&
    apt-get update -q && apt-get download -q "${libraries[@]}") >"$root.log" 2>&1 || return 1
  for debs in "$state"/debs/*.deb; do dpkg-deb -x "$debs" "$root"; done
  # The programs of the .pc files run here, and the libraries are in this folder.
  sed -i -e "s|^prefix=/usr|prefix=$PWD/$root/usr|" -e 's|^bindir=.*|bindir=/usr/bin|' "$root"/usr/lib/*/pkgconfig/*.pc
  rm -rf "$state" "$root.log"
  echo "${libraries[*]}" >"$root/complete"
}

# cross MACHINE TRIPLET ROOT: the build folder for another machine. Headers alone are those of this computer where they say
# nothing of the machine.
cross ()
{
  local dir=build-agent-$1 own
  own=$(pkg-config --variable pc_path pkg-config)
  cat >"$3/cross.txt" <<EOF
[binaries]
c = [$(command -v ccache >/dev/null && printf "'ccache', ")'$2-gcc']
ar = '$2-gcc-ar'
strip = '$2-strip'
pkgconfig = 'pkg-config'
# Nothing of it runs here.
exe_wrapper = 'false'

[properties]
skip_sanity_check = true
pkg_config_libdir = '$PWD/$3/usr/lib/$2/pkgconfig:$own'

[host_machine]
system = 'linux'
cpu_family = '$1'
cpu = '$1'
endian = 'little'
EOF
  [ -f "$dir/build.ninja" ] || configure "$dir" --cross-file "$3/cross.txt" -Dgui=false -Dtests=false -Ddevelopment=false -Dintrospection=disabled \
    -Dgpu=disabled -Ddebug=false
  compile "$dir" "app/board/assay-board-$1"
}

mkdir -p out
while read -r machine architecture triplet <&3; do
  name=assay-board-$machine
  if [ "$machine" = "$here" ]; then
    dir=build
    need_build
    configure_build
    # Build files that changed are read first.
    ninja -C build build.ninja >/dev/null
    if ! ninja -C build -t query "app/board/$name" >/dev/null 2>&1; then
      say "no $name: GLib, libffi, PCRE2 or protobuf-c have no static library here"
      continue
    fi
    compile build "app/board/$name"
  elif ! command -v "$triplet-gcc" >/dev/null; then
    say "no $name: $triplet-gcc is not installed (gcc-$triplet)"
    continue
  elif ! unpack "$architecture" "build-agent-root-$machine"; then
    say "no $name: its libraries could not be downloaded"
    continue
  else
    dir=build-agent-$machine
    cross "$machine" "$triplet" "build-agent-root-$machine"
    # Beside the other one, where programs of the build folder find it.
    [ ! -d build/app/board ] || cp "$dir/app/board/$name" build/app/board/
  fi
  cp "$dir/app/board/$name" out/
  (cd out && ls -s --block-size=K "$name")
done 3<<<"$table"
