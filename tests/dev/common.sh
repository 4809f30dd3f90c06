# Functions that the scripts of ./dev share; sourced, with the top of the tree as the current folder.
# SPDX-License-Identifier: Apache-2.0
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 ORT_DISABLE_TELEMETRY=1

say () { printf '\033[1m%s\033[0m\n' "$*" >&2; }
die () { printf 'dev: %s\n' "$*" >&2; exit 3; }

# The entries of list files, without comments.
entries () { sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$@"; }

# as_root COMMAND...: runs it as root, or fails and says which command to run.
as_root ()
{
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n --preserve-env=DEBIAN_FRONTEND "$@"
  elif command -v sudo >/dev/null && [ -t 0 ]; then
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  else
    return 1
  fi
}

is_installed () { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# need_packages NAME...: installs those Debian packages that are missing, and asks nobody when none is.
need_packages ()
{
  local missing=() name
  command -v dpkg-query >/dev/null || { say "not a Debian system: packages are not checked"; return 0; }
  for name; do is_installed "$name" || missing+=("$name"); done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  if ! as_root true 2>/dev/null; then
    die "missing packages, and no right to install them. As root, run:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  fi
  as_root apt-get update -q >/dev/null || say "apt-get update failed; trying with the lists that are there"
  as_root apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 </dev/null ||
    die "apt-get could not install: ${missing[*]}"
}

# is_known NAME: whether a package is installed or can be; asks for new lists of packages once if it is in none.
is_known ()
{
  is_installed "$1" || apt-cache show "$1" >/dev/null 2>&1 && return
  [ -z "${lists_are_new:-}" ] || return 1
  lists_are_new=1
  as_root apt-get update -q >/dev/null 2>&1 && apt-cache show "$1" >/dev/null 2>&1
}

# want_packages NAME...: installs those that this system has, for tests that are skipped without them.
want_packages ()
{
  local known=() name
  command -v dpkg-query >/dev/null || return 0
  for name; do if is_known "$name"; then known+=("$name"); else say "not available here: $name"; fi; done
  (need_packages ${known[@]+"${known[@]}"}) || say "tests that need these packages are skipped"
}

# want_unpacked NAME...: unpacks packages, and those that they depend on and that are not installed, into build-packages/root.
# Nothing is installed: none of their scripts runs, and no service is enabled. Packages that are installed are used as they are.
want_unpacked ()
{
  local root=build-packages/root missing=() names=() name
  command -v apt-get >/dev/null || return 0
  for name; do [ -f "$root/usr/share/doc/$name/copyright" ] || is_installed "$name" || missing+=("$name"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "unpacking into $root: ${missing[*]}"
  mapfile -t names < <(apt-get install -s --no-install-recommends "${missing[@]}" 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p')
  rm -rf build-packages
  mkdir -p build-packages/archives "$root"
  if [ ${#names[@]} -gt 0 ] && (cd build-packages/archives && apt-get download -q "${names[@]}" >/dev/null 2>&1); then
    for name in build-packages/archives/*.deb; do dpkg-deb -x "$name" "$root"; done
  else
    say "could not fetch them: tests that need them are skipped"
  fi
  rm -rf build-packages/archives
}

# need_npm LIST: unpacks the packages of a list file into build-npm/node_modules. Only archives are fetched: none of
# their scripts runs and no dependency comes along.
need_npm ()
{
  local spec name archive
  for spec in $(entries "$1"); do
    name=${spec%@*}
    [ -f "build-npm/node_modules/$name/package.json" ] && continue
    command -v npm >/dev/null || (need_packages nodejs npm) || return 1
    say "fetching $spec"
    mkdir -p "build-npm/archives" "build-npm/node_modules/$name"
    archive=$(npm pack --silent --pack-destination build-npm/archives "$spec" </dev/null | tail -n 1) &&
      tar -xzf "build-npm/archives/$archive" -C "build-npm/node_modules/$name" --strip-components 1 ||
      { rm -rf "build-npm/node_modules/$name"; say "could not fetch $spec: tests that need it are skipped"; return 1; }
    rm -f "build-npm/archives/$archive"
  done
}

# configure DIR OPTION...: makes the build folder once; ninja sees to later changes of the build files.
configure ()
{
  local dir=$1; shift
  if [ -f "$dir/build.ninja" ]; then
    [ $# -eq 0 ] || meson configure "$dir" "$@" >/dev/null
  else
    local pch=true
    # ccache keeps nothing of what is compiled with precompiled headers.
    command -v ccache >/dev/null && export CC="ccache ${CC:-cc}" && pch=false
    rm -rf "$dir"
    meson setup "$dir" -Db_pch=$pch "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; die "meson could not configure $dir"; }
    rm -f "$dir.log"
  fi
}

# compile DIR TARGET...: builds all that can be built, and tells what failed (a new configuration prints pages before it).
compile ()
{
  ninja -k 0 -C "$1" "${@:2}" >"$1/compile.log" 2>&1 && return
  awk '/^FAILED/ { failed = 1 } failed && !/^\[/' "$1/compile.log" | head -n 200 >&2
  tail -n 10 "$1/compile.log" >&2
  die "build of $1 failed, see $1/compile.log"
}
