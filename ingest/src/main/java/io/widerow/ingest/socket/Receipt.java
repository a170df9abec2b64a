package io.widerow.ingest.socket;

import io.widerow.ingest.lane.BatchKey;
import io.widerow.storage.Durability;
import org.jspecify.annotations.Nullable;

/// The options of a frame of a stream: deduplication of retries, a durability level, a response. A
/// frame with a receipt ends its batch.
///
/// - Threads: any; immutable if the response is not changed. Of pieces, the event loop of the
///   connection.
public final class Receipt {
  private static final byte[] NOTHING = {};

  private final @Nullable BatchKey key;
  private final @Nullable Durability durability;
  private final byte[] answer;
  private final byte[] answerOfKept;
  private final @Nullable Pieces pieces;

  /// A message that is stored in pieces. The response follows the last one.
  public static final class Pieces {
    private boolean kept; // some piece is on this machine only
  }

  /// @param key by which the batch that ends with this frame is known when it comes again; null
  ///   when it is stored each time
  /// @param durability that the batch must have; null for that of the receiver
  /// @param answer sent when the batch is as durable as it must be; empty for none
  public Receipt(@Nullable BatchKey key, @Nullable Durability durability, byte[] answer) {
    this(key, durability, answer, answer);
  }

  /// @param answerOfKept sent when the batch is durable on this machine, and was to wait for the
  ///   cluster for longer than it may
  public Receipt(
      @Nullable BatchKey key, @Nullable Durability durability, byte[] answer, byte[] answerOfKept) {
    this.key = key;
    this.durability = durability;
    this.answer = answer;
    this.answerOfKept = answerOfKept;
    this.pieces = null;
  }

  /// The receipt of a piece of a message whose sender waits for a response.
  public Receipt(@Nullable BatchKey key, Pieces pieces) {
    this.key = key;
    this.durability = null;
    this.answer = NOTHING;
    this.answerOfKept = NOTHING;
    this.pieces = pieces;
  }

  /// The receipt of what follows the last piece of a message, and holds no events.
  public Receipt(byte[] answer, byte[] answerOfKept, Pieces pieces) {
    this.key = null;
    this.durability = null;
    this.answer = answer;
    this.answerOfKept = answerOfKept;
    this.pieces = pieces;
  }

  /// The receipt of a frame that holds no events and is answered, such as one of a handshake.
  public static Receipt ofAnswer(byte[] answer) {
    return new Receipt(null, null, answer);
  }

  /// The receipt of a frame that is not answered, but known when it comes again.
  public static Receipt ofKey(BatchKey key) {
    return new Receipt(key, null, NOTHING);
  }

  @Nullable BatchKey key() {
    return key;
  }

  /// @param byDefault the receiver's
  Durability durability(Durability byDefault) {
    return durability == null ? byDefault : durability;
  }

  /// @param kept whether the batch is on this machine only, though it was to be on the cluster
  byte[] answer(boolean kept) {
    return kept || (pieces != null && pieces.kept) ? answerOfKept : answer;
  }

  /// Whether the sender gets the durability of the batch.
  boolean isAnswered() {
    return answer.length > 0 || pieces != null;
  }

  /// The batch is durable on this machine, and was to wait for the cluster for longer than it may.
  void noteKept() {
    if (pieces != null) {
      pieces.kept = true;
    }
  }
}
