package io.widerow.ingest;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.storage.Durability;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Takes requests that write: claims credit, reads, decodes, hands over to the lanes, answers.
///
/// - Threads: any event loop.
final class Intake {
  /// The rest of a body that is dropped, when it is refused, to keep the connection.
  private static final long DROPPED_BYTES_MAX = 64 << 10;

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

  /// Takes one request.
  HttpResponse take(
      ServiceRequestContext context,
      HttpRequest request,
      WriteProtocol protocol,
      Durability durability) {
    try {
      if (draining) {
        throw new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, "the daemon is stopping");
      }
      String failure = lanes.failure();
      if (failure != null) { // before its body is read
        throw RequestRefused.ended(failure);
      }
      IntakeRequest intake = IntakeRequest.admit(this, context, request, protocol, durability);
      inFlight.incrementAndGet();
      return intake.read(request);
    } catch (RequestRefused refused) {
      long length = request.headers().contentLength();
      if (length < 0 || length > DROPPED_BYTES_MAX) {
        ConnectionGuard.leave(context);
      }
      if (refused.status().equals(HttpStatus.SERVICE_UNAVAILABLE)) {
        ConnectionGuard.pause(context, IntakeRequest.BYTES_PER_BODY_BYTE * Math.max(0, length));
      }
      return protocol.refuse(refused);
    }
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
