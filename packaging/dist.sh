# Sourced by `./widerow dist`, which has built the checkout. Makes, in target/dist:
#   widerow-VERSION-linux-ARCH/         the distribution: bin, lib, native, aot, logs, runtime, and the
#                                       documents that messages and help name, in ingest and query
#   widerow-VERSION-linux-ARCH.tar.gz   the same, to unpack anywhere
#   widerow_VERSION_ARCH.deb            the same under /usr/lib/widerow, with user, unit and
#                                       configuration (needs dpkg-deb; left out where there is none)
# Both run without Java on the machine: the runtime is linked from the JDK that built them, with the
# modules below, and the AOT caches are made by that runtime. Natives of other systems are left out.
# packaging/try.sh proves both.
# shellcheck shell=sh disable=SC2154 # the launcher sets where things lie

# What `jdeps --print-module-deps` finds in our jars, without java.desktop, which only parts of
# libraries that we do not call ask for; and what jdeps cannot see: file systems in jars, elliptic
# curves for TLS, the compiler's packages that Chronicle's options open, names and passwords of the
# platform's security, and character sets by name.
runtime_modules=java.base,java.compiler,java.logging,java.management,java.naming,java.net.http,\
java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.charsets,jdk.compiler,jdk.crypto.ec,\
jdk.jfr,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs

distribute() {
  [ $# -eq 0 ] || fail "takes no arguments"
  machine=$(uname -m)
  name=widerow-$version-linux-$machine
  output=$checkout/target/dist
  tree=$output/$name
  checkout_jars=$jars
  checkout_jar=$main_jar
  rm -rf "$output"
  mkdir -p "$tree/bin" "$tree/lib"
  write_settings
  cp "$checkout/widerow" "$tree/bin/widerow"
  cp "$rows" "$tree/commands.psv"
  cp -R "$checkout/loadgen/logs" "$tree/logs"
  cp "$checkout/LICENSE" "$checkout/NOTICE" "$checkout/ingest/widerow.service" "$checkout/packaging/widerow.conf" "$tree"
  mkdir "$tree/ingest" "$tree/query"
  cp -R "$checkout/ingest/docs" "$checkout"/ingest/*.md "$tree/ingest"
  cp "$checkout"/query/*.md "$tree/query"
  "$jdk/bin/jlink" --add-modules "$runtime_modules" --strip-java-debug-attributes --no-man-pages \
    --no-header-files --compress zip-6 --output "$tree/runtime"
  take_jars
  # From here on the distribution is the layout in use, so that its own runtime makes its caches.
  use_distribution "$tree"
  # shellcheck source=ingest/aot.sh
  . "$checkout/ingest/aot.sh"
  quicken
  for file in "$caches/query.aot" "$caches/daemon.aot" "$natives/libzstd.so"; do
    [ -f "$file" ] || fail "was not made: $file"
  done
  tar -C "$output" --owner=0 --group=0 --numeric-owner -czf "$output/$name.tar.gz" "$name"
  echo "$output/$name.tar.gz"
  if command -v dpkg-deb >/dev/null 2>&1; then
    package_for_debian
  else
    echo "widerow: no dpkg-deb here, so no .deb" >&2
  fi
}

fail() {
  echo "widerow: dist: $*" >&2
  exit 70
}

write_settings() { # what the launcher asks of the POM and of git in a checkout
  {
    echo "version=$version"
    echo "commit=$(commit)"
    for option in chronicle.opens jvm.native jvm.serve jvm.query; do
      echo "$option=$(property "$option")"
    done
  } >"$tree/widerow.properties"
}

take_jars() { # copies all, without natives of other systems and machines
  case $machine in
    x86_64) zstd=amd64 jna=x86-64 others='aarch_64' ;;
    aarch64) zstd=aarch64 jna=aarch64 others='x86_64' ;;
    *) fail "no natives for $machine are known" ;;
  esac
  cp -p "$checkout_jars"/*.jar "$checkout_jar" "$tree/lib"
  for file in "$tree"/lib/*-linux-"$others".jar; do
    [ ! -f "$file" ] || rm "$file"
  done
  keep_native "$tree"/lib/zstd-jni-*.jar "linux/$zstd"
  keep_native "$tree"/lib/jffi-*-native.jar "jni/$machine-Linux"
  keep_native "$tree"/lib/jna-[0-9]*.jar "com/sun/jna/linux-$jna"
  # The page of Armeria's DocService, which the daemon does not have, and constants of other systems.
  leave_out "$tree"/lib/armeria-[0-9]*.jar 'com/linecorp/armeria/server/docs/*.gz'
  leave_out "$tree"/lib/jnr-constants-*.jar 'jnr/constants/platform/*bsd' \
    jnr/constants/platform/aix jnr/constants/platform/darwin jnr/constants/platform/solaris \
    jnr/constants/platform/windows 'jnr/constants/platform/linux/[lmps]*64*'
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

package_for_debian() { # a version that grows with each commit: 0.1.0~20261125.0301.131fe76d4866
  architecture=$(dpkg --print-architecture)
  day=$(TZ=UTC git -C "$checkout" log -1 --date=format-local:%Y%m%d.%H%M --format=%cd 2>/dev/null ||
    TZ=UTC date +%Y%m%d.%H%M)
  release=${version%-SNAPSHOT}
  [ "$release" = "$version" ] || release=$release~$day
  root=$output/deb
  mkdir -p "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin" "$root/etc/widerow" \
    "$root/usr/lib/systemd/system" "$root/usr/share/doc/widerow"
  cp -Rp "$tree" "$root/usr/lib/widerow"
  mv "$root/usr/lib/widerow/widerow.service" "$root/usr/lib/systemd/system"
  mv "$root/usr/lib/widerow/widerow.conf" "$root/etc/widerow"
  mv "$root/usr/lib/widerow/LICENSE" "$root/usr/share/doc/widerow/copyright"
  mv "$root/usr/lib/widerow/NOTICE" "$root/usr/lib/widerow/ingest" "$root/usr/lib/widerow/query" \
    "$root/usr/share/doc/widerow"
  ln -s ../lib/widerow/bin/widerow "$root/usr/bin/widerow"
  cp "$checkout"/packaging/debian/* "$root/DEBIAN"
  chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
  size=$(du -sk --exclude=DEBIAN "$root" | cut -f 1)
  sed -i -e "s/@version@/$release/" -e "s/@architecture@/$architecture/" -e "s/@size@/$size/" \
    "$root/DEBIAN/control"
  chmod -R u+rwX,go+rX,go-w "$root"
  dpkg-deb --root-owner-group -Zgzip --build "$root" \
    "$output/widerow_${release}_$architecture.deb" >/dev/null
  rm -rf "$root"
  echo "$output/widerow_${release}_$architecture.deb"
}
