# shellcheck shell=bash
# Functions shared by ./pawl, ./test and tools/install. Source it with `root` set to the project folder and
# with set -euo pipefail. Writes to stderr only, because stdout belongs to the program.
root=${root:?}

say() { printf 'pawl: %s\n' "$*" >&2; }

# Exit code 125 means "could not be built"; the program never returns it.
die() { say "$@"; exit 125; }

# logged NAME COMMAND...: writes the command's output to build/log/NAME and shows its end if the command
# fails.
logged() {
  local log=$root/build/log/$1
  shift
  mkdir -p "$root/build/log"
  if ! "$@" </dev/null >"$log" 2>&1 9>&-; then
    tail -n 40 "$log" >&2
    die "this failed: $* (all it said is in $log)"
  fi
}

# locked COMMAND...: runs one command at a time in this folder, so that two launchers never build at once.
locked() {
  mkdir -p "$root/build"
  (
    flock --nonblock 9 || { say "waiting for another build to end"; flock 9; }
    "$@"
  ) 9>"$root/build/.lock"
}

# Packages of the given groups (build, python, test, bench, fuzz, docs, coverage) that are not installed.
missing_packages() {
  local package group command
  while read -r package group command; do
    [[ $package != '#'* && " $* " == *" $group "* ]] || continue
    if command -v dpkg-query >/dev/null; then
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]] || continue
    elif [[ -z $command ]]; then
      continue  # a library on a system without dpkg: CMake will report it
    fi
    [[ -n $command ]] && command -v "$command" >/dev/null || echo "$package"
  done <"$root/tools/packages.txt"
}

apt_install() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  ((EUID == 0)) || apt=(sudo "${apt[@]}")
  for pause in 10 0; do  # temporary failures of mirrors or locks are common: try twice
    "${apt[@]}" update || true
    "${apt[@]}" install --no-install-recommends "$@" && return
    sleep "$pause"
  done
  return 1
}

# install_missing GROUP...: installs missing packages, or exits with a message that lists them.
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

# install_modules: installs the npm modules of the page of pawl view into viewer/node_modules.
install_modules() {
  local there=$root/viewer/node_modules/.package-lock.json wanted=$root/viewer/package-lock.json
  [[ ! -e $there || $wanted -nt $there ]] || return 0
  [[ ${PAWL_NO_INSTALL:-0} == 0 ]] || die "missing: the modules of viewer/ (PAWL_NO_INSTALL is set, so nothing is installed)"
  say "installing the modules of the page (once)"
  cd "$root/viewer" || die "no folder $root/viewer"
  logged modules npm ci --omit=dev --no-audit --no-fund
}

# True if build/PRESET is configured for this folder; a moved clone is configured again.
configured() { grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/$1/CMakeCache.txt"; }

# build PRESET TARGET [-DNAME=VALUE...]
build() {
  local preset=$1 targets options=("${@:3}")
  read -ra targets <<<"$2"
  configured "$preset" || options+=(--fresh)
  cd "$root" || die "no folder $root"
  logged "$preset-configure" cmake --preset "$preset" "${options[@]}"
  logged "$preset-build" cmake --build --preset "$preset" --target "${targets[@]}"
}
