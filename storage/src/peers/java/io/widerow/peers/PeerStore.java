package io.widerow.peers;

import io.widerow.storage.Durability;

import io.widerow.event.EventBatch;

/// A store of events as [PeerRuns] drives it, so that ours and others do the same work on the same
/// events. One lane, one partition per hour, level [Durability#OS].
///
/// - Threads: one.
public interface PeerStore extends AutoCloseable {
  /// Gives the events their ids, writes them, and makes them survive the death of the process. The
  /// batch belongs to the caller again when this returns.
  void append(EventBatch batch);

  /// Brings everything into the form it has at rest: memory written to disk, background work done.
  void flush();

  /// Reads every event in order, partition after partition: its id and every byte of its record.
  Scanned scan();

  /// Reads the newest events of the newest partition, newest first: their ids and records.
  Scanned latest(int count);

  @Override
  void close();

  /// What a read saw; two stores that were given the same events must see the same.
  ///
  /// @param events how many
  /// @param bodyBytes sum of the lengths of their bodies
  record Scanned(long events, long bodyBytes) {}
}
