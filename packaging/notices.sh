# Sourced by packaging/dist.sh: the bill of materials, and the notices that are made from it.
# shellcheck shell=sh disable=SC2154 # dist.sh sets where things lie

write_notices() { # into the distribution; the bill of materials also next to it
  module=${checkout_jar#"$checkout"/}
  module=${module%/target/*}
  (cd "$checkout" && mvn -B -q -Pdraft -pl "$module" -am -DskipTests org.cyclonedx:cyclonedx-maven-plugin:makeBom) \
    >"$stage/log" 2>&1 || fail "no bill of materials: $(tail -n 3 "$stage/log")"
  bom=$checkout/$module/target/bom.json
  cp "$checkout/LICENSE" "$checkout/NOTICE" "$tree"
  {
    echo "Libraries in lib/, each with its license:"
    echo
    components | list_jars
    echo
    cat "$checkout/packaging/licenses.txt"
  } >"$tree/THIRD-PARTY.txt"
  cp "$bom" "$output/$name.cdx.json"
}

components() { # prints `name-version group:name:version licenses` of each of the bill
  awk -F '"' '
    /^  "components" :/ { listed = 1 }
    /^  "dependencies" :/ { listed = 0 }
    !listed { next }
    /^    {/ { licenses = "" }
    /^      "(group|name|version)" :/ { member[$2] = $4 }
    /^ +"(id|expression)" :/ || /^            "name" :/ {
      licenses = licenses (licenses == "" ? "" : " or ") $4
    }
    /^    }/ {
      print member["name"] "-" member["version"], \
        member["group"] ":" member["name"] ":" member["version"], licenses
    }' "$bom" | LC_ALL=C sort -u
}

list_jars() { # of components: those in lib/; fails for a jar without a license
  cat >"$stage/components"
  for jar in "$jars"/*.jar; do
    file=${jar##*/}
    found=$(awk -v file="${file%.jar}" '
      file == $1 || index(file, $1 "-linux-") == 1 || file == $1 "-native" {
        name = $2
        $1 = $2 = ""
        print name " " $0
        exit
      }' "$stage/components")
    case $jar:$found in
      *-"$version".jar:* | *:*\ *[a-zA-Z]*) ;;
      *) fail "$file: the bill of materials has no license for it" ;;
    esac
    case $found in
      '' | io.widerow:*) ;;
      *) echo "  $found" ;;
    esac
  done
}
