# Sourced by the launcher in a checkout: builds files that are missing or older than their sources.
# shellcheck shell=sh disable=SC2154 # the launcher sets where things lie

require_maven() {
  if ! command -v mvn >/dev/null 2>&1; then
    echo "widerow: needs Maven 3.8.7 or newer on PATH to build (Debian: apt-get install maven)" >&2
    exit 69
  fi
}

newer_sources() { # prints one source that is newer than $1, of modules at any depth
  find "$home/." \( -name target -o -name '.?*' -o -name test -o -name bench-results \) -prune -o \
    \( -path '*/src/main' -o -path '*/src/main/*' -o -name pom.xml -o -name aot.sh \) \
    -newer "$1" -print -quit
}

is_current() { # whether the built files are newer than each source
  [ -f "$jars/.built" ] && [ -z "$(newer_sources "$jars/.built")" ]
}

# One launcher builds at a time: two would write the same files. The second finds all built.
build() { # when nothing is built, or a source is newer
  if is_current; then
    return
  fi
  exec 9<"$settings"
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "widerow: another build of this checkout is running; waiting for it ..." >&2
    flock 9
  fi
  is_current || build_now
  exec 9<&- # otherwise the program that runs next would hold the lock
}

build_now() {
  require_maven
  echo "widerow: building ..." >&2
  log=$(mktemp)
  begun=$(mktemp) # a source that is saved while the build runs is newer
  if ! (cd "$home" && mvn -B -q -Pdraft -DskipTests package >"$log" 2>&1); then
    cat "$log" >&2
    rm -f "$log" "$begun"
    echo "widerow: the build failed" >&2
    exit 70
  fi
  rm -f "$log"
  # shellcheck source=ingest/aot.sh
  . "$home/ingest/aot.sh"
  quicken
  touch -r "$begun" "$jars/.built"
  rm -f "$begun"
}
