package io.widerow.peers;

import io.widerow.storage.Durability;

import io.widerow.event.EventBatch;

/// An event store that [PeerRuns] drives, so that all do the same work on the same events. One
/// lane, one partition per hour, level [Durability#OS].
///
/// - Threads: one.
public interface PeerStore extends AutoCloseable {
  /// Assigns ids to the events and writes them, so that they survive the death of the process. The
  /// caller owns the batch again when this returns.
  void append(EventBatch batch);

  /// Flushes memory to disk and waits for all background work.
  void flush();

  /// Reads every event in order, partition after partition: its id and every byte of its record.
  Scanned scan();

  /// Reads the newest events of the newest partition, newest first: their ids and records.
  Scanned latest(int count);

  @Override
  void close();

  /// Result of a read. Two stores with the same events must give equal results.
  ///
  /// @param events number of events
  /// @param bodyBytes sum of the lengths of their bodies
  record Scanned(long events, long bodyBytes) {}
}
