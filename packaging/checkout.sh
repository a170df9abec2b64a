# Sourced by the launcher in a checkout: where things lie there, help before the first build, and the
# commands that a distribution does not have.
# shellcheck shell=sh disable=SC2034,SC2154 # the launcher and this file share their variables
# shellcheck source=packaging/build.sh
. "$home/packaging/build.sh"

use_checkout() {
  layout=checkout
  shown=$(called)
  settings=$home/pom.xml
  rows=$home/ingest/cli/src/main/resources/io/widerow/cli/commands.psv
  version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$settings")
  jars=$home/ingest/cli/target/lib
  main_jar=$home/ingest/cli/target/cli-$version.jar
  natives=$home/ingest/cli/target/native
  caches=$home/ingest/cli/target
  cache_option=AOTCache
  cache_suffix=aot
  logs=$home/loadgen/logs
  JAVA_HOME=$(find_jdk)
  export JAVA_HOME
  checkout=$home # still known when dist has the distribution's layout in use
  jdk=$JAVA_HOME
}

called() { # how to call this launcher again, as it was called
  name=$(basename -- "$0")
  case $0 in
    */*)
      if [ "$(command -v "$name" 2>/dev/null)" = "$0" ]; then
        echo "$name"
      else
        echo "$0"
      fi
      ;;
    *) echo ./widerow ;;
  esac
}

feature_of() { # prints the feature version (25) of the JDK in $1, nothing when there is none
  [ -n "$1" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

find_jdk() { # prints the first JDK of version 25 or newer
  on_path=$(command -v java 2>/dev/null || true)
  [ -z "$on_path" ] || on_path=$(dirname -- "$(dirname -- "$(readlink -f "$on_path")")")
  for jdk in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*25* /usr/lib/jvm/* /opt/*jdk*25* /opt/java/* \
    "${HOME:-}"/.sdkman/candidates/java/25* "${HOME:-}"/.jdks/*25*; do
    feature=$(feature_of "$jdk")
    if [ -n "$feature" ] && [ "$feature" -ge 25 ]; then
      echo "$jdk"
      return
    fi
  done
}

is_built() { # whether the program has these commands, be it older than its sources
  [ -n "$JAVA_HOME" ] && [ -f "$main_jar" ] &&
    cmp -s "$rows" "$home/ingest/cli/target/classes/io/widerow/cli/commands.psv"
}

help_unbuilt() { # help or version, for a command that cannot be asked
  case " $* " in
    *" -V "* | *" --version "*)
      show_version
      return
      ;;
  esac
  echo "usage: $shown $name [OPTIONS]"
  echo "  $summary; for example: $shown $example"
  echo
  case $name in
    query | tail | explore*) page=query/QUERY.md ;;
    cql) page=query/CQL.md ;;
    export | import) page=query/EXPORT.md ;;
    *) page=ingest/OPERATIONS.md ;;
  esac
  echo "Nothing is built yet, so --help cannot list its options; see $page."
  echo "Any command without --help builds first (JDK 25, Maven 3.8.7 or newer)."
}

run_in_checkout() { # test, dist or load, and its arguments
  command=$1
  shift
  case $command:${1:-} in
    test:-h | test:--help)
      echo "usage: $shown test [--all | --nightly[=PART]] [-pl MODULE] [-Dtest=NAME]"
      echo "       [-Dseeds=HASH] [ARGUMENT OF mvn ...]"
      echo "  --all runs the tests of the later tier too, --nightly also faults, a cluster, fuzzing and"
      echo "  packages; PART is one of tests, faults, cluster, fuzzing, packages. -pl MODULE builds what"
      echo "  the module needs and runs its tests, -Dtest=NAME one test. -Dseeds=HASH repeats a run with"
      echo "  the seeds that it printed, -Dseeds=random takes new ones."
      echo "  bench-results/TESTING.md has every test command."
      ;;
    test:*)
      # shellcheck source=packaging/test.sh
      . "$home/packaging/test.sh"
      run_tests "$@"
      ;;
    dist:-h | dist:--help)
      echo "usage: $shown dist [--classes]"
      echo "  Makes target/dist: a tar.gz; where dpkg-deb is, a .deb; where busybox is, an OCI image; a"
      echo "  bill of materials and SHA256SUMS. With --classes it records packaging/classes.txt instead,"
      echo "  the classes of libraries that a start loads: do so when many libraries have changed."
      ;;
    dist:*)
      require_jdk
      build
      # shellcheck source=packaging/dist.sh
      . "$home/packaging/dist.sh"
      distribute "$@"
      ;;
    load:*)
      if wants_help "$@" && [ ! -d "$home/loadgen/target/lib" ]; then
        echo "usage: $shown load [OPTIONS]"
        echo "  Nothing is built here yet; its options are in loadgen/README.md."
      else
        require_jdk
        wants_help "$@" || build
        load "$@"
      fi
      ;;
  esac
}

load() { # the load generator, which shares no class with the daemon
  if [ "${1:-}" = peers ]; then
    exec "$home/loadgen/peers/build"
  fi
  target=$home/loadgen/target
  # shellcheck disable=SC2046,SC2086
  exec "$JAVA_HOME/bin/java" ${WIDEROW_JAVA_OPTS:-} -Dwiderow.home="$home" $(property jvm.native) \
    -cp "$target/classes:$target/lib/*:$target/peers/classes:$target/peers/driver/*" \
    io.widerow.loadgen.LoadCommand "$@"
}
