# Sourced by the launcher after a build. Does the work of each start once: extracts the native library
# from its jar, and makes the AOT caches with the linked classes of a query and of a daemon. The
# daemon's cache also has the profiles of its methods, from a start on the store of the demo and its
# first requests: what a start does not need, it would load and compile all the same. Without these
# files, programs start later.
# shellcheck shell=sh disable=SC2154 # the launcher sets where things lie

quicken() { # for the layout in use: fills its natives and caches
  work=$(mktemp -d)
  mkdir -p "$natives" "$caches"
  rm -f "$natives"/*.so "$caches"/*.aot
  take_natives
  train query "$caches/query.aot" --data "$(golden_store)" --last 20
  train serve "$caches/daemon.aot" --data "$work/demo" --http 127.0.0.1:0
  rm -rf "$work"
}

take_natives() { # uses work
  (
    folder=linux/$(uname -m | sed 's/x86_64/amd64/')
    cd "$work"
    "$jdk/bin/jar" xf "$jars"/zstd-jni-*.jar "$folder"
    mv "$folder"/*.so "$natives/libzstd.so"
  ) >/dev/null 2>&1 || true
}

golden_store() { # unpacks a small sealed store and prints where it is
  cd "$work" || return
  "$jdk/bin/jar" xf "$checkout/storage/src/test/resources/golden/store-v1-sealed.zip"
  find "$work" -name FORMAT -exec dirname {} \;
}

train() { # command, cache, arguments; the cache gets its name once the JVM can use it
  if "train_$1" "$@" >/dev/null 2>&1 && usable "$1" "$work/$(basename -- "$2")"; then
    mv "$work/$(basename -- "$2")" "$2"
  else
    echo "widerow: cannot make the AOT cache of $1: each start of it takes a second longer" >&2
  fi
}

train_query() { # command, cache, arguments
  (record_run "$@")
}

train_serve() { # the same, while another program sends the first requests
  demo --data "$work/demo" || return
  (record_run "$@") >"$work/serve" 2>&1 &
  daemon=$!
  until grep -q 'ready$' "$work/serve"; do
    kill -0 "$daemon" || return
    sleep 0.1
  done
  demo --rehearse "http://127.0.0.1:$(sed -n 's/.*http on .*:\([0-9]*\)$/\1/p' "$work/serve")"
  rehearsed=$?
  kill "$daemon"
  wait "$daemon" || true # the signal ends it
  return "$rehearsed"
}

record_run() { # the same; replaces the shell
  look_up "$1"
  caches=$work
  training=AOTCacheOutput
  shift 2
  start "$kind" "$name" "$@"
}

demo() { # arguments
  (
    look_up demo
    caches=$work
    training=
    start "$kind" "$name" --logs "$logs" "$@"
  )
}

usable() { # command, cache: whether a JVM that must use it starts
  [ -s "$2" ] && (
    look_up "$1"
    caches=$work
    training=
    WIDEROW_JAVA_OPTS='-XX:AOTMode=on'
    start "$kind" "$name" --version
  ) >/dev/null 2>&1
}
