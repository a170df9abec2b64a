#!/bin/bash
# Tries what `./widerow dist` made, as someone who has neither Java nor a checkout:
#
#   packaging/try.sh              the tar.gz, unpacked in an empty directory, with an empty environment,
#                                 and the checksums
#   packaging/try.sh --deb [URL]  also the .deb, in a minimal Debian that debootstrap makes (as root;
#                                 URL of a mirror): lintian, install, serve as the user widerow,
#                                 upgrade, purge
#   packaging/try.sh --image      also the image, with podman (as root): read-only, as any user, in
#                                 512 MiB
#   packaging/try.sh --twice      also builds the commit twice, in two clones: the same bytes
#
# Prints a line for each check and 'N passed, N failed' in the end. Needs curl and openssl.
set -euo pipefail
top=$(dirname -- "$(readlink -f -- "$0")")/..
output=$top/target/dist
work=$(mktemp -d)
passed=0
failed=0
daemon=

clean() {
  [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || true
  if [ -d "$work/pods" ]; then
    "${podman[@]}" rm --all --force >/dev/null 2>&1 || true
    umount "$work/pods/overlay" 2>/dev/null || true
  fi
  if [ -d "$work/debian/proc" ]; then
    umount "$work/debian/proc" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$work"
}
trap clean EXIT

check() { # name of the check, then a command that must succeed
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    passed=$((passed + 1))
    echo "ok      $what"
  else
    failed=$((failed + 1))
    echo "FAILED  $what"
    tail -n 20 "$work/said"
  fi
}

says() { # a pattern, then a command whose output must match it
  local pattern=$1
  shift
  "$@" >"$work/output" 2>&1 || true
  cat "$work/output"
  grep -Eq -- "$pattern" "$work/output"
}

fails_with() { # exit code, then a command
  local expected=$1 code=0
  shift
  "$@" || code=$?
  [ "$code" = "$expected" ]
}

port() { # prints one that nothing listens on
  local candidate
  while candidate=$((20000 + RANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null; do :; done
  echo "$candidate"
}

# The tar.gz's widerow gets nothing that this machine's environment has. Words, not a function: what
# is started in the background must be the daemon itself, not a shell around it.
bare=(env -i PATH=/usr/bin:/bin)

await() { # curl options and URL: until the daemon answers
  timeout 60 sh -c 'until curl -skf -o "$0" "$@"; do sleep 0.1; done' "$work/answer" "$@"
}

started() { # starts the daemon in the background with the arguments given
  "$@" >"$work/daemon.log" 2>&1 &
  daemon=$!
}

stopped() {
  kill "$daemon"
  wait "$daemon"
  daemon=
}

certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
    -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/key.pem" -out "$work/cert.pem"
  chmod 600 "$work/key.pem"
}

try_tarball() {
  local widerow http store=$work/store
  mkdir "$work/empty"
  tar -C "$work/empty" -xzf "$(ls "$output"/widerow-*-linux-"$(uname -m)".tar.gz)"
  mkdir "$work/bin"
  ln -s "$work"/empty/widerow-*/bin/widerow "$work/bin/widerow"
  widerow=$work/bin/widerow
  cd "$work/empty"
  http=127.0.0.1:$(port)

  check 'version names version, commit and Java' \
    says '^widerow [0-9.]+[^ ]*, commit [0-9a-f]{12}(-dirty)?, Java [0-9]+' "${bare[@]}" "$widerow" --version
  local command document
  for command in $(sed -n 's/^\([a-z]*\)|.*/\1/p' "$work"/empty/widerow-*/commands.psv); do
    check "$command --help" "${bare[@]}" "$widerow" "$command" --help
  done
  for command in test load dist; do
    check "$command is not there" fails_with 64 "${bare[@]}" "$widerow" "$command"
  done
  for document in ingest/OPERATIONS.md ingest/PROTOCOLS.md ingest/docs/CONFIGURATION.md query/QUERY.md; do
    check "$document is there" test -s "$(echo "$work"/empty/widerow-*/"$document")"
  done
  check 'no message names it ./widerow' fails_with 1 \
    says '\./widerow' "${bare[@]}" "$widerow" query --url http://127.0.0.1:1
  check 'completion' says 'complete -F' "${bare[@]}" "$widerow" completion
  check 'token' says '^[0-9a-f]{64}$' \
    "${bare[@]}" "$widerow" token reader --scopes query --append "$work/tokens"

  # The archives were made elsewhere and must fit here; only error lines may come from the JVM.
  started "${bare[@]}" WIDEROW_JAVA_OPTS="-Xlog:class+load:file=$work/classes.log" \
    "$widerow" serve --data "$store" --http "$http"
  check 'serve is ready' await "http://$http/ready"
  check 'nearly all classes come from its archive' mostly_archived "$work/classes.log"
  check 'curl writes an event' says '"accepted":1' curl -sf -H 'content-type: text/plain' \
    --data-binary 'hello out there' "http://$http/v1/events?type=app"
  check 'query reads it' says 'hello out there' "${bare[@]}" "$widerow" query --url "http://$http" --last 5
  check 'so do those of a query' query_mostly_archived
  check 'health' "${bare[@]}" "$widerow" health --url "http://$http"
  check 'query computes' says '\b1\b' "${bare[@]}" "$widerow" query --url "http://$http" --stats count
  check 'snapshot' "${bare[@]}" "$widerow" snapshot --url "http://$http" --to one
  check 'SIGTERM ends it with 0' stopped
  check 'the JVM complained of nothing' fails_with 1 grep -E 'WARNING|\[warning\]|OpenJDK' "$work/daemon.log"
  check 'verify' "${bare[@]}" "$widerow" check verify --data "$store"
  check 'query of a stopped store' says 'hello out there' "${bare[@]}" "$widerow" query --data "$store" --last 5
  check 'repair of a whole store' "${bare[@]}" "$widerow" check repair --data "$store"
  check 'verify of the snapshot' "${bare[@]}" "$widerow" check verify --data "$store-snapshots/one"

  check 'a certificate' certificate
  started "${bare[@]}" "$widerow" serve --data "$store" --http "$http" \
    --set "tokens=$work/tokens" --set "tls-certificate=$work/cert.pem" --set "tls-key=$work/key.pem"
  check 'serve over TLS is ready' await "https://$http/ready"
  check 'without a token it is refused' says '^401' curl -sk -o /dev/null -w '%{http_code}' "https://$http/v1/query?last=1"
  check 'SIGTERM ends it with 0' stopped
  check 'demo' says 'p99' "${bare[@]}" "$widerow" demo --data "$work/demo"
  cd "$top"
}

mostly_archived() { # at most one class in twelve comes from a jar or the runtime; hidden ones are made
  local read archived
  read=$(grep -Ec 'source: (jrt|file):' "$1" || true)
  archived=$(grep -c 'source: shared objects file' "$1")
  echo "$archived archived, $read read"
  [ "$archived" -ge $((read * 11)) ]
}

query_mostly_archived() {
  "${bare[@]}" WIDEROW_JAVA_OPTS="-Xlog:class+load:file=$work/classes.log" \
    "$widerow" query --url "http://$http" --last 5
  mostly_archived "$work/classes.log"
}

sums_are_right() { # of all artifacts
  cd "$output"
  sha256sum --check SHA256SUMS
  [ "$(ls)" = "$({ cut -c 67- SHA256SUMS; echo SHA256SUMS; } | LC_ALL=C sort)" ]
}

try_tree() { # what lies next to the program
  local file
  cd "$work"/empty/widerow-*/
  for file in LICENSE NOTICE THIRD-PARTY.txt; do
    check "$file is there" test -s "$file"
  done
  check 'each library has a license' says 'com.github.luben:zstd-jni:.* BSD-2-Clause' cat THIRD-PARTY.txt
  check 'the bill of materials is CycloneDX' says '"bomFormat" : "CycloneDX"' cat "$output"/*.cdx.json
  check 'SHA256SUMS is of all artifacts' sums_are_right
  cd "$top"
}

# A Debian package of version 0.0.1 with the same files, to upgrade from.
previous_package() { # package, the new file
  dpkg-deb -R "$1" "$work/previous"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$work/previous/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$work/previous" "$2"
  rm -rf "$work/previous"
}

package_archived() {
  "${as_widerow[@]}" env WIDEROW_JAVA_OPTS=-Xlog:class+load \
    widerow query --data /var/lib/widerow/store --last 5 >"$work/classes.log"
  mostly_archived "$work/classes.log"
}

unit_is_right() { # systemd is not in the minimal Debian
  sed "s|^ExecStart=/usr/bin/widerow|ExecStart=$debian/usr/lib/widerow/bin/widerow|" \
    "$debian/usr/lib/systemd/system/widerow.service" >"$work/widerow.service"
  systemd-analyze verify "$work/widerow.service" 2>&1 | tee "$work/unit"
  ! grep -q widerow "$work/unit"
}

try_package() { # mirror
  local package http debian inside as_widerow
  debian=$work/debian
  inside=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C
    chroot "$debian")
  as_widerow=("${inside[@]}" setpriv --reuid=widerow --regid=widerow --clear-groups)
  package=$(ls "$output"/widerow_*_"$(dpkg --print-architecture)".deb)
  check 'a minimal Debian' debootstrap --variant=minbase bookworm "$debian" ${1:+"$1"}
  [ -d "$debian/proc" ] || return 0
  mount -t proc proc "$debian/proc"
  cp "$package" "$debian/tmp/widerow.deb"
  check 'lintian has no error' lintian --fail-on error --display-level '>=error' "$package"
  check 'an earlier package' previous_package "$package" "$debian/tmp/previous.deb"
  check 'it has no Java' fails_with 127 "${inside[@]}" java -version
  check 'install' "${inside[@]}" apt-get install -y --no-install-recommends /tmp/previous.deb
  check 'the unit is right for systemd' unit_is_right
  check 'widerow in /usr/bin' says '^widerow ' "${inside[@]}" widerow --version
  check 'the data directory is of widerow alone' says '^widerow:widerow 700$' \
    "${inside[@]}" stat -c '%U:%G %a' /var/lib/widerow
  check 'documents, license and notice are in /usr/share/doc' "${inside[@]}" sh -c \
    'cd /usr/share/doc/widerow && test -s copyright && test -s NOTICE && test -s ingest/docs/CONFIGURATION.md'
  check 'the unit is enabled' "${inside[@]}" test -L /etc/systemd/system/multi-user.target.wants/widerow.service
  check 'the configuration is a conffile' says widerow.conf "${inside[@]}" dpkg-query -W -f '${Conffiles}' widerow

  http=127.0.0.1:$(port)
  sed -i "s/^http=.*/http=$http/" "$debian/etc/widerow/widerow.conf"
  check 'the configuration is read' says "$http" \
    "${as_widerow[@]}" widerow serve --config /etc/widerow/widerow.conf --print-config
  started "${as_widerow[@]}" widerow serve --config /etc/widerow/widerow.conf
  check 'serve is ready as user widerow' await "http://$http/ready"
  check 'its process is of widerow' says '^widerow$' "${inside[@]}" stat -c %U "/proc/$daemon"
  check 'curl writes an event' says '"accepted":1' curl -sf -H 'content-type: text/plain' \
    --data-binary 'hello package' "http://$http/v1/events?type=app"
  check 'query reads it' says 'hello package' "${inside[@]}" widerow query --url "http://$http" --last 5
  check 'SIGTERM ends it with 0' stopped
  check 'verify' "${as_widerow[@]}" widerow check verify --data /var/lib/widerow/store

  check 'upgrade' "${inside[@]}" apt-get install -y -o Dpkg::Options::=--force-confold /tmp/widerow.deb
  check 'the version is the new one' fails_with 1 \
    says '^0\.0\.1$' "${inside[@]}" dpkg-query -W -f '${Version}\n' widerow
  check 'the events stay' says 'hello package' \
    "${as_widerow[@]}" widerow query --data /var/lib/widerow/store --last 5
  check 'its class archive fits there' package_archived
  check 'the changed configuration stays' grep -q "$http" "$debian/etc/widerow/widerow.conf"
  try_readme
  check 'remove' "${inside[@]}" apt-get remove -y widerow
  check 'remove keeps the configuration' test -f "$debian/etc/widerow/widerow.conf"
  check 'purge says that the data stays' says '/var/lib/widerow' "${inside[@]}" apt-get purge -y widerow
  check 'purge deletes the configuration' test ! -e "$debian/etc/widerow"
  check 'purge keeps the data' test -d "$debian/var/lib/widerow/store"
  check 'nothing else is left' left_nothing
}

# The README from top to bottom. Its daemon listens on the port that the README names.
try_readme() {
  local command line
  check 'curl' "${inside[@]}" apt-get install -y --no-install-recommends curl
  check 'README: widerow demo' "${inside[@]}" sh -c 'cd /root && widerow demo'
  started "${inside[@]}" sh -c 'cd /root && exec widerow serve --data store'
  check 'README: widerow serve' await http://127.0.0.1:7380/ready
  while IFS=$'\t' read -r command line; do
    check "README: $command" readme_shows "$command" "$line"
  done < <(readme_commands)
  check 'SIGTERM ends it with 0' stopped
}

readme_commands() { # prints each command, a tab, and the first line that it shows
  awk '
    /^```/ { code = !code; command = ""; next }
    !code { next }
    more { sub(/^ +/, ""); command = command " " $0; more = sub(/ \\$/, "", command); next }
    /^\$ / { command = substr($0, 3); more = sub(/ \\$/, "", command); next }
    command != "" { print command "\t" $0; command = "" }' "$top/README.md"
}

# The README shows what a terminal shows.
readme_shows() { # a command of the README, the first line that it shows: but for numbers and ids
  local typed="export NO_COLOR=1; cd /root && ${1//.\/widerow/widerow}"
  script -qec "$(printf '%q ' "${inside[@]}" sh -c "$typed")" /dev/null </dev/null >"$work/output" 2>&1
  cat "$work/output"
  without_numbers <"$work/output" | grep -qF -- "$(without_numbers <<<"${2%...}")"
}

without_numbers() {
  sed 's/[0-9a-f]\{1,\}/0/g'
}

left_nothing() {
  ! find "$debian/usr" "$debian/etc" -path '*widerow*' ! -path "$debian/etc/passwd*" | grep .
}

image_fits() { # at most 110 MB
  ls -l "$image"
  [ "$(wc -c <"$image")" -le 110000000 ]
}

# What an image is started with here. Its defaults for limits of files and processes are above those of
# a container in which this script may run, and crun does not start with two versions of cgroups.
podman_here() {
  podman=(podman --root "$work/pods" --runroot "$work/run" --cgroup-manager cgroupfs)
  if [ -d /sys/fs/cgroup/unified ]; then
    podman+=(--runtime "$(command -v runc)")
  fi
  limits=(--ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --ulimit nproc=1000:1000)
  locked_down=("${limits[@]}" --network host --read-only --read-only-tmpfs=false --cap-drop all
    --security-opt no-new-privileges --memory 512m --memory-swap 512m)
}

image_archived() {
  "${podman[@]}" run --rm "${locked_down[@]}" --user 12345:12345 --volume data:/data \
    --env WIDEROW_JAVA_OPTS=-Xlog:class+load "$name" query --data /data/store --last 5 \
    >"$work/classes.log"
  mostly_archived "$work/classes.log"
}

exit_of_container() {
  "${podman[@]}" inspect -f '{{.State.ExitCode}} {{.State.OOMKilled}}' "$1"
}

starts_soon() { # at least once in three: the machine may have something else to do
  local begun took try
  for try in 1 2 3; do
    begun=$(date +%s%N)
    "${podman[@]}" run -d --rm --name soon "${locked_down[@]}" --volume "soon$try:/data" \
      --env "WIDEROW_HTTP=$http" "$name"
    await "http://$http/ready"
    curl -sf -H 'content-type: text/plain' --data-binary soon "http://$http/v1/events?type=app"
    curl -sf "http://$http/v1/query?type=app&since=1h" | grep soon
    took=$((($(date +%s%N) - begun) / 1000000))
    "${podman[@]}" stop --time 60 soon
    echo "took $took ms"
    [ "$took" -gt 5000 ] || return 0
  done
  return 1
}

try_image() {
  local image http name
  image=$(echo "$output"/widerow-*-oci-*.tar)
  podman_here
  check 'the image has at most 110 MB' image_fits
  check 'skopeo reads it' says '"Os": "linux"' skopeo inspect "oci-archive:$image"
  check 'podman load' "${podman[@]}" load -i "$image"
  name=$("${podman[@]}" images --format '{{.Repository}}:{{.Tag}}' | head -n 1)
  check 'its user is 65532' says '^65532:65532$' "${podman[@]}" inspect -f '{{.Config.User}}' "$name"
  check 'widerow --version' says '^widerow ' "${podman[@]}" run --rm "${locked_down[@]}" "$name" --version

  http=127.0.0.1:$(port)
  check 'run, read-only, as another user, in 512 MiB' "${podman[@]}" run -d --name one \
    "${locked_down[@]}" --user 12345:12345 --volume data:/data --env "WIDEROW_HTTP=$http" "$name"
  check 'it is ready' await "http://$http/ready"
  check 'curl writes an event' says '"accepted":1' curl -sf -H 'content-type: text/plain' \
    --data-binary 'hello image' "http://$http/v1/events?type=app"
  check 'the event is queried' says 'hello image' curl -sf "http://$http/v1/query?type=app&since=1h"
  check 'the program queries it in the container' says 'hello image' \
    "${podman[@]}" exec one widerow query --url "http://$http" --last 5
  check 'widerow health' "${podman[@]}" exec one widerow health --url "http://$http"
  check 'a shell has no more than the launcher needs' fails_with 127 "${podman[@]}" exec one wget
  check 'SIGTERM' "${podman[@]}" stop --time 60 one
  check 'ends it with 0' says '^0 false$' exit_of_container one
  check 'the JVM complained of nothing' fails_with 1 \
    says 'WARNING|\[warning\]|OpenJDK' "${podman[@]}" logs one
  check 'its volume keeps the events' says 'hello image' "${podman[@]}" run --rm "${locked_down[@]}" \
    --user 12345:12345 --volume data:/data "$name" query --data /data/store --last 5
  check '5 s from a start to the first event queried' starts_soon
  check 'its class archive fits there' image_archived
  check 'without tokens it refuses other machines' fails_with 64 \
    "${podman[@]}" run --rm "${locked_down[@]}" "$name"
  check 'the demo, in 512 MiB' says 'p99' "${podman[@]}" run --name demo "${locked_down[@]}" \
    --volume demo:/data "$name" demo --data /data/demo
  check 'had memory enough' says '^0 false$' exit_of_container demo
}

built_twice() {
  local clone
  for clone in one another-one; do
    git clone -q "$top" "$work/$clone"
    "$work/$clone/widerow" dist
  done
  diff "$work/one/target/dist/SHA256SUMS" "$work/another-one/target/dist/SHA256SUMS"
}

try_tarball
try_tree
while [ $# -gt 0 ]; do
  case $1 in
    --deb)
      mirror=
      case ${2:-} in
        *:*)
          mirror=$2
          shift
          ;;
      esac
      try_package "$mirror"
      ;;
    --image) try_image ;;
    --twice) check 'two builds of the commit are the same' built_twice ;;
    *)
      echo "try.sh: no such option, got $1" >&2
      exit 64
      ;;
  esac
  shift
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
