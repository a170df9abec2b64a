package io.widerow.storage;

/// What opening a store found and did.
///
/// @param groupsReplayed journal frames whose events were not in segments yet
/// @param eventsReplayed events in them
/// @param tornGroups frames at the end of a journal that were never acknowledged, cut off
/// @param segments live segments found
/// @param millis how long it took
public record RecoveryReport(
    long groupsReplayed, long eventsReplayed, long tornGroups, int segments, long millis) {
  static final RecoveryReport NONE = new RecoveryReport(0, 0, 0, 0, 0);
}
