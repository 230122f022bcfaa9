#!/bin/sh
# Octet's one entry for people: ./setup.sh help
set -eu
cd "$(dirname "$0")"

PACKAGES="g++ cmake ninja-build ccache pkg-config git python3
libzmq3-dev cppzmq-dev libprotobuf-dev protobuf-compiler libyaml-cpp-dev prometheus-cpp-dev
libboost1.81-dev libsqlite3-dev libssl-dev nlohmann-json3-dev libdnnl-dev libspdlog-dev libcli11-dev
libcurl4-openssl-dev libgtest-dev libgmock-dev libbenchmark-dev"
# What only the tests need: the formatter, Prometheus' checker, and unzip for kubectl and Helm.
TEST_PACKAGES="clang-format-14 prometheus unzip"
JOBS=${OCTET_JOBS:-$(nproc)}
BUILD=build/release

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nsetup.sh: %s\n' "$*" >&2; exit 1; }

help() {
  cat <<TEXT
./setup.sh demo [--quick] [--keep]  build, start a local cluster, train real models on it, show everything
./setup.sh test [CTEST-ARGS]        build and run all tests
./setup.sh build [TARGET...]        install what is missing and build (release)
./setup.sh sanitize                 the unit tests under the address and the thread sanitizers
./setup.sh bench                    build and run the benchmarks
./setup.sh clean                    remove the build folder
./setup.sh help                     this text

Packages come from Debian 12 and are installed as root or through sudo; what will be installed is said first.
OCTET_JOBS sets the number of parallel compilations (now $JOBS).
TEXT
}

# missing PACKAGE...: prints those that are not installed.
missing() {
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$package"
  done
}

# install PACKAGE...: installs the missing ones, or says how and changes nothing.
install() {
  command -v dpkg-query >/dev/null || fail "this needs Debian 12 (bookworm) or a system with its packages; dpkg was not found"
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  command="apt-get install -y --no-install-recommends $wanted"
  if [ "$(id -u)" -eq 0 ]; then
    sudo=""
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo="sudo"
  elif command -v sudo >/dev/null && [ -t 0 ]; then
    sudo="sudo"
  else
    fail "these Debian packages are missing, and this user is neither root nor allowed to use sudo:
  $wanted
Ask an administrator to run:
  apt-get update && $command
Nothing was changed."
  fi
  say "Installing Debian packages: $wanted"
  log=$(mktemp)
  # apt's own progress is long; show it only if something fails.
  if ! { $sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $sudo env DEBIAN_FRONTEND=noninteractive $command; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get failed (its last lines are above). Run it by hand to see more:
  apt-get update && $command"
  fi
  rm -f "$log"
  still=$(missing "$@")
  [ -z "$still" ] || fail "still missing after the installation: $still"
}

configure() {
  if [ ! -f "$BUILD/build.ninja" ]; then
    say "Configuring ($BUILD)"
    cmake --preset release >/dev/null || fail "cmake failed; its message is above"
  fi
}

build() {
  install $PACKAGES
  configure
  say "Building (release, $JOBS jobs)"
  cmake --build "$BUILD" -j "$JOBS" -- "$@" || fail "the build failed; its message is above"
}

run_tests() {
  # A machine may have npm from elsewhere; Debian's own brings some three hundred packages.
  command -v npm >/dev/null || TEST_PACKAGES="$TEST_PACKAGES npm"
  install $PACKAGES $TEST_PACKAGES
  build
  say "Testing"
  ctest --test-dir "$BUILD" --output-on-failure -j "$JOBS" "$@"
}

sanitize() {
  install $PACKAGES
  for preset in asan tsan; do
    say "Unit tests under $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build "build/$preset" -j "$JOBS" -- unit
    TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp history_size=4" \
      ctest --test-dir "build/$preset" --output-on-failure -j "$JOBS" -R '^unit'
  done
}

bench() {
  build bench
  for program in "$BUILD"/tests/bench/*/bench_*; do
    [ -x "$program" ] && [ ! -d "$program" ] && "$program"
  done
}

action=${1:-help}
[ $# -eq 0 ] || shift
case "$action" in
  demo) build octet octet-coordinator octet-worker; exec python3 tests/e2e/demo.py --bin "$BUILD/bin" "$@" ;;
  test) run_tests "$@" ;;
  build) build "$@" ;;
  sanitize) sanitize ;;
  bench) bench ;;
  clean) rm -rf build; say "Removed build/" ;;
  help|-h|--help) help ;;
  *) help >&2; exit 2 ;;
esac
