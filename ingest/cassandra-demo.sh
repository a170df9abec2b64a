# Sourced by the launcher for `demo --store cassandra`: a node of Apache Cassandra for as long as the
# demo runs. Its libraries come from Maven Central, once; it needs a JDK 17 and 1 GiB of memory.
# shellcheck shell=sh disable=SC2154 # the launcher sets where things lie

on_a_node() { # `demo` and its arguments, one of them --store cassandra
  arguments=$#
  before=
  while [ "$arguments" -gt 0 ]; do
    argument=$1
    shift
    arguments=$((arguments - 1))
    if [ "$before" = --store ] && [ "$argument" = cassandra ]; then
      before=
      continue
    fi
    [ "$before" != --store ] || set -- "$@" --store
    [ "$argument" = --store ] || set -- "$@" "$argument"
    before=$argument
  done
  libraries=$home/storage/cassandra/server/target/lib
  if [ ! -d "$libraries" ]; then
    echo "widerow: fetching Apache Cassandra ..." >&2
    require_maven
    mvn -B -q -f "$home/storage/cassandra/server/pom.xml" process-resources
  fi
  nodes=$(mktemp -d)
  port=$(shuf -i 20000-29990 -n 1)
  node=
  trap 'end_node' EXIT
  trap 'exit 130' INT TERM
  echo "widerow: starting a node of Apache Cassandra ..." >&2
  CASSANDRA_LIBRARIES=$libraries "$home/loadgen/peers/cassandra" "$nodes/node" "$port" periodic 512m \
    >"$nodes/log" 2>&1 &
  node=$!
  waited=0
  listening=":$(printf '%04X' "$port") [0-9A-F]*:0000 0A" # in the kernel's table: local, remote, LISTEN
  until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "$listening"; do
    if ! kill -0 "$node" 2>/dev/null || [ "$waited" -ge 120 ]; then
      echo "widerow: the node does not start:" >&2
      tail -n 5 "$nodes/log" >&2
      exit 69
    fi
    sleep 1
    waited=$((waited + 1))
  done
  ended=0
  (start "$kind" "$@" --store \
    "cassandra://127.0.0.1:$port/widerow?dc=datacenter1&replication=1") || ended=$?
  exit "$ended"
}

end_node() {
  [ -z "$node" ] || kill "$node" 2>/dev/null || true
  [ -z "$node" ] || wait "$node" 2>/dev/null || true
  rm -rf "$nodes"
}
