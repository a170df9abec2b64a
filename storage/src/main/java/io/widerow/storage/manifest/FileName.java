package io.widerow.storage.manifest;

/// Names of the files that the manifests list: an id as 16 hex digits, and the suffix of their
/// kind. A name never depends on input.
final class FileName {
  private static final int ID_DIGITS = 16;

  private FileName() {}

  static String of(long id, String suffix) {
    return "%016x".formatted(id) + suffix;
  }

  /// The id in a name; negative for another name.
  static long idOf(String name, String suffix) {
    if (name.length() != ID_DIGITS + suffix.length() || !name.endsWith(suffix)) {
      return -1;
    }
    try {
      return Long.parseUnsignedLong(name.substring(0, ID_DIGITS), 16);
    } catch (NumberFormatException noId) {
      return -1;
    }
  }
}
