package io.widerow.ingest.http;

import java.util.Locale;

/// Decides whether a request path is spelled exactly as the path of its endpoint. A proxy that
/// permits some paths only would take other spellings for other paths.
final class CanonicalPathFilter {
  private static final String PREFIX = "prefix:";

  private CanonicalPathFilter() {}

  /// @param path of an endpoint, see [HttpRoute]
  /// @param raw the path as it was sent, perhaps with a query
  static boolean isWrittenAs(String path, String raw) {
    int query = raw.indexOf('?');
    String sent = query < 0 ? raw : raw.substring(0, query);
    if (path.startsWith(PREFIX)) {
      String prefix = path.substring(PREFIX.length());
      return sent.startsWith(prefix) && areSegments(sent.substring(prefix.length()));
    }
    if (path.indexOf('{') < 0) {
      return sent.equals(path);
    }
    String[] wanted = path.split("/", -1);
    String[] given = sent.split("/", -1);
    if (wanted.length != given.length) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      boolean any = wanted[i].startsWith("{");
      if (any ? given[i].isEmpty() || !isSegment(given[i]) : !wanted[i].equals(given[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean areSegments(String rest) {
    if (rest.isEmpty()) {
      return true;
    }
    for (String segment : rest.split("/", -1)) {
      if (segment.isEmpty() || !isSegment(segment)) {
        return false;
      }
    }
    return true;
  }

  /// Percent signs may stand for what a path cannot hold, not for what changes it.
  private static boolean isSegment(String segment) {
    String lower = segment.toLowerCase(Locale.ROOT);
    return segment.indexOf(';') < 0
        && !lower.contains("%2f")
        && !lower.contains("%2e")
        && !lower.contains("%5c")
        && !lower.contains("%00")
        && !segment.equals(".")
        && !segment.equals("..");
  }
}
