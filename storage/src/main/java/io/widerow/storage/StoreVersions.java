package io.widerow.storage;

/// The versions of Widerow that a store records for its operator.
///
/// @param created the version that made the directory a store; [#UNKNOWN] when it was lost
/// @param written the version that opened it for writing last; [#UNKNOWN] when it was lost
public record StoreVersions(String created, String written) {
  /// No version is recorded.
  public static final String UNKNOWN = "unknown";

  /// Those of a store without a record.
  public static final StoreVersions NONE = new StoreVersions(UNKNOWN, UNKNOWN);
}
