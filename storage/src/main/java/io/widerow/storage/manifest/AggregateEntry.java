package io.widerow.storage.manifest;

/// The manifest's entry of a file of aggregates whose events are gone.
///
/// @param id gives the file its name; from the same numbers as ids of segments
/// @param bytes size of the file
/// @param events events that it counts
/// @param fromNanos start of its first bucket, nanoseconds since the Unix epoch
/// @param untilNanos end of its last bucket
/// @param keepNanos how long it is kept from then on, as it was decided when it was written
public record AggregateEntry(
    long id, long bytes, long events, long fromNanos, long untilNanos, long keepNanos) {
  /// End of the files' names.
  public static final String SUFFIX = ".fig";

  /// Name of the file. It never depends on input.
  public String fileName() {
    return FileName.of(id, SUFFIX);
  }

  /// The id in a file's name; negative for another name.
  public static long idOf(String name) {
    return FileName.idOf(name, SUFFIX);
  }
}
