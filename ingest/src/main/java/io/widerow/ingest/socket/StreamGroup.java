package io.widerow.ingest.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Bytes that arrived together on a connection: their complete frames, cut into batches by their
/// receipts. All batches are with the lanes at the same time, so that they share commits.
///
/// ```
///   body    | frame frame frame | frame, receipt | frame, receipt | begin of a fra
///   parts   |<---- batch ------>|<--- batch ---->|<--- batch ---->|
///           0                                                     whole
/// ```
///
/// - Threads: the connection's event loop.
final class StreamGroup {
  /// Batches in a group; what follows makes the next group.
  private static final int PARTS_MAX = 256;

  private final SocketReceiver receiver;
  private final StreamDecoder decoder;
  private final Supplier<String> sender;
  private final Executor loop;
  private final Runnable done;
  private final Body body;
  private final boolean last;
  private final List<Part> parts = new ArrayList<>(1);
  private int whole;
  private boolean broken;
  private boolean goesOn;
  private int pending;

  /// The outcome of a group.
  enum State {
    /// All is as durable as it must be.
    STORED,
    /// Some of it found no room, and can be tried again.
    NO_ROOM,
    /// Writing has ended.
    FAILED
  }

  /// The frames of one batch, in `[offset, limit)` of the body.
  private static final class Part {
    private final int offset;
    private int limit;
    private boolean ends; // the following bytes begin no frame
    private @Nullable Receipt receipt;
    private boolean stored;
    private boolean kept; // on this machine, though it was to be on the cluster
    private boolean failed;

    Part(int offset) {
      this.offset = offset;
    }
  }

  /// @param sender under whose name the events are counted
  /// @param body of which the group owns nothing: the caller gives it back
  /// @param last whether the sender has left, and no more bytes come
  /// @param done is run on the event loop, when each batch has its outcome
  StreamGroup(
      SocketReceiver receiver,
      StreamDecoder decoder,
      Supplier<String> sender,
      Body body,
      boolean last,
      Executor loop,
      Runnable done) {
    this.receiver = receiver;
    this.decoder = decoder;
    this.sender = sender;
    this.body = body;
    this.last = last;
    this.loop = loop;
    this.done = done;
  }

  Body body() {
    return body;
  }

  /// Bytes of whole frames.
  int whole() {
    return whole;
  }

  /// Whether what follows is no frame.
  boolean isBroken() {
    return broken;
  }

  /// Whether there may be more whole frames, for which the group has no place.
  boolean goesOn() {
    return goesOn;
  }

  /// Decodes all whole frames and hands their batches over.
  void begin() {
    decoder.begin();
    Part part = new Part(0);
    IncomingBatch batch = newBatch();
    int next = decoder.decode(body.bytes(), 0, body.length(), batch);
    while (next >= 0 || next == StreamDecoder.OWN_BATCH) {
      boolean own = next == StreamDecoder.OWN_BATCH;
      assert !own || batch.decoded() > 0 : "an empty batch is its own";
      part.receipt = own ? null : decoder.receipt();
      whole = own ? whole : next;
      if (own || part.receipt != null) {
        handOver(part, whole, batch);
        part = new Part(whole);
        batch = newBatch();
        goesOn = parts.size() >= PARTS_MAX;
        if (goesOn) {
          break;
        }
      }
      next = decoder.decode(body.bytes(), whole, body.length(), batch);
    }
    broken = next == StreamDecoder.BROKEN;
    part.receipt = null;
    part.ends = !goesOn;
    int limit = whole;
    if (last && !goesOn && whole < body.length()) {
      decoder.decodeLast(body.bytes(), whole, body.length(), batch);
      whole = body.length();
    }
    handOver(part, limit, batch);
    if (pending == 0) {
      loop.execute(done);
    }
  }

  private IncomingBatch newBatch() {
    Intake intake = receiver.intake();
    return intake.lanes().begin(intake.epochNanos());
  }

  private void handOver(Part part, int limit, IncomingBatch batch) {
    part.limit = limit;
    parts.add(part);
    write(part, batch);
  }

  private void write(Part part, IncomingBatch batch) {
    if (batch.decoded() == 0) {
      receiver.intake().lanes().drop(batch);
      part.stored = true;
      return;
    }
    receiver.intake().lanes().applyRules(batch);
    long held = batch.events.memory().byteSize();
    receiver.intake().credit().claimInDebt(held);
    BatchSample sample = receiver.intake().sample(batch);
    String host = BatchSample.host(batch, 0);
    pending++;
    receiver.write(
        batch,
        part.receipt,
        held,
        outcome ->
            loop.execute(() -> {
              receiver.done(sender.get(), host, sample, outcome);
              written(part, outcome);
            }));
  }

  private void written(Part part, BatchOutcome outcome) {
    part.stored = outcome instanceof BatchOutcome.Stored;
    part.kept =
        outcome instanceof BatchOutcome.Stored there && receiver.isLate(part.receipt, there);
    part.failed = outcome instanceof BatchOutcome.Failed;
    if (part.kept && part.receipt != null) {
      part.receipt.noteKept();
    }
    if (--pending == 0) {
      done.run();
    }
  }

  State state() {
    State state = State.STORED;
    for (Part part : parts) {
      if (part.failed) {
        return State.FAILED;
      }
      state = part.stored ? state : State.NO_ROOM;
    }
    return state;
  }

  /// Decodes what found no room, and hands it over again.
  void again() {
    decoder.rewind();
    for (Part part : parts) {
      if (!part.stored) {
        IncomingBatch batch = newBatch();
        decodeAgain(part, batch);
        write(part, batch);
      }
    }
  }

  private void decodeAgain(Part part, IncomingBatch batch) {
    int at = part.offset;
    while (at >= 0 && at < part.limit) {
      at = decoder.decode(body.bytes(), at, body.length(), batch);
    }
    assert at == part.limit : "frames until %d, not %d".formatted(at, part.limit);
    if (part.ends && broken) {
      int still = decoder.decode(body.bytes(), at, body.length(), batch); // its refusal
      assert still == StreamDecoder.BROKEN : still;
    }
    if (part.ends && last && at < body.length()) {
      decoder.decodeLast(body.bytes(), at, body.length(), batch);
    }
  }

  /// The responses to all frames; null when there are none.
  @Nullable ByteBuf answers() {
    int bytes = 0;
    for (Part part : parts) {
      bytes += part.receipt == null ? 0 : part.receipt.answer(part.kept).length;
    }
    if (bytes == 0) {
      return null;
    }
    ByteBuf answers = Unpooled.buffer(bytes, bytes);
    for (Part part : parts) {
      if (part.receipt != null) {
        answers.writeBytes(part.receipt.answer(part.kept));
      }
    }
    return answers;
  }
}
