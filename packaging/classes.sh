# Sourced by packaging/dist.sh: makes the class archives with which the distribution starts. An AOT
# cache, as a checkout has, starts a little sooner, but no two of one commit are the same: it keeps
# what a run happened to profile. An archive of a fixed list of classes is the same each time.
# packaging/classes.txt is the list for the JDK and the libraries; of our own jars it takes all classes.
# shellcheck shell=sh disable=SC2154 # dist.sh sets where things lie

make_archives() { # for the distribution, which is settled: an archive names the times of its jars
  make_archive query
  make_archive serve
}

list_classes() { # command: prints a name a line
  {
    awk -v all="$1" '
      /^#/ { listed = all != "query" || $2 == "query"; next }
      /^ / && listed { for (i = 1; i <= NF; i++) print package "/" $i }
      /^[^ ]/ { package = $1 }' "$checkout/packaging/classes.txt"
    for jar in "$jars"/*-"$version".jar; do
      "$jdk/bin/jar" --list --file "$jar" | sed -n 's/\.class$//p' | grep -v -- -info
    done
  } | LC_ALL=C sort -u
}

make_archive() { # command, whose class path and JVM options it is for
  list_classes "$1" >"$stage/classes"
  (
    look_up "$1"
    # shellcheck disable=SC2030,SC2034 # start reads both
    training=$cache_option
    # A heap of one size, or the bytes would depend on the memory of this machine.
    WIDEROW_JAVA_OPTS="-Xmx256m -Xshare:dump -XX:SharedClassListFile=$stage/classes"
    start "$kind" "$name" --help
  ) >"$stage/log" 2>&1 || fail "the class archive of $1 was not made: $(tail -n 3 "$stage/log")"
}

record_classes() { # prints packaging/classes.txt, from queries of a store and of a daemon, and two daemons
  mkdir "$stage/work"
  work=$stage/work
  record query-store query --data "$(golden_store)" --last 20
  record demo demo --logs "$logs" --data "$work/demo"
  (
    look_up serve
    # shellcheck disable=SC2030,SC2034 # start reads it
    WIDEROW_JAVA_OPTS="-XX:DumpLoadedClassList=$work/serve.list"
    start "$kind" "$name" --data "$work/demo" --http 127.0.0.1:0
  ) >"$work/serve" 2>&1 &
  daemon=$!
  until grep -q 'ready$' "$work/serve" || ! kill -0 "$daemon" 2>/dev/null; do sleep 0.2; done
  url=127.0.0.1:$(sed -n 's/.*http on .*:\([0-9]*\)$/\1/p' "$work/serve")
  record query-daemon query --url "$url"
  demo --rehearse "http://$url" >"$stage/log" 2>&1 || fail "$url: $(tail -n 3 "$stage/log")"
  kill "$daemon"
  cat "$work/serve.list" >>"$work/demo.list"
  cat "$work"/query-*.list >"$work/query.list"
  for file in query demo; do
    sed -n -e '/^[#@]/d' -e '/^io\/widerow\//d' -e '/[$][$]Lambda\|\/0x/d' -e 's/ .*//p' \
      "$work/$file.list" | LC_ALL=C sort -u >"$work/$file"
  done
  echo "# query"
  fold_classes <"$work/query"
  echo "# and the daemon"
  LC_ALL=C comm -13 "$work/query" "$work/demo" | fold_classes
}

fold_classes() { # names, sorted: a line for each package, and lines of the classes in it
  awk '
      {
        name = package = $1
        sub(/.*\//, "", name)
        sub(/\/[^\/]*$/, "", package)
        if (package != last || length(line) + length(name) > 99) {
          if (line != "") print line
          line = ""
        }
        if (package != last) print package
        last = package
        line = line " " name
      }
      END { print line }'
}

record() { # name of the list, command, arguments
  list=$work/$1.list
  look_up "$2"
  shift 2
  (
    # shellcheck disable=SC2030,SC2034 # start reads it
    WIDEROW_JAVA_OPTS="-XX:DumpLoadedClassList=$list"
    start "$kind" "$name" "$@"
  ) >"$stage/log" 2>&1 || fail "$name did not run: $(tail -n 3 "$stage/log")"
}
