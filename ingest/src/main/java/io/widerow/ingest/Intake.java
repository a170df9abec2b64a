package io.widerow.ingest;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What all receivers of one daemon share: lanes, credit, limits, the clock, the samples of refused
/// events, and whether new requests are taken.
///
/// - Threads: any.
final class Intake {
  private final Lanes lanes;
  private final ByteCredit credit;
  private final Limits limits;
  private final BodyDigest digests;
  private final Supplier<@Nullable String> full;
  private final LongSupplier epochNanos;
  private final AtomicLong inFlight = new AtomicLong();
  private final RejectedSamples rejected = new RejectedSamples();
  private volatile boolean draining;

  /// What bounds a request.
  ///
  /// @param bodyBytesMax largest body, after decompression
  /// @param ratioMax how many times its packed size a body may have
  /// @param paceBytes bytes of a body that must come each [LimitOptions#BODY_RATE_SECONDS]
  record Limits(int bodyBytesMax, int ratioMax, long paceBytes) {}

  /// @param digests of bodies, by which their repeats are known
  /// @param full why there is no room for anything; null while there is
  Intake(
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
  }

  Lanes lanes() {
    return lanes;
  }

  ByteCredit credit() {
    return credit;
  }

  RejectedSamples rejected() {
    return rejected;
  }

  Limits limits() {
    return limits;
  }

  BodyDigest digests() {
    return digests;
  }

  /// The time now, for events that carry none.
  long epochNanos() {
    return epochNanos.getAsLong();
  }

  /// Counts a request that is under way until [#finished].
  void begun() {
    inFlight.incrementAndGet();
  }

  void finished() {
    inFlight.decrementAndGet();
  }

  /// Requests that are not answered yet.
  long inFlight() {
    return inFlight.get();
  }

  /// From now on every new request is refused.
  void drain() {
    draining = true;
  }

  /// Why there is no room for anything at present; null while there is.
  @Nullable String full() {
    return full.get();
  }

  boolean draining() {
    return draining;
  }
}
