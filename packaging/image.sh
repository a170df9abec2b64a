# Sourced by packaging/dist.sh: makes widerow-VERSION-oci-ARCH.tar from the distribution, an OCI image
# in one file that `podman load` and `skopeo copy oci-archive:FILE` take, without a container engine.
#
# The image has no base. It has the C library of the machine that builds it, all that the runtime and
# the natives link to, and a static busybox, because the launcher is a shell script: so the image runs
# the launcher of the package, with its JVM options and commands, also in `podman exec NAME widerow
# query --last 5`. Only the tools that the launcher uses have a name in the image.
# shellcheck shell=sh disable=SC2154 # dist.sh sets where things lie

tools='awk cat cut dirname grep head ls mkdir mv nproc readlink rm sed sh sort tail tr uname wc'

make_image() {
  busybox=$(readlink -f "$(command -v busybox)")
  ! ldd "$busybox" >/dev/null 2>&1 || fail "$busybox: is not static; install busybox-static"
  case $machine in
    x86_64) platform=amd64 ;;
    aarch64) platform=arm64 ;;
    *) fail "no name of $machine in images is known" ;;
  esac
  blobs=$stage/image/blobs/sha256
  root=$stage/root
  mkdir -p "$blobs"
  layers=
  contents=
  make_base
  add_layer
  place runtime native
  add_layer
  place lib logs
  add_layer
  place bin caches commands.psv widerow.properties ingest query LICENSE NOTICE THIRD-PARTY.txt
  ln -s ../lib/widerow/bin/widerow "$root/usr/bin/widerow"
  mkdir "$root/etc" "$root/etc/widerow"
  sed -e 's|^data=.*|data=/data/store|' -e 's|^http=.*|http=0.0.0.0:7380|' "$tree/widerow.conf" \
    >"$root/etc/widerow/widerow.conf"
  add_layer
  describe_image
  file=$output/widerow-$version-oci-$platform.tar
  pack_tree "$stage/image" blobs index.json oci-layout >"$file"
  rm -rf "$stage/image"
  echo "$file"
}

place() { # names in the distribution: puts them into the layer
  mkdir -p "$root/usr/lib/widerow" "$root/usr/bin"
  for part in "$@"; do
    cp -Rp "$tree/$part" "$root/usr/lib/widerow"
  done
}

make_base() { # what a program finds on any Linux
  mkdir -p "$root/usr/bin" "$root/etc" "$root/usr/share/doc" "$root/tmp" "$root/data"
  cp "$busybox" "$root/usr/bin/busybox"
  for tool in $tools; do
    ln -s busybox "$root/usr/bin/$tool"
  done
  ln -s usr/bin "$root/bin"
  libraries | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
  # Any user may run it: the directories for data are open to all, as /tmp is.
  chmod 1777 "$root/tmp" "$root/data"
  echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"
  echo 'widerow:x:65532:65532:widerow:/data:/bin/sh' >>"$root/etc/passwd"
  printf 'root:x:0:\nwiderow:x:65532:\n' >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  for package in libc6 busybox-static; do
    if [ -f "/usr/share/doc/$package/copyright" ]; then
      mkdir -p "$root/usr/share/doc/$package"
      {
        dpkg-query -W -f 'Source package: ${source:Package} ${source:Version}\n\n' "$package"
        cat "/usr/share/doc/$package/copyright"
      } >"$root/usr/share/doc/$package/copyright"
    fi
  done
}

libraries() { # prints the loader and the libraries of the system that programs here link to
  find "$tree/runtime" "$tree/native" -type f \( -name '*.so' -o -path '*/bin/java' \) \
    -exec ldd {} \; 2>/dev/null | grep -o '/[^ ]*' | grep -v "^$tree" | LC_ALL=C sort -u
}

blob() { # moves a file to its place among the blobs; sets digest and size
  digest=$(sha256sum <"$1" | cut -d ' ' -f 1)
  size=$(wc -c <"$1")
  mv "$1" "$blobs/$digest"
}

add_layer() { # of what is in root, which is empty afterwards
  chmod -R u+rwX,go+rX,go-w "$root"
  [ ! -d "$root/data" ] || chmod 1777 "$root/tmp" "$root/data"
  # shellcheck disable=SC2046 # the names have no spaces
  pack_tree "$root" $(ls "$root") >"$stage/layer"
  contents="$contents${contents:+, }\"sha256:$(sha256sum <"$stage/layer" | cut -d ' ' -f 1)\""
  gzip -9n "$stage/layer"
  blob "$stage/layer.gz"
  layers="$layers${layers:+, }{\"mediaType\": \"application/vnd.oci.image.layer.v1.tar+gzip\",
    \"digest\": \"sha256:$digest\", \"size\": $size}"
  rm -rf "$root"
}

# The member Healthcheck is Docker's; podman takes it from --health-cmd.
describe_image() {
  created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
  cat >"$stage/config" <<END
{"created": "$created", "architecture": "$platform", "os": "linux",
 "config": {
  "User": "65532:65532",
  "ExposedPorts": {"7380/tcp": {}},
  "Env": ["PATH=/usr/bin", "LC_ALL=C.UTF-8"],
  "Entrypoint": ["widerow"],
  "Cmd": ["serve", "--config", "/etc/widerow/widerow.conf"],
  "Volumes": {"/data": {}},
  "WorkingDir": "/data",
  "StopSignal": "SIGTERM",
  "Healthcheck": {"Test": ["CMD", "widerow", "health"], "Interval": 30000000000,
   "Timeout": 10000000000, "StartPeriod": 60000000000},
  "Labels": {
   "org.opencontainers.image.title": "widerow",
   "org.opencontainers.image.description": "Log and metric store",
   "org.opencontainers.image.licenses": "Apache-2.0",
   "org.opencontainers.image.version": "$version",
   "org.opencontainers.image.revision": "$(commit)"}},
 "rootfs": {"type": "layers", "diff_ids": [$contents]}}
END
  blob "$stage/config"
  cat >"$stage/manifest" <<END
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "config": {"mediaType": "application/vnd.oci.image.config.v1+json",
  "digest": "sha256:$digest", "size": $size},
 "layers": [$layers]}
END
  blob "$stage/manifest"
  cat >"$stage/image/index.json" <<END
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
 {"mediaType": "application/vnd.oci.image.manifest.v1+json",
  "digest": "sha256:$digest", "size": $size,
  "platform": {"architecture": "$platform", "os": "linux"},
  "annotations": {"org.opencontainers.image.ref.name": "$version",
   "io.containerd.image.name": "localhost/widerow:$version"}}]}
END
  echo '{"imageLayoutVersion": "1.0.0"}' >"$stage/image/oci-layout"
}
