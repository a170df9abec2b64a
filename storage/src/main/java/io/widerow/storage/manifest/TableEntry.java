package io.widerow.storage.manifest;

/// The entry of a file in the manifest of the tables.
///
/// @param id never used for another file
/// @param rows keys in it
public record TableEntry(long id, long bytes, long rows) {
  private static final String SUFFIX = ".tab";

  public String fileName() {
    return FileName.of(id, SUFFIX);
  }

  /// The id in a file's name; negative for another name.
  public static long idOf(String name) {
    return FileName.idOf(name, SUFFIX);
  }
}
