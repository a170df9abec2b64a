package io.widerow.ingest.serve.prometheus;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The name of a label in a path, where Prometheus 3 escapes it: `U__k8s_2e_pod` is `k8s.pod`.
///
/// Source: prometheus/common `model/metric.go`.
final class EscapedName {
  private static final String PREFIX = "U__";

  /// A part of an escaped name: two underscores, a character in hexadecimal digits, or another.
  private static final Pattern PART = Pattern.compile("__|_([0-9a-fA-F]{1,6})_|[^_]");

  private EscapedName() {}

  /// The name; the text itself when it is not escaped.
  static String decode(String text) {
    if (!text.startsWith(PREFIX)) {
      return text;
    }
    StringBuilder name = new StringBuilder();
    Matcher parts = PART.matcher(text).region(PREFIX.length(), text.length());
    while (parts.lookingAt()) {
      append(parts, name);
      parts.region(parts.end(), text.length());
    }
    return parts.regionStart() == text.length() ? name.toString() : text;
  }

  private static void append(MatchResult part, StringBuilder name) {
    String hex = part.group(1);
    if (hex == null) {
      name.append(part.group().charAt(0));
    } else {
      int character = Integer.parseInt(hex, 16);
      name.appendCodePoint(Character.isValidCodePoint(character) ? character : 0xfffd);
    }
  }
}
