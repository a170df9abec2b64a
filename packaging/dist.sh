# Sourced by `./widerow dist`, which has built the checkout. Makes, in target/dist:
#   widerow-VERSION-linux-ARCH.tar.gz   the distribution, to unpack anywhere: bin, lib, native, caches,
#                                       logs, runtime, licenses, the documents that messages and help
#                                       name, in ingest and query, and packaging, with the dashboards
#   widerow_VERSION_ARCH.deb            the same under /usr/lib/widerow, with user, unit and
#                                       configuration (needs dpkg-deb; left out where there is none)
#   widerow-VERSION-oci-ARCH.tar        the same as an OCI image (needs busybox-static, as above)
#   widerow-VERSION-linux-ARCH.cdx.json the bill of materials, CycloneDX
#   SHA256SUMS                          of all these
# They run without Java on the machine: the runtime is linked from the JDK that built them, with the
# modules below. Natives of other systems are left out. One commit gives the same bytes on machines
# with the same JDK, C library and tools: names are sorted, owners and modes are fixed, and every time
# is the commit's, or SOURCE_DATE_EPOCH. packaging/try.sh proves all of it.
# shellcheck shell=sh disable=SC2154 # the launcher sets where things lie

# What `jdeps --print-module-deps` finds in our jars, without java.desktop, which only parts of
# libraries that we do not call ask for; and what jdeps cannot see: file systems in jars, elliptic
# curves for TLS, the compiler's packages that Chronicle's options open, names and passwords of the
# platform's security, and character sets by name.
runtime_modules=java.base,java.compiler,java.logging,java.management,java.naming,java.net.http,\
java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.charsets,jdk.compiler,jdk.crypto.ec,\
jdk.jfr,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs

# The class archives contain traces of the directory in which they were made, so there is one for all.
stage=/var/tmp/widerow-dist

distribute() {
  case $#:${1:-} in
    0: | 1:--classes) ;;
    *) fail "takes no argument but --classes, got $*" ;;
  esac
  machine=$(uname -m)
  name=widerow-$version-linux-$machine
  output=$checkout/target/dist
  epoch=${SOURCE_DATE_EPOCH:-$(built_at)}
  export SOURCE_DATE_EPOCH="$epoch" # for dpkg-deb
  mkdir "$stage" || fail "$stage: another dist uses it, or one was killed; then remove it"
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 130' INT TERM
  tree=$stage/$name
  checkout_jars=$jars
  checkout_jar=$main_jar
  rm -rf "$output"
  mkdir -p "$output" "$tree/bin" "$tree/lib" "$tree/native" "$tree/caches"
  write_settings
  cp "$checkout/widerow" "$tree/bin/widerow"
  cp "$rows" "$tree/commands.psv"
  cp -R "$checkout/loadgen/logs" "$tree/logs"
  cp "$checkout/ingest/widerow.service" "$checkout/packaging/widerow.conf" "$tree"
  mkdir "$tree/ingest" "$tree/query" "$tree/packaging" "$tree/packaging/kubernetes"
  for part in compose compose.yaml grafana helm rules kubernetes/widerow.yaml; do
    cp -R "$checkout/packaging/$part" "$tree/packaging/$part"
  done
  cp -R "$checkout/ingest/docs" "$checkout"/ingest/*.md "$tree/ingest"
  cp "$checkout"/query/*.md "$tree/query"
  "$jdk/bin/jlink" --add-modules "$runtime_modules" --strip-java-debug-attributes --no-man-pages \
    --no-header-files --compress zip-6 --output "$tree/runtime"
  rm "$tree/runtime/lib/ct.sym" # 11 MB for `javac --release`, which nobody calls
  take_jars
  # From here on the distribution is the layout in use, so that its own runtime makes its archives.
  use_distribution "$tree"
  # shellcheck source=ingest/aot.sh
  . "$checkout/ingest/aot.sh"
  work=$stage
  take_natives
  [ -f "$natives/libzstd.so" ] || fail "$natives/libzstd.so is missing"
  # shellcheck source=packaging/classes.sh
  . "$checkout/packaging/classes.sh"
  if [ "${1:-}" = --classes ]; then
    record_classes >"$checkout/packaging/classes.txt"
    return
  fi
  # shellcheck source=packaging/notices.sh
  . "$checkout/packaging/notices.sh"
  write_notices
  settle "$tree"
  make_archives
  settle "$tree/caches"
  pack_tree "$stage" "$name" | gzip -9n >"$output/$name.tar.gz"
  echo "$output/$name.tar.gz"
  if command -v dpkg-deb >/dev/null 2>&1; then
    # shellcheck source=packaging/debian.sh
    . "$checkout/packaging/debian.sh"
    package_for_debian
  else
    echo "widerow: no dpkg-deb here, so no .deb" >&2
  fi
  if command -v busybox >/dev/null 2>&1; then
    # shellcheck source=packaging/image.sh
    . "$checkout/packaging/image.sh"
    make_image
  else
    echo "widerow: no busybox here, so no image (Debian: apt-get install busybox-static)" >&2
  fi
  (cd "$output" && sha256sum -- * >"$stage/sums" && mv "$stage/sums" SHA256SUMS)
  echo "$output/SHA256SUMS"
}

built_at() { # the time of the commit, or the one that the POM gives all jars
  git -C "$checkout" log -1 --format=%ct 2>/dev/null ||
    date -d "$(sed -n 's|.*<project.build.outputTimestamp>\(.*\)<.*|\1|p' "$checkout/pom.xml")" +%s
}

settle() { # directory: gives all of it the modes and the time that packages have
  chmod -R u+rwX,go+rX,go-w "$1"
  find "$1" -exec touch -h -d "@$epoch" {} +
}

pack_tree() { # directory, names in it: writes a tar that depends on names and contents only
  directory=$1
  shift
  LC_ALL=C tar -C "$directory" --format=gnu --sort=name --mtime="@$epoch" --owner=0 --group=0 \
    --numeric-owner -cf - "$@"
}

fail() {
  echo "widerow: dist: $*" >&2
  exit 70
}

write_settings() { # what the launcher asks of the POM and of git in a checkout
  {
    echo "version=$version"
    echo "commit=$(commit)"
    for option in jvm.native jvm.serve jvm.query; do
      echo "$option=$(property "$option")"
    done
  } >"$tree/widerow.properties"
}

take_jars() { # copies all, without natives of other systems and machines
  case $machine in
    x86_64) zstd=amd64 snappy=x86_64 others='aarch_64' ;;
    aarch64) zstd=aarch64 snappy=aarch64 others='x86_64' ;;
    *) fail "no natives for $machine are known" ;;
  esac
  cp -p "$checkout_jars"/*.jar "$checkout_jar" "$tree/lib"
  for file in "$tree"/lib/*-linux-"$others".jar; do
    [ ! -f "$file" ] || rm "$file"
  done
  keep_native "$tree"/lib/zstd-jni-*.jar "linux/$zstd"
  keep_native "$tree"/lib/lz4-java-*.jar "net/jpountz/util/linux/$zstd"
  keep_native "$tree"/lib/snappy-java-*.jar "org/xerial/snappy/native/Linux/$snappy"
  # The page of Armeria's DocService, which the daemon does not have, and tables of a signature that
  # no TLS has.
  leave_out "$tree"/lib/armeria-[0-9]*.jar 'com/linecorp/armeria/server/docs/*.gz' \
    'com/linecorp/armeria/internal/shaded/bouncycastle/pqc/legacy/picnic/*.properties'
}

keep_native() { # jar, the one folder whose natives stay: writes the jar again
  unpack "$1"
  find "$unpacked" -type f \( -name '*.so' -o -name '*.dll' -o -name '*.dylib' -o -name '*.jnilib' \
    -o -name '*.a' \) ! -path "$unpacked/$2/*" -exec rm {} +
  [ -n "$(ls "$unpacked/$2")" ] || fail "$1 has no natives in $2"
  pack "$1"
}

leave_out() { # jar, patterns of files or folders in it, each of some: writes the jar again
  unpack "$1"
  smaller=$1
  shift
  for pattern in "$@"; do
    found=$(cd "$unpacked" && eval "ls -d $pattern") || fail "$smaller has no $pattern"
    for file in $found; do
      rm -r "${unpacked:?}/$file"
    done
  done
  pack "$smaller"
}

unpack() { # jar: sets unpacked
  unpacked=$(mktemp -d)
  (cd "$unpacked" && "$jdk/bin/jar" xf "$1") || fail "could not read $1"
}

pack() { # jar, from the unpacked files
  (
    cd "$unpacked" || exit
    find . -type d -empty -delete
    "$jdk/bin/jar" --create --file "$1" --manifest META-INF/MANIFEST.MF \
      --date=2026-01-01T00:00:00Z ./* 2>/dev/null
  ) || fail "could not write $1 again"
  rm -rf "$unpacked"
}
