#!/bin/sh
# What the release workflow does between building and publishing:
#
#   packaging/release.sh check TAG         fails unless TAG is v and the version, which is no SNAPSHOT
#   packaging/release.sh gather FROM TO    takes what the builds of all architectures made, with one
#                                          SHA256SUMS; what several made must be the same
#   packaging/release.sh push FROM TARGET  puts the images as one of several architectures where TARGET
#                                          says, for example docker://ghcr.io/OWNER/NAME or dir:PATH:
#                                          under the version, and of a version without a dash as latest
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$top/pom.xml")

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

check() { # tag
  [ "$1" = "v$version" ] || fail "tag: the version of pom.xml is $version, got $1"
  case $version in
    *-SNAPSHOT) fail "version: a release is no SNAPSHOT, got $version" ;;
  esac
  chart=$(sed -n 's/^appVersion: *//p' "$top/packaging/helm/widerow/Chart.yaml")
  [ "$chart" = "$version" ] || fail "appVersion of the chart: expected $version, got $chart"
}

gather() { # from, to
  mkdir "$2"
  find "$1" -type f ! -name SHA256SUMS | LC_ALL=C sort | while read -r file; do
    name=${file##*/}
    [ ! -f "$2/$name" ] || cmp "$file" "$2/$name" || exit 1
    cp "$file" "$2/$name"
  done
  for sums in "$(readlink -f "$1")"/*/SHA256SUMS; do
    (cd "$2" && sha256sum --check --quiet "$sums") || fail "$sums: an artifact differs"
  done
  (cd "$2" && sha256sum -- * >../sums.new)
  mv "$2/../sums.new" "$2/SHA256SUMS"
}

push() { # from, target
  list=widerow-release-$$
  podman manifest create "$list" >/dev/null
  for file in "$1"/widerow-*-oci-*.tar; do
    podman manifest add "$list" "oci-archive:$file" >/dev/null
  done
  case $2 in
    *://*) podman manifest push --all "$list" "$2:$version" ;;
    *) podman manifest push --all "$list" "$2" ;;
  esac
  case $2:$version in
    *-*) ;;
    *://*) podman manifest push --all "$list" "$2:latest" ;;
  esac
  podman manifest rm "$list" >/dev/null
}

case ${1:-}:$# in
  check:2 | gather:3 | push:3) "$@" ;;
  *) fail "usage: check TAG | gather FROM TO | push FROM TARGET, got $*" ;;
esac
