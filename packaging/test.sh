# shellcheck shell=sh
# `widerow test`, for the launcher to source: which tests run, with which seeds, and what they cost.
# It uses of the launcher: home, jars, require_maven.

forget_draft() { # whose classes no check has seen: Maven would keep them
  [ -f "$jars/.built" ] || return 0
  find "$home" -type d -name target -prune | while IFS= read -r target; do
    rm -rf "$target/classes" "$target/test-classes"
  done
  rm -f "$jars/.built"
}

artifact_of() { # a module as `mvn -pl` takes it (storage, :storage): prints its artifactId
  if [ -f "$home/$1/pom.xml" ]; then
    sed -n '/<\/parent>/,$s|.*<artifactId>\(.*\)</artifactId>.*|\1|p' "$home/$1/pom.xml" | head -n 1
  else
    echo "${1##*:}"
  fi
}

# Everything that Maven takes, and some things made easy: --all and --nightly run the later tiers,
# `-pl MODULE` builds what the module needs and runs the tests of that module alone (with `-am` also
# the tests of those below it), and `-Dtest=NAME` runs where there is such a test. The commit gives
# the seeds of the later tiers. A run in which no test ran is an error.
run_tests() {
  require_maven
  tier=
  modules=
  below=
  seeds=
  before=
  arguments=$#
  while [ "$arguments" -gt 0 ]; do
    argument=$1
    shift
    arguments=$((arguments - 1))
    case $before in
      -pl | --projects) modules=$argument ;;
    esac
    before=$argument
    case $argument in
      --nightly=*)
        require_part "${argument#*=}"
        tier=${argument#--}
        continue
        ;;
      --all | --nightly)
        tier=${argument#--}
        continue
        ;;
      -pl?*) modules=${argument#-pl} ;;
      --projects=*) modules=${argument#--projects=} ;;
      -am | --also-make) below=yes ;;
      -Dseeds=*)
        seeds=${argument#-Dseeds=}
        continue
        ;;
    esac
    set -- "$@" "$argument"
  done
  case $modules in
    *!*) modules= ;; # all but these: Maven has nothing to add
  esac
  if [ -n "$modules" ] && [ -z "$below" ]; then
    only=
    for module in $(echo "$modules" | tr , ' '); do
      only=$only,$(artifact_of "$module")
    done
    set -- "$@" -am "-Dtest.modules=${only#,}"
  fi
  case $seeds in
    '') [ -z "$tier" ] || seeds=$(git -C "$home" rev-parse HEAD 2>/dev/null || echo none) ;;
    random) seeds=$(od -An -N 8 -t x1 /dev/urandom | tr -d ' ') ;;
  esac
  if [ -n "$seeds" ]; then
    set -- "$@" "-Dseeds=$seeds"
    echo "widerow: to repeat this run, add -Dseeds=$seeds"
  fi
  if [ -z "$tier" ] && since=$(git -C "$home" rev-parse -q --verify HEAD~50 2>/dev/null); then
    set -- "$@" "-Dform.since=$since" # formatting all files takes a minute; --all looks at them
  fi
  forget_draft
  cd "$home"
  case $tier in
    nightly*) run_nightly "${tier#nightly}" "$@" ;;
    all) run_maven -Pall "$@" ;;
    *) run_maven "$@" ;;
  esac
}

run_maven() { # one run of Maven and what its tests cost; fails when they fail, or none ran
  started=$(mktemp)
  failed=0
  verify "$@" || failed=$?
  reports=$(find . -path '*/target/surefire-reports/TEST-*.xml' -newer "$started")
  rm -f "$started"
  if [ -n "$reports" ]; then
    print_costs "$reports"
  elif [ "$failed" = 0 ]; then
    echo "widerow: no test ran" >&2
    failed=1
  fi
  return "$failed"
}

# Compiling with its checks keeps one core busy, and tests wait for disks and sockets: one Maven
# builds all modules, and beside it another one tests each module once it is built.
verify() { # arguments of mvn
  for argument in "$@"; do
    case $argument in
      -Dtest=*) ;;
      -D* | -P*) continue ;;
    esac
    mvn -B verify "$@" # a test or a module alone, another phase
    return
  done
  find . -path '*/target/.packaged' -exec rm -f {} +
  mvn -B -q -Pbuild verify "$@" &
  builder=$!
  trap 'kill "$builder" 2>/dev/null' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  result=0
  if MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS:-}" \
    mvn -B -Pbuilt "-Dbuilder=$builder" -Dmdep.skip verify "$@"; then
    wait "$builder" || result=$?
  else
    result=$?
    kill "$builder" 2>/dev/null || true
    wait "$builder" || true
  fi
  trap - EXIT INT TERM
  return "$result"
}

print_costs() { # files of reports, one a line: the classes that took longest
  echo "widerow: the ten test classes that took longest, and all of them, in seconds"
  echo "$1" | xargs sed -n 's/.*<testsuite .*name="\([^"]*\)" time="\([0-9.,]*\)".*/\2 \1/p' |
    tr -d , | sort -rn | awk '
      { sum += $1 }
      NR <= 10 { printf "%9.1f  %s\n", $1, $2 }
      END { printf "%9.1f  %d classes\n", sum, NR }'
}

require_part() { # the value of --nightly
  case $1 in
    tests | faults | cluster | fuzzing | packages) ;;
    *)
      echo "widerow: --nightly: no such part, got $1;" \
        "name tests, faults, cluster, fuzzing or packages" >&2
      exit 64
      ;;
  esac
}

# Each part runs even when one before it failed. The faults and the packages need root.
run_nightly() { # =PART to run one part, or empty; then arguments of mvn
  wanted=${1#=}
  shift
  broken=
  part tests run_maven -Pall -Dplants=all "$@"
  part faults run_maven -Pfaults "$@"
  part cluster run_maven -Pcluster "$@"
  part fuzzing mvn -B -Pfuzz -pl storage,query,ingest,ingest/cql,ingest/cli -am verify "$@"
  part packages try_packages
  [ -z "$broken" ] || echo "widerow: failed:$broken" >&2
  [ -z "$broken" ]
}

part() { # name, command
  name=$1
  shift
  [ "${wanted:-$name}" = "$name" ] || return 0
  echo "widerow: nightly: $name"
  "$@" || broken="$broken $name"
}

try_packages() {
  "$home/widerow" dist && "$home/packaging/try.sh" --deb --image --twice &&
    "$home/packaging/kubernetes/check.sh"
}
