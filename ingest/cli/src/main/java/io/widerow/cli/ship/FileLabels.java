package io.widerow.cli.ship;

import io.widerow.ingest.decode.KubernetesLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The labels that follow from the name of a file.
///
/// | path | type | attributes besides `file` |
/// |---|---|---|
/// | `app.log`, `app.log.1`, `app-20261120.log.gz` | `app` | |
/// | `POD_NAMESPACE_NAME-ID.log` | `NAME` | `pod`, `namespace`, `container`, `container_id` |
/// | `NAMESPACE_POD_UID/NAME/0.log` | `NAME` | `pod`, `namespace`, `container`, `pod_uid` |
/// | `ID-json.log` | `docker` | `container_id` |
///
/// `ID` is 64 hex digits. A record that is a JSON object has no label with the name of one of its
/// own members.
///
/// - Threads: any; it never changes.
///
/// @param type the type of records that name none
/// @param names the names of the members, in UTF-8
/// @param ends of each member
@SuppressWarnings("ArrayRecordComponent") // never compared
record FileLabels(String type, byte[] members, List<byte[]> names, int[] ends) {
  private static final Pattern POD =
      Pattern.compile(".*/([^_/]+)_([^_/]+)_([^_/]+)/([^/]+)/\\d+\\.log(?:\\..*)?");
  private static final Pattern DOCKER =
      Pattern.compile("([0-9a-f]{64})-json\\.log(?:\\.\\d+)?(?:\\.gz)?");

  /// Suffixes of rotation, compression and text kind after the name.
  private static final Pattern ENDING =
      Pattern.compile(
          "(?i)[.](log|txt|json|jsonl|ndjson|out|err|gz|zst|zstd)$"
              + "|[.]\\d{1,4}$"
              + "|[-._](\\d{8}(-?\\d{2,10})?|\\d{4}-\\d{2}-\\d{2}([T_-]?[\\d:-]+)?)$");

  private static final int TYPE_BYTES_MAX = 128;

  /// Puts the beginning of a record as JSON: a brace, and members that end with a comma.
  ///
  /// @param except the members that it does not get
  void put(JsonBuffer out, BitSet except) {
    if (except.isEmpty()) {
      out.put(members);
      return;
    }
    out.put("{");
    int from = 1;
    for (int i = 0; i < ends.length; i++) {
      if (!except.get(i)) {
        out.put(members, from, ends[i] - from);
      }
      from = ends[i];
    }
  }

  /// @param path as the file was first found
  /// @param type of all files; null for that of the name
  /// @param attributes more members, which win over those of the name
  static FileLabels of(Path path, @Nullable String type, Map<String, String> attributes) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("file", path.toString());
    String named = named(path.toString(), all);
    all.putAll(attributes);
    return of(type == null ? named : type, all);
  }

  /// Of what has no name.
  static FileLabels ofInput(String type, Map<String, String> attributes) {
    return of(type, attributes);
  }

  private static FileLabels of(String type, Map<String, String> all) {
    JsonBuffer json = new JsonBuffer(256);
    json.put("{");
    List<byte[]> names = new ArrayList<>();
    int[] ends = new int[all.size()];
    all.forEach((name, value) -> {
      json.putString(name);
      json.put(":");
      json.putString(value);
      json.put(",");
      ends[names.size()] = json.length();
      names.add(name.getBytes(StandardCharsets.UTF_8));
    });
    return new FileLabels(type, json.copy(json.length()), List.copyOf(names), ends);
  }

  /// Puts the attributes that a path has, and returns its type.
  private static String named(String path, Map<String, String> all) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    KubernetesLog kubernetes = KubernetesLog.of(name);
    if (kubernetes != null) {
      all.put("pod", kubernetes.pod());
      all.put("namespace", kubernetes.namespace());
      all.put("container", kubernetes.container());
      all.put("container_id", kubernetes.containerId());
      return shortened(kubernetes.container());
    }
    Matcher pod = POD.matcher(path);
    if (pod.matches()) {
      all.put("pod", pod.group(2));
      all.put("namespace", pod.group(1));
      all.put("container", pod.group(4));
      all.put("pod_uid", pod.group(3));
      return shortened(pod.group(4));
    }
    Matcher docker = DOCKER.matcher(name);
    if (docker.matches()) {
      all.put("container_id", docker.group(1));
      return "docker";
    }
    return shortened(stem(name));
  }

  /// Takes endings off a name as long as something is left of it.
  private static String stem(String name) {
    String left = name;
    while (true) {
      Matcher ending = ENDING.matcher(left);
      if (!ending.find() || ending.start() == 0) {
        return left;
      }
      left = left.substring(0, ending.start());
    }
  }

  private static String shortened(String type) {
    String text = type;
    while (text.getBytes(StandardCharsets.UTF_8).length > TYPE_BYTES_MAX) {
      text = text.substring(0, text.length() - 1);
    }
    return text.isEmpty() ? "file" : text;
  }
}
