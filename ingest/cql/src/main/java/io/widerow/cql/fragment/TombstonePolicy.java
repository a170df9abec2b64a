package io.widerow.cql.fragment;

/// The rule by which a merge drops tombstones and expired cells: if nothing remains that they could
/// hide.
///
/// @param before microseconds: older tombstones may be dropped. [Long#MIN_VALUE] to drop nothing
/// @param expiredBefore Unix time in seconds: cells that expired before it may be dropped
public record TombstonePolicy(long before, long expiredBefore) {
  public static final TombstonePolicy NOTHING = new TombstonePolicy(Long.MIN_VALUE, Long.MIN_VALUE);

  public boolean deleted(long timestamp) {
    return timestamp < before;
  }

  public boolean expired(long timestamp, long expiry) {
    return timestamp < before && expiry < expiredBefore;
  }
}
