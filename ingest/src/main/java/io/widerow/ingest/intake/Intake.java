package io.widerow.ingest.intake;

import io.widerow.ingest.decode.Times;
import io.widerow.ingest.lane.Lanes;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What all receivers of one daemon share: lanes, credit, limits, the clock, the samples of refused
/// events, and whether new requests are taken.
///
/// - Threads: any.
public final class Intake {
  private final Lanes lanes;
  private final ByteCredit credit;
  private final Limits limits;
  private final BodyDigest digests;
  private final Supplier<@Nullable String> full;
  private final LongSupplier epochNanos;
  private final AtomicLong inFlight = new AtomicLong();
  private final RejectedSamples rejected = new RejectedSamples();
  private final Senders senders;
  private volatile boolean draining;

  /// Limits of one request.
  ///
  /// @param bodyBytesMax largest body, after decompression
  /// @param ratioMax largest ratio of a body's size to its compressed size
  /// @param paceBytes bytes of a body that must arrive each [LimitOptions#BODY_RATE_SECONDS]
  public record Limits(int bodyBytesMax, int ratioMax, long paceBytes) {}

  /// @param digests of bodies, which identify their repeats
  /// @param full why the disk has no room; null while it has
  public Intake(
      Lanes lanes,
      ByteCredit credit,
      Limits limits,
      BodyDigest digests,
      Supplier<@Nullable String> full,
      LongSupplier epochNanos) {
    this.lanes = lanes;
    this.credit = credit;
    this.limits = limits;
    this.digests = digests;
    this.full = full;
    this.epochNanos = epochNanos;
    this.senders = new Senders(() -> epochNanos.getAsLong() / Times.NANOS_PER_SECOND);
  }

  public Lanes lanes() {
    return lanes;
  }

  public ByteCredit credit() {
    return credit;
  }

  public RejectedSamples rejected() {
    return rejected;
  }

  public Senders senders() {
    return senders;
  }

  public Limits limits() {
    return limits;
  }

  public BodyDigest digests() {
    return digests;
  }

  /// The time now, for events without one.
  public long epochNanos() {
    return epochNanos.getAsLong();
  }

  /// Counts a request that is under way until [#finished].
  public void begun() {
    inFlight.incrementAndGet();
  }

  public void finished() {
    inFlight.decrementAndGet();
  }

  /// Requests that are not answered yet.
  public long inFlight() {
    return inFlight.get();
  }

  /// Refuses every new request from now on.
  public void drain() {
    draining = true;
  }

  /// Why the disk has no room at present; null while it has.
  public @Nullable String full() {
    return full.get();
  }

  public boolean draining() {
    return draining;
  }
}
