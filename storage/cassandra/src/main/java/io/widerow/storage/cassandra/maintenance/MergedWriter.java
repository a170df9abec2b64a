package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/// Writes the events of a merge as values of at most [#VALUE_BYTES]: parts 0, 1, ... of one
/// generation. How many events a value takes is guessed from the one before; a value that became
/// too large is written again as two.
///
/// - Threads: one.
/// - Memory: a value of at most [#RAW_BYTES_MAX] before encoding, and up to [#IN_FLIGHT] in flight.
final class MergedWriter implements AutoCloseable {
  static final int VALUE_BYTES = 1 << 20;
  static final long RAW_BYTES_MAX = 16L << 20;
  static final int IN_FLIGHT = 4;
  private static final int EVENTS_MAX = 1 << 18;
  private static final double FILLED = 0.85; // of a value, so that few are too large

  private final Keyspace keyspace;
  private final PartitionKey partition;
  private final int daemon;
  private final int generation;
  private final int valueBytes;
  private final UUID storeId;
  private final SegmentValue.Writer value;
  private final ArrayDeque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
  private final List<DirectoryRow> written = new ArrayList<>();
  private int eventsWanted; // of the value

  /// @param bytesPerEvent a first guess
  MergedWriter(
      Keyspace keyspace,
      PartitionKey partition,
      int daemon,
      int generation,
      int valueBytes,
      double bytesPerEvent) {
    this.keyspace = keyspace;
    this.partition = partition;
    this.daemon = daemon;
    this.generation = generation;
    this.valueBytes = valueBytes;
    this.storeId = keyspace.identity().id();
    this.value = new SegmentValue.Writer(partition, SegmentProfile.FINAL, storeId);
    guess(bytesPerEvent);
  }

  private void guess(double bytesPerEvent) {
    eventsWanted = Math.clamp((long) (FILLED * valueBytes / bytesPerEvent), 1, EVENTS_MAX);
  }

  void add(EventView event) {
    value.add(event);
    if (value.events() >= eventsWanted || value.rawBytes() >= RAW_BYTES_MAX) {
      endValue();
    }
  }

  private void endValue() {
    if (value.events() > 0) {
      SegmentValue.Encoded encoded = value.finish();
      double bytes = encoded.bytes().remaining();
      guess(bytes / encoded.events());
      put(encoded);
    }
  }

  private void put(SegmentValue.Encoded encoded) {
    DirectoryRow row = encoded.row(key(written.size()));
    if (row.bytes() > valueBytes && row.events() > 1) {
      split(encoded, row);
      return;
    }
    if (underWay.size() == IN_FLIGHT) {
      Waits.of(underWay.remove());
    }
    underWay.add(keyspace.write(row, encoded.bytes(), 0));
    written.add(row);
  }

  private SegmentKey key(int part) {
    return new SegmentKey(partition, SegmentKey.MERGED, daemon, generation, part);
  }

  private void split(SegmentValue.Encoded encoded, DirectoryRow row) {
    List<SegmentValue.Encoded> halves = new ArrayList<>();
    try (SegmentValue.Writer writer =
            new SegmentValue.Writer(partition, SegmentProfile.FINAL, storeId);
        Segment segment = SegmentValue.open(encoded.bytes(), row, storeId);
        EventCursor cursor = SegmentCursor.open(segment, partition, Scan.all())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        writer.add(cursor.event());
        if (halves.isEmpty() && writer.events() == row.events() / 2) {
          halves.add(writer.finish());
        }
      }
      halves.add(writer.finish());
    }
    halves.forEach(this::put);
  }

  /// Waits until everything is written.
  ///
  /// @return the rows of the directory, by part
  List<DirectoryRow> finish() {
    endValue();
    while (!underWay.isEmpty()) {
      Waits.of(underWay.remove());
    }
    return List.copyOf(written);
  }

  @Override
  public void close() {
    value.close();
  }
}
