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

# The system's column in packages.tsv: debian, fedora, arch or brew; nothing on another system.
system ()
{
  if command -v dpkg-query; then echo debian
  elif command -v dnf; then echo fedora
  elif command -v pacman; then echo arch
  elif command -v brew; then echo brew
  fi | tail -n 1
}

# packages SYSTEM GROUP...: names of packages.tsv, each once.
packages ()
{
  awk -F '\t' -v name="$1" -v groups=" ${*:2} " '
    /^#/ { next }
    !header { header = 1; for (i = 1; i <= NF; i++) if ($i == name) column = i; if (!column) exit 1; next }
    index(groups, " " $1 " ") && $column != "-" && !seen[$column]++ { print $column }' tests/dev/packages.tsv
}

is_installed ()
{
  case $(system) in
    debian) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    fedora) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
    arch) pacman -T "$1" >/dev/null 2>&1 ;;
    brew) brew list --versions "$1" >/dev/null 2>&1 ;;
    *) false ;;
  esac
}

missing_of () { local name; for name; do is_installed "$name" || echo "$name"; done; }

install_command ()
{
  case $1 in
    debian) echo "apt-get update && apt-get install --no-install-recommends" ;;
    fedora) echo "sudo dnf install" ;;
    arch) echo "sudo pacman -S --needed" ;;
    brew) echo "brew install" ;;
  esac
}

# tell_packages GROUP...: says on a system that is not Debian what is missing; nothing is installed there.
tell_packages ()
{
  local system missing
  system=$(system)
  if [ -n "$system" ]; then
    mapfile -t missing < <(missing_of $(packages "$system" "$@"))
    [ ${#missing[@]} -gt 0 ] || return 0
    say "missing packages; the names are from tests/dev/packages.tsv, and nobody has tried them on this system:"
    echo "  $(install_command "$system") ${missing[*]}" >&2
  else
    say "This is no Debian, and none of its package managers is known. Needed, as other systems call it:"
    for system in debian fedora arch brew; do echo "  $(install_command $system)" $(packages $system "$@") >&2; done
  fi
}

# need_build: what a build needs. Without the packages of the window, and the right to install them, the command line is built.
need_build ()
{
  local window
  [ "$(system)" = debian ] || { tell_packages build window; return 0; }
  mapfile -t window < <(missing_of $(packages debian window))
  if [ ${#window[@]} -gt 0 ] && [ -z "$(missing_of $(packages debian build))" ] && ! as_root true 2>/dev/null; then
    say "missing packages of the window, and no right to install them. As root, run:"
    echo "  $(install_command debian) ${window[*]}" >&2
  else
    need_packages $(packages debian build window)
  fi
}

# configure_build: the build folder `build`, with the window where GTK and libadwaita are there.
configure_build ()
{
  local gui=false had=false
  pkg-config --exists 'gtk4 >= 4.8' 'libadwaita-1 >= 1.2' && gui=true
  [ $gui = true ] || say "GTK 4.8 or libadwaita 1.2 is missing: only the command line is built"
  [ ! -f build/build.ninja ] || ! grep -q ' app/workbench/assay-workbench' build/build.ninja || had=true
  if [ -f build/build.ninja ] && [ $gui = $had ]; then return 0; fi
  configure build -Dgui=$gui
}

# need_packages NAME...: installs those Debian packages that are missing, and asks nobody when none is.
need_packages ()
{
  local missing=()
  [ "$(system)" = debian ] || return 0
  mapfile -t missing < <(missing_of "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  if ! as_root true 2>/dev/null; then
    die "missing packages, and no right to install them. As root, run:
  $(install_command debian) ${missing[*]}"
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

# What a build takes, measured from nothing with gcc 12 and without ccache: hundredths of a second of one processor, and kB on
# disk, for each step of the build folder `build`. Sanitizers take about twice as much.
step_time=100 step_space=900

duration () { if [ "$1" -ge 60 ]; then echo "$(($1 / 60)) min $(($1 % 60)) s"; else echo "$1 s"; fi; }
disk () { du -sm "$1" | awk '{ if ($1 < 1000) printf "%d MB\n", $1; else printf "%.1f GB\n", $1 / 1000 }'; }

# announce DIR TARGET...: says before a long build what it takes, if that is known.
announce ()
{
  local dir=$1 steps cores
  steps=$(ninja -n -C "$@" 2>/dev/null | sed -n 's|^\[\([0-9]*\)/[0-9]*\].*|\1|p' | tail -n 1)
  [ "${steps:-0}" -ge 100 ] || return 0
  cores=$(getconf _NPROCESSORS_ONLN)
  say "building $dir: $steps steps, about $((steps * step_time / 100 / cores / 60 + 1)) min on $cores quiet processors and" \
    "$((steps * step_space / 1000)) MB of disk; the log is $dir/compile.log"
}

# progress DIR: reads what ninja prints, and tells how many steps are done: on a terminal in one line, elsewhere at each tenth.
progress ()
{
  local line finished total tenth=0 begin=$SECONDS
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ -t 2 ]; then
      printf '\r\033[K%s: %d of %d steps, %s' "$1" "$finished" "$total" "$(duration $((SECONDS - begin)))" >&2
    elif [ "$total" -ge 100 ] && [ $((finished * 10 / total)) -gt "$tenth" ]; then
      tenth=$((finished * 10 / total))
      printf '%s: %d of %d steps, %s\n' "$1" "$finished" "$total" "$(duration $((SECONDS - begin)))" >&2
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ "${total:-0}" -lt 100 ] || [ "$finished" -lt "$total" ] || say "built $1: $total steps in $(duration $((SECONDS - begin))), $(disk "$1") on disk"
}

# compile DIR TARGET...: builds all that can be built, and tells what failed (a new configuration prints pages before it).
compile ()
{
  announce "$@"
  ninja -k 0 -C "$1" "${@:2}" 2>&1 | tee "$1/compile.log" | progress "$1" && return
  awk '/^FAILED/ { failed = 1 } failed && !/^\[/' "$1/compile.log" | head -n 200 >&2
  tail -n 10 "$1/compile.log" >&2
  die "build of $1 failed, see $1/compile.log"
}

# programs DIR: the targets that `./dev run` needs: programs, and the data beside them. Build files that changed are read first.
programs () { ninja -C "$1" build.ninja >/dev/null 2>&1 || true; ninja -C "$1" -t targets all | sed -n 's,^\(\(app\|data\|docs\)/[^:]*\): \(c_LINKER\|CUSTOM_COMMAND[A-Z_]*\)$,\1,p'; }

# path_of PATH: a path that was relative to the folder that ./dev was called from.
path_of () { case $1 in /*) echo "$1" ;; *) echo "${ASSAY_DEV_FOLDER:-$PWD}/$1" ;; esac; }
