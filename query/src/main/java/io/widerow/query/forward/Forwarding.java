package io.widerow.query.forward;

import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.Tail;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends the events of a tail to a target, each at least once:
///
/// ```
///       position                 handed over                not read yet
///   -------|--------------------------|------------------------------>  order of the tail
///    acknowledged    sent again after a crash
/// ```
///
/// The position moves, and is written to its file, only after the target has acknowledged all
/// events up to it: each second, and when there is none left. When the target fails, what is not
/// acknowledged is read and sent again, with the same tokens.
///
/// - Threads: one; any may call [#acknowledged], [#events], [#gaps] and [#stop].
public final class Forwarding implements AutoCloseable {
  private static final long ACKNOWLEDGE_NANOS = 1_000_000_000;
  private static final long IDLE_NANOS = 5_000_000_000L;

  private final Supplier<ForwardTarget> targets;
  private final Tails tails;
  private final EventWriter json;
  private final Path file;
  private final Writer writer = new Writer();
  private volatile @Nullable ForwardTarget target;
  private @Nullable Tail tail;
  private boolean broken; // the target, since it was opened
  private long pending; // events that are handed over and not acknowledged
  private long writtenNanos = System.nanoTime() - IDLE_NANOS;
  private volatile @Nullable ForwardPosition acknowledged;
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong gaps = new AtomicLong();

  /// Opens the tail, at first and after each failure of the target.
  @FunctionalInterface
  public interface Tails {
    /// @param from null for the start
    /// @param sent events that were acknowledged since
    Tail open(EventWriter writer, Tail.Output out, @Nullable ForwardPosition from, long sent);
  }

  /// @param targets opens the target, at first and after each failure
  /// @param json writes an event as a line
  /// @param file of the position, read now
  public Forwarding(Supplier<ForwardTarget> targets, Tails tails, EventWriter json, Path file) {
    this.targets = targets;
    this.tails = tails;
    this.json = json;
    this.file = file;
    this.acknowledged = ForwardPosition.read(file);
  }

  /// Up to where all events are acknowledged; null before the first poll of the first run.
  public @Nullable ForwardPosition acknowledged() {
    return acknowledged;
  }

  /// The number of events that were acknowledged.
  public long events() {
    return events.get();
  }

  /// How often retention had removed events before they were read.
  public long gaps() {
    return gaps.get();
  }

  /// Sends the new events, and waits until they are acknowledged. False when the tail has ended.
  ///
  /// @throws QueryException.Remote when the target or the source of the tail does not answer; the
  ///   next poll tries again
  public boolean poll() {
    if (target == null) {
      target = targets.get();
    }
    Tail from = tail;
    if (from == null) {
      from = tails.open(writer, writer, acknowledged, events.get());
      tail = from;
    }
    try {
      boolean more = from.poll();
      acknowledge(from);
      return more;
    } finally {
      if (broken) {
        drop();
      }
    }
  }

  /// Ends a wait for the target: a poll in progress fails.
  public void stop() {
    ForwardTarget open = target;
    if (open != null) {
      open.stop();
    }
  }

  private void acknowledge(Tail of) {
    var position = new ForwardPosition(of.token().toString(), of.arrived());
    long now = System.nanoTime();
    boolean isFirst = acknowledged == null && of.arrived() != null;
    boolean isDue = now - writtenNanos >= IDLE_NANOS && !position.equals(acknowledged);
    if (pending == 0 && !isFirst && !isDue) {
      return;
    }
    guarded(ForwardTarget::flush);
    position.write(file);
    acknowledged = position;
    events.addAndGet(pending);
    pending = 0;
    writtenNanos = now;
  }

  private void guarded(Consumer<ForwardTarget> call) {
    ForwardTarget to = target;
    if (to == null) {
      throw new IllegalStateException("no target");
    }
    broken = true;
    call.accept(to);
    broken = false;
  }

  private void drop() {
    ForwardTarget failed = target;
    if (failed != null) {
      failed.close();
    }
    target = null;
    tail = null;
    pending = 0;
    broken = false;
  }

  /// Between the tail and the target.
  private final class Writer implements EventWriter, Tail.Output {
    @Override
    public void event(EventView event, OutputBuffer out) {
      int from = out.length();
      json.event(event, out);
      byte[] line = Arrays.copyOfRange(out.bytes(), from, out.length() - 1);
      guarded(to -> to.send(event.type(), Token.of(event), line));
      pending++;
    }

    @Override
    public void gap(Token first, String why, OutputBuffer out) {
      gaps.incrementAndGet();
    }

    /// The events are with the target already.
    @Override
    public boolean write(OutputBuffer sent) {
      sent.clear();
      Tail of = tail;
      if (!broken && of != null && System.nanoTime() - writtenNanos >= ACKNOWLEDGE_NANOS) {
        acknowledge(of);
      }
      return !broken;
    }
  }

  @Override
  public void close() {
    drop();
    json.close();
  }
}
