package io.widerow.storage;

import java.util.List;

/// The findings and actions of one opening of a store.
///
/// @param groupsReplayed journal frames whose events were not in segments yet
/// @param eventsReplayed events in those frames
/// @param tornGroups unacknowledged frames at the end of a journal that were cut off
/// @param segments live segments found
/// @param millis duration of the opening, in milliseconds
/// @param damage acknowledged groups that are lost: the store was opened without them, for reading
///   or because its operator accepted the loss
/// @param versions recorded in the store, after this opening
/// @param remarks one sentence for each part that was healed, and for each file that was kept
///   although nothing lists it
public record RecoveryReport(
    long groupsReplayed,
    long eventsReplayed,
    long tornGroups,
    int segments,
    long millis,
    List<Damage> damage,
    StoreVersions versions,
    List<String> remarks) {
  public RecoveryReport {
    damage = List.copyOf(damage);
    remarks = List.copyOf(remarks);
  }
}
