package io.widerow.ingest.intake;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.lane.Lanes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The state that all receivers of one daemon share: lanes, credit, limits, the clock, the samples
/// of refused events, and whether new requests are accepted.
///
/// - Threads: any.
public final class Intake {
  private static final long CLOSED_AFTER_NANOS = 65 * 60 * TimeParser.NANOS_PER_SECOND;

  private final Lanes lanes;
  private final ByteCredit credit;
  private final Limits limits;
  private final BodyDigest digests;
  private final Supplier<@Nullable String> full;
  private final LongSupplier epochNanos;
  private final AtomicLong inFlight = new AtomicLong();
  private final AtomicLong quiet = new AtomicLong(); // of those in flight
  private final Set<Runnable> stops = ConcurrentHashMap.newKeySet();
  private final RejectedSamples rejected = new RejectedSamples();
  private final Senders senders;
  private volatile boolean draining;
  private volatile LongUnaryOperator closed = now -> now - CLOSED_AFTER_NANOS;

  /// Limits of one request.
  ///
  /// @param bodyBytesMax largest body, after decompression
  /// @param ratioMax largest ratio of a body's size to its compressed size
  /// @param paceBytes bytes of a body that must arrive each [FixedLimits#BODY_RATE_SECONDS]
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
    this.senders = new Senders(() -> epochNanos.getAsLong() / TimeParser.NANOS_PER_SECOND);
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

  /// Sets which buckets are closed, by the store's configuration. Without this call, a bucket is
  /// closed an hour and five minutes after its end.
  ///
  /// @param newClosed returns the end of the last closed bucket at a time, both in nanoseconds
  ///   since the Unix epoch
  public void closedBuckets(LongUnaryOperator newClosed) {
    closed = newClosed;
  }

  /// The sample of a batch that was decoded. Call it before the batch goes to the lanes.
  public BatchSample sample(IncomingBatch batch) {
    return sample(batch, 0);
  }

  /// The sample of the events that begin at this place of a batch.
  public BatchSample sample(IncomingBatch batch, long offset) {
    return BatchSample.at(batch, offset, closed.applyAsLong(batch.wallNanos));
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

  /// Counts a request as in progress until [#finished].
  public void begun() {
    inFlight.incrementAndGet();
  }

  public void finished() {
    inFlight.decrementAndGet();
  }

  /// Counts a request without an end in sight until [#finished(Runnable)].
  ///
  /// @param stop asks it to end, because the daemon stops; called by any thread, perhaps at once
  public void begun(Runnable stop) {
    begun();
    stops.add(stop);
    if (draining) {
      stop.run();
    }
  }

  /// Ends what [#begun(Runnable)] began.
  public void finished(Runnable stop) {
    stops.remove(stop);
    finished();
  }

  /// A request in flight waits for its sender, which may take as long as it likes.
  public void quiet() {
    quiet.incrementAndGet();
  }

  /// The request has something to do again.
  public void busy() {
    quiet.decrementAndGet();
  }

  /// Whether requests in flight have something to do.
  public boolean isWriting() {
    return inFlight.get() > quiet.get();
  }

  /// Requests that are not answered yet.
  public long inFlight() {
    return inFlight.get();
  }

  /// Refuses every new request from now on, and asks those without an end in sight to end.
  public void drain() {
    draining = true;
    stops.forEach(Runnable::run);
  }

  /// Why the disk has no room at present; null while it has.
  public @Nullable String full() {
    return full.get();
  }

  public boolean draining() {
    return draining;
  }
}
