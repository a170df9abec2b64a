package io.widerow.storage.fragment;

/// What a merge forgets: tombstones, and cells that have expired, if nothing is left that they
/// could hide.
///
/// @param before microseconds: what is older may be forgotten. [Long#MIN_VALUE] to forget nothing
/// @param expiredBefore Unix time in seconds: what expired before may be forgotten
public record Purge(long before, long expiredBefore) {
  public static final Purge NOTHING = new Purge(Long.MIN_VALUE, Long.MIN_VALUE);

  public boolean deleted(long timestamp) {
    return timestamp < before;
  }

  public boolean expired(long timestamp, long expiry) {
    return timestamp < before && expiry < expiredBefore;
  }
}
