package io.widerow.ingest.doctor;

import io.widerow.ingest.intake.SenderLags;
import java.util.List;

/// The results of checks of the daemon.
///
/// @param types each type with its partitions; empty for a store on a cluster
/// @param senders whose events came in the last minute
/// @param lanes events and batches of each lane since the look before
/// @param backlog expired bytes that are still on the disk
/// @param lateFromNanos the age at which an event is older than a bucket that is closed
public record Facts(
    List<TypeState> types,
    List<SenderLags.Lag> senders,
    List<Lane> lanes,
    Backlog backlog,
    long lateFromNanos) {
  static final Facts NONE = new Facts(List.of(), List.of(), List.of(), Backlog.NONE, 0);

  public Facts {
    types = List.copyOf(types);
    senders = List.copyOf(senders);
    lanes = List.copyOf(lanes);
  }

  Facts with(List<SenderLags.Lag> newSenders) {
    return new Facts(types, newSenders, lanes, backlog, lateFromNanos);
  }

  /// @param events stored between two looks
  /// @param batches taken between two looks
  public record Lane(double events, double batches) {}

  /// @param bytes that may be freed
  /// @param ofBytes bytes of all segments
  /// @param seconds for how long there was something to free
  public record Backlog(long bytes, long ofBytes, double seconds) {
    static final Backlog NONE = new Backlog(0, 0, 0);
  }
}
