package io.widerow.storage.manifest;

import java.util.Locale;

/// What the manifest of the tables says about a file.
///
/// @param id never used for another file
/// @param rows keys in it
public record TableEntry(long id, long bytes, long rows) {
  private static final String SUFFIX = ".tab";
  private static final int NAME_CHARS = 20;

  public String fileName() {
    return String.format(Locale.ROOT, "%016x%s", id, SUFFIX);
  }

  /// The id in a file's name; negative for another name.
  public static long idOf(String name) {
    if (name.length() != NAME_CHARS || !name.endsWith(SUFFIX)) {
      return -1;
    }
    try {
      return Long.parseUnsignedLong(name.substring(0, 16), 16);
    } catch (NumberFormatException noId) {
      return -1;
    }
  }
}
