# Sourced by packaging/dist.sh: makes the .deb from the distribution.
# shellcheck shell=sh disable=SC2154 # dist.sh sets where things lie

package_for_debian() { # a version that grows with each commit: 0.1.0~20261125.0301.131fe76d4866
  architecture=$(dpkg --print-architecture)
  day=$(date -u -d "@$epoch" +%Y%m%d.%H%M)
  release=${version%-SNAPSHOT}
  [ "$release" = "$version" ] || release=$release~$day
  root=$stage/deb
  mkdir -p "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin" "$root/etc/widerow" \
    "$root/usr/lib/systemd/system" "$root/usr/share/doc/widerow"
  cp -Rp "$tree" "$root/usr/lib/widerow"
  mv "$root/usr/lib/widerow/widerow.service" "$root/usr/lib/systemd/system"
  mv "$root/usr/lib/widerow/widerow.conf" "$root/etc/widerow"
  {
    cat "$tree/NOTICE"
    printf '\nOn Debian systems the text of this license is in\n/usr/share/common-licenses/Apache-2.0.\n\n'
    cat "$tree/THIRD-PARTY.txt"
  } >"$root/usr/share/doc/widerow/copyright"
  rm "$root/usr/lib/widerow/LICENSE" "$root/usr/lib/widerow/THIRD-PARTY.txt"
  mv "$root/usr/lib/widerow/NOTICE" "$root/usr/lib/widerow/ingest" "$root/usr/lib/widerow/query" \
    "$root/usr/lib/widerow/packaging" \
    "$root/usr/share/doc/widerow"
  cat >"$root/usr/share/doc/widerow/changelog" <<END
widerow ($release) unstable; urgency=medium

  * The changes of each version are in CHANGELOG.md of the sources.

 -- Widerow maintainers <maintainers@widerow.invalid>  $(LC_ALL=C date -u -R -d "@$epoch")
END
  gzip -9n "$root/usr/share/doc/widerow/changelog"
  mkdir -p "$root/usr/share/lintian/overrides"
  cp "$checkout/packaging/lintian-overrides" "$root/usr/share/lintian/overrides/widerow"
  ln -s ../lib/widerow/bin/widerow "$root/usr/bin/widerow"
  cp "$checkout"/packaging/debian/* "$root/DEBIAN"
  chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
  size=$(du -sk --exclude=DEBIAN "$root" | cut -f 1)
  sed -i -e "s/@version@/$release/" -e "s/@architecture@/$architecture/" -e "s/@size@/$size/" \
    "$root/DEBIAN/control"
  settle "$root"
  dpkg-deb --root-owner-group -Zgzip -z6 --build "$root" \
    "$output/widerow_${release}_$architecture.deb" >/dev/null
  rm -rf "$root"
  echo "$output/widerow_${release}_$architecture.deb"
}
