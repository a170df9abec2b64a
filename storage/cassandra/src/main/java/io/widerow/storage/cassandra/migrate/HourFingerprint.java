package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;

/// Which events of a directory go to which partitions of a cluster: how many events, and the sum of
/// a hash of each one's partition, id and version. A merge or a repartition that moves an event to
/// another partition changes it, and so does a deletion. Neither order nor segments count.
///
/// The text form is both numbers in hexadecimal, separated by a dash.
record HourFingerprint(long events, long sum) {
  private static final int RADIX = 16;

  /// Parses the text form.
  ///
  /// @throws IllegalArgumentException when the text is no fingerprint
  static HourFingerprint parse(String text) {
    String[] numbers = text.split("-", -1);
    if (numbers.length != 2) {
      throw new IllegalArgumentException("not a fingerprint: " + text);
    }
    return new HourFingerprint(
        Long.parseUnsignedLong(numbers[0], RADIX), Long.parseUnsignedLong(numbers[1], RADIX));
  }

  @Override
  public String toString() {
    return Long.toHexString(events) + "-" + Long.toHexString(sum);
  }

  /// A hash of a partition, for [Sum#add].
  static long placeOf(PartitionKey target) {
    long hash = 0;
    for (byte each : target.toBytes()) {
      hash = mix(hash + each);
    }
    return hash;
  }

  /// MurmurHash3's finalizer: each bit of the argument changes half of the result's.
  private static long mix(long bits) {
    long hash = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }

  /// Adds up events, without an allocation for each.
  ///
  /// - Threads: one.
  static final class Sum {
    private long events;
    private long sum;

    /// @param place of the partition that the event goes to, see [#placeOf]
    void add(long place, EventView event) {
      events++;
      sum += mix(mix(mix(place + event.idTime()) + event.idTail()) + event.version());
    }

    void add(Sum other) {
      events += other.events;
      sum += other.sum;
    }

    HourFingerprint fingerprint() {
      return new HourFingerprint(events, sum);
    }
  }
}
