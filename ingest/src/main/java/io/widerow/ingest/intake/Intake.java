package io.widerow.ingest.intake;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.lane.Lanes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The state that all receivers of one daemon share: lanes, credit, limits, the clock, the samples
/// of refused events, and whether new requests are accepted.
///
/// - Threads: any.
public final class Intake {
  private final Lanes lanes;
  private final ByteCredit credit;
  private final Limits limits;
  private final ClosedBuckets closed;
  private final BodyDigest digests;
  private final Supplier<@Nullable String> full;
  private final LongSupplier epochNanos;
  private final AtomicLong inFlight = new AtomicLong();
  private final AtomicLong quiet = new AtomicLong(); // of those in flight
  private final Set<Runnable> stops = ConcurrentHashMap.newKeySet();
  private final RejectedSamples rejected = new RejectedSamples();
  private final Senders senders;
  private volatile boolean draining;

  /// Limits of one request.
  ///
  /// @param bodyBytesMax largest body, after decompression
  /// @param ratioMax largest ratio of a body's size to its compressed size
  /// @param paceBytes bytes of a body that must arrive each [FixedLimits#BODY_RATE_SECONDS]
  public record Limits(int bodyBytesMax, int ratioMax, long paceBytes) {}

  /// @param closed an event of such a bucket counts as old in the table of senders
  /// @param digests of bodies, which identify their repeats
  /// @param full why the disk has no room; null while it has
  public Intake(
      Lanes lanes,
      ByteCredit credit,
      Limits limits,
      ClosedBuckets closed,
      BodyDigest digests,
      Supplier<@Nullable String> full,
      LongSupplier epochNanos) {
    this.lanes = lanes;
    this.credit = credit;
    this.limits = limits;
    this.closed = closed;
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

  /// The sample of a batch that was decoded. Call it before the batch goes to the lanes.
  public BatchSample sample(IncomingBatch batch) {
    return sample(batch, 0);
  }

  /// The sample of the events that begin at this place of a batch.
  public BatchSample sample(IncomingBatch batch, long offset) {
    return BatchSample.at(batch, offset, closed.endNanos(batch.wallNanos));
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
