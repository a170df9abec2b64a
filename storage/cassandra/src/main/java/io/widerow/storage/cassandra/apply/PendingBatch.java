package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.cassandra.keyspace.Claim;
import java.util.HexFormat;

/// A batch that came with a key: its events have the arrival numbers from `counterFrom` on.
///
/// @param key 16 bytes, as hexadecimal
/// @param lane that took it
/// @param lanes how many there were then
/// @param counterFrom arrival number of its first event
/// @param count of its events, refused ones included
/// @param seconds when it came, in seconds since the Unix epoch
public record PendingBatch(
    String key, int lane, int lanes, long counterFrom, int count, long seconds) {
  public PendingBatch {
    if (key.length() != 32 || count < 0 || lane < 0 || lane >= lanes) {
      throw new IllegalArgumentException(
          "key %s of lane %d of %d, %d events".formatted(key, lane, lanes, count));
    }
  }

  byte[] keyBytes() {
    return HexFormat.of().parseHex(key);
  }

  /// True when all of it arrived before a position. A batch lies within a group, so otherwise all
  /// of it arrived after.
  boolean isBefore(LaneArrivals position) {
    return counterFrom < position.limitOfLane(lane, lanes);
  }

  boolean has(long counter) {
    return counter >= counterFrom && counter - counterFrom < count;
  }

  /// A batch that a round leaves out, because its key is claimed for another one.
  ///
  /// @param other the claim in force
  /// @param stamp of the round
  /// @param held where the round starts: nothing that arrived later may be forgotten until the
  ///   other batch is applied
  record LeftOut(PendingBatch batch, Claim other, long stamp, LaneArrivals held) {
    LeftOut withOther(Claim newOther) {
      return new LeftOut(batch, newOther, stamp, held);
    }
  }
}
