# shellcheck shell=bash
# What ./pawl, ./test and tools/install share: sourced with `root` set to the project's folder and set -euo pipefail.
# Speaks on stderr only, as stdout belongs to the program.
root=${root:?}

say() { printf 'pawl: %s\n' "$*" >&2; }

# 125 tells "could not be built" from every exit code of the program.
die() { say "$@"; exit 125; }

# logged NAME COMMAND...: the command's output goes to build/log/NAME, whose end is shown when the command fails.
logged() {
  local log=$root/build/log/$1
  shift
  mkdir -p "$root/build/log"
  if ! "$@" </dev/null >"$log" 2>&1 9>&-; then
    tail -n 40 "$log" >&2
    die "this failed: $* (all it said is in $log)"
  fi
}

# locked COMMAND...: one at a time in this folder, so that two launchers never build over each other.
locked() {
  mkdir -p "$root/build"
  (
    flock --nonblock 9 || { say "waiting for another build to end"; flock 9; }
    "$@"
  ) 9>"$root/build/.lock"
}

# The packages of the groups named (build, test, bench, fuzz) that this system lacks.
missing_packages() {
  local package group command
  while read -r package group command; do
    [[ $package != '#'* && " $* " == *" $group "* ]] || continue
    if command -v dpkg-query >/dev/null; then
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]] || continue
    elif [[ -z $command ]]; then
      continue  # a library on a system without dpkg: CMake will tell
    fi
    [[ -n $command ]] && command -v "$command" >/dev/null || echo "$package"
  done <"$root/tools/packages.txt"
}

apt_install() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  ((EUID == 0)) || apt=(sudo "${apt[@]}")
  for pause in 10 0; do  # a mirror or a lock that fails once often works the next time
    "${apt[@]}" update || true
    "${apt[@]}" install --no-install-recommends "$@" && return
    sleep "$pause"
  done
  return 1
}

# install_missing GROUP...: installs what is missing, or ends with a message that says what to install.
install_missing() {
  local packages missing
  mapfile -t packages < <(missing_packages "$@")
  ((${#packages[@]})) || return 0
  missing="missing: ${packages[*]}"
  [[ ${PAWL_NO_INSTALL:-0} == 0 ]] || die "$missing (PAWL_NO_INSTALL is set, so nothing is installed)"
  command -v apt-get >/dev/null || die "$missing (Debian's names; install what your system calls them)"
  ((EUID == 0)) || command -v sudo >/dev/null || die "$missing (neither root nor sudo: apt-get install them)"
  say "installing ${packages[*]} (once)"
  logged install apt_install "${packages[@]}"
}

# install_modules: what the page of pawl view is made of, from npm's registry into viewer/node_modules.
install_modules() {
  local there=$root/viewer/node_modules/.package-lock.json wanted=$root/viewer/package-lock.json
  [[ ! -e $there || $wanted -nt $there ]] || return 0
  [[ ${PAWL_NO_INSTALL:-0} == 0 ]] || die "missing: the modules of viewer/ (PAWL_NO_INSTALL is set, so nothing is installed)"
  say "installing the modules of the page (once)"
  cd "$root/viewer" || die "no folder $root/viewer"
  logged modules npm ci --omit=dev --no-audit --no-fund
}

# Whether build/PRESET was configured, and for this very folder: a clone that was moved starts anew.
configured() { grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/$1/CMakeCache.txt"; }

# build PRESET TARGET [-DNAME=VALUE...]
build() {
  local preset=$1 target=$2 options=("${@:3}")
  configured "$preset" || options+=(--fresh)
  cd "$root" || die "no folder $root"
  logged "$preset-configure" cmake --preset "$preset" "${options[@]}"
  logged "$preset-build" cmake --build --preset "$preset" --target "$target"
}
