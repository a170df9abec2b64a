package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpObject;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.stream.SubscriptionOption;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchListener;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// One write request, from its first byte to its response.
///
/// ```
///   headers: claim credit -> body: read -> unpack, to UTF-8 -> decode, digest -> lanes -> answer
///            (or 503)        (or 413)                     credit of the body becomes
///                                                         that of the records, and of a large
///                                                         body itself
/// ```
///
/// - Threads: the connection's event loop; a large or compressed body is decoded on a blocking
///   thread.
/// - Memory: all that it holds is claimed from the credit until it is answered.
public final class IntakeRequest implements Subscriber<HttpObject> {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// Bytes claimed for each byte of a body: itself, and the records that it becomes.
  public static final int BYTES_PER_BODY_BYTE = 3;

  /// Bytes that a request holds which waits for the cluster: itself, and its connection's share.
  private static final long WAITING_BYTES = 8 << 10;

  private static final int DECODED_HERE_BYTES_MAX = 256 << 10;
  private static final int RULED_HERE_BYTES_MAX = 16 << 10; // expressions take 100 ns a byte

  /// The rest of a refused body that is read and dropped, so that the connection can be kept.
  private static final long DROPPED_BYTES_MAX = 64 << 10;

  private final Intake intake;
  private final ServiceRequestContext context;
  private final WriteProtocol protocol;
  private final Terms terms;
  private final List<BodyCoding> codings;
  private final @Nullable Charset charset; // null for UTF-8
  private final @Nullable String idempotencyKey;
  private final CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
  private final Body body = Body.take();
  private @Nullable Future<?> pace;
  private int lengthBefore; // of the body, at the last check of its pace
  private long claimed;
  private long decodedBytes; // of a large body, to which its decoder refers
  private boolean over; // no further piece of the body matters

  private IntakeRequest(
      Intake intake,
      ServiceRequestContext context,
      RequestHeaders headers,
      WriteProtocol protocol,
      Terms terms,
      List<BodyCoding> codings,
      @Nullable Charset charset,
      long claimed) {
    this.intake = intake;
    this.context = context;
    this.protocol = protocol;
    this.terms = terms;
    this.codings = codings;
    String key = headers.get("idempotency-key", "");
    this.idempotencyKey = key.isBlank() ? null : key; // an empty one names nothing
    this.charset = charset;
    this.claimed = claimed;
  }

  /// Takes one request: reads, decodes and stores it, or refuses it before its body is read.
  static HttpResponse take(
      Intake intake,
      ServiceRequestContext context,
      HttpRequest request,
      WriteProtocol protocol,
      Terms terms) {
    try {
      requireWriting(intake);
      IntakeRequest admitted = admit(intake, context, request, protocol, terms);
      intake.begun();
      return admitted.read(request);
    } catch (RequestRefused refused) {
      long length = request.headers().contentLength();
      if (length < 0 || length > DROPPED_BYTES_MAX) {
        ConnectionGuard.leave(context);
      }
      if (refused.status().equals(HttpStatus.SERVICE_UNAVAILABLE)) {
        ConnectionGuard.pause(context, BYTES_PER_BODY_BYTE * Math.max(0, length));
      }
      return refused(intake, context, protocol, terms, refused);
    }
  }

  /// The terms on which a request is accepted.
  ///
  /// @param protocol under which its sender is listed
  /// @param path as it is shown to others: without a secret that may be in it
  /// @param endpoint equal for a request and its retry without a key, in addition to the body
  record Terms(String protocol, String path, String endpoint, Durability durability) {}

  private static HttpResponse refused(
      Intake intake,
      ServiceRequestContext context,
      WriteProtocol protocol,
      Terms terms,
      RequestRefused refused) {
    Access.SenderIdentity who = Access.sender(context);
    intake.senders().refused(terms.protocol, who.sender(), who.agent(), 1, refused.reason());
    return protocol.refuse(refused);
  }

  static void requireWriting(Intake intake) throws RequestRefused {
    if (intake.draining()) {
      throw new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, "the daemon is stopping");
    }
    String failure = intake.lanes().failure();
    if (failure != null) {
      throw RequestRefused.ended(failure);
    }
  }

  /// Claims credit for the length that the headers announce.
  private static IntakeRequest admit(
      Intake intake,
      ServiceRequestContext context,
      HttpRequest request,
      WriteProtocol protocol,
      Terms terms)
      throws RequestRefused {
    RequestHeaders headers = request.headers();
    List<BodyCoding> codings = protocol.codings(headers);
    Charset charset = protocol.isText() ? Transcoding.of(headers.contentType()) : null;
    long length = Math.max(0, headers.contentLength());
    if (length > intake.limits().bodyBytesMax()) {
      throw RequestRefused.tooLarge(intake.limits().bodyBytesMax());
    }
    long claim = BYTES_PER_BODY_BYTE * length;
    if (!intake.credit().tryClaim(claim)) {
      throw RequestRefused.overloaded();
    }
    return new IntakeRequest(intake, context, headers, protocol, terms, codings, charset, claim);
  }

  private HttpResponse read(HttpRequest request) {
    request.subscribe(this, context.eventLoop(), SubscriptionOption.WITH_POOLED_OBJECTS);
    return HttpResponse.of(answer);
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    newSubscription.request(Long.MAX_VALUE);
    checkPaceLater();
  }

  private void checkPaceLater() {
    pace =
        context
            .eventLoop()
            .withoutContext()
            .schedule(this::checkPace, FixedLimits.BODY_RATE_SECONDS, TimeUnit.SECONDS);
  }

  /// Lets a body that arrives fast enough take as long as it needs, and refuses any other.
  private void checkPace() {
    if (over) {
      return;
    }
    int came = body.length() - lengthBefore;
    if (came < intake.limits().paceBytes()) {
      refuse(RequestRefused.tooSlow(came, FixedLimits.BODY_RATE_SECONDS));
      return;
    }
    lengthBefore = body.length();
    context.setRequestTimeout(
        TimeoutMode.EXTEND, Duration.ofSeconds(FixedLimits.BODY_RATE_SECONDS));
    checkPaceLater();
  }

  private void endPace() {
    Future<?> later = pace;
    if (later != null) {
      later.cancel(false);
    }
  }

  @Override
  public void onNext(HttpObject piece) {
    if (!(piece instanceof HttpData data)) {
      return;
    }
    try (data) {
      if (over) {
        return;
      }
      ByteBuf bytes = data.byteBuf();
      int length = bytes.readableBytes();
      if (body.length() + length > intake.limits().bodyBytesMax()) {
        throw RequestRefused.tooLarge(intake.limits().bodyBytesMax());
      }
      claimUpTo((long) BYTES_PER_BODY_BYTE * (body.length() + length));
      // At once all that is announced: arrays that double leave four times the body as garbage, in
      // large pieces that only make the heap grow. Before bytes(): it may replace the array.
      int at = body.reserve((int) (claimed / BYTES_PER_BODY_BYTE - body.length()));
      bytes.getBytes(bytes.readerIndex(), body.bytes(), at, length);
      body.wrote(length);
    } catch (RequestRefused refused) {
      refuse(refused);
    } catch (RuntimeException bug) { // the credit must be given back
      told("reading", bug);
      over = true;
      endPace();
      finish(HttpResponse.ofFailure(bug));
    }
  }

  private void claimUpTo(long bytes) throws RequestRefused {
    if (bytes > claimed) {
      if (!intake.credit().tryClaim(bytes - claimed)) {
        throw RequestRefused.overloaded();
      }
      claimed = bytes;
    }
  }

  @Override
  public void onError(Throwable gone) {
    if (!over) { // the sender has left, or was too slow
      over = true;
      endPace();
      body.give();
      finish(HttpResponse.ofFailure(gone));
    }
  }

  @Override
  public void onComplete() {
    if (over) {
      return;
    }
    over = true;
    endPace();
    int most = intake.lanes().hasRules() ? RULED_HERE_BYTES_MAX : DECODED_HERE_BYTES_MAX;
    boolean here = body.length() <= most && codings.isEmpty();
    Executor executor = here ? Runnable::run : context.blockingTaskExecutor();
    executor.execute(this::decode);
  }

  private void decode() {
    Body plain = body;
    IncomingBatch batch = null;
    try {
      if (!codings.isEmpty()) {
        plain = unpack();
      }
      Charset from = charset;
      if (from == null && protocol.isText()) {
        from = Transcoding.marked(plain);
      }
      if (from != null) {
        plain = transcode(plain, from);
      }
      if (protocol.isText()) {
        plain.cutFront(ByteOrderMark.skip(plain.bytes(), 0, plain.length()));
      }
      batch = intake.lanes().begin(intake.epochNanos());
      protocol.decode(plain.bytes(), plain.length(), batch);
      BatchKey key = key(plain, batch);
      decodedBytes = plain.giveCounted();
      intake.lanes().applyRules(batch);
      long held = batch.events.memory().byteSize() + decodedBytes;
      intake.credit().claimInDebt(held);
      intake.credit().release(claimed);
      claimed = held;
      BatchSample sample = intake.sample(batch).from(context.clientAddress().getHostAddress());
      intake.lanes().write(batch, key, terms.durability, new Answering(sample));
    } catch (RequestRefused refused) {
      if (batch != null) {
        intake.lanes().drop(batch);
      }
      finish(refused(intake, context, protocol, terms, refused));
    } catch (StorageException.ClockWrong behind) {
      if (batch != null) {
        intake.lanes().drop(batch);
      }
      RequestRefused wrong =
          new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(behind.getMessage()));
      finish(refused(intake, context, protocol, terms, wrong));
    } catch (Throwable bug) {
      if (batch != null) {
        intake.lanes().drop(batch);
      }
      told("decoding", bug);
      finish(HttpResponse.ofFailure(bug));
    }
  }

  private Body unpack() throws RequestRefused {
    Intake.Limits limits = intake.limits();
    Decompression.ByteClaim claim =
        bytes -> claimUpTo(claimed + BYTES_PER_BODY_BYTE * ((long) bytes));
    return Decompression.unpack(body, codings, limits.bodyBytesMax(), limits.ratioMax(), claim);
  }

  private Body transcode(Body other, Charset from) throws RequestRefused {
    try {
      Decompression.ByteClaim claim =
          bytes -> claimUpTo(claimed + BYTES_PER_BODY_BYTE * ((long) bytes));
      return Transcoding.toUtf8(other, from, intake.limits().bodyBytesMax(), claim);
    } finally {
      other.give();
    }
  }

  private @Nullable BatchKey key(Body plain, IncomingBatch batch) {
    if (batch.events.count() == 0) {
      return null;
    }
    String principal = Access.principal(context);
    if (idempotencyKey != null) {
      return BatchKey.ofName(principal, context.path(), idempotencyKey);
    }
    return batch.knownByContent()
        ? BatchKey.ofBody(
            principal, terms.endpoint, intake.digests().of(plain.bytes(), 0, plain.length()))
        : null;
  }

  /// Called by a lane. The response is built on the connection's event loop.
  private final class Answering implements BatchListener {
    private final BatchSample sample;

    Answering(BatchSample sample) {
      this.sample = sample;
    }

    @Override
    public void kept(BatchOutcome.Stored stored) {
      long held = Math.min(claimed, WAITING_BYTES + decodedBytes);
      intake.credit().release(claimed - held);
      claimed = held;
    }

    @Override
    public void accept(BatchOutcome outcome) {
      context.eventLoop().execute(() -> answer(sample, outcome));
    }
  }

  private void answer(BatchSample sample, BatchOutcome outcome) {
    Access.SenderIdentity who = Access.sender(context);
    intake.senders().add(terms.protocol, who.sender(), who.agent(), sample, outcome);
    if (outcome instanceof BatchOutcome.Stored stored && !stored.repeated()) {
      intake.rejected().add(terms.path, stored.refused());
    }
    HttpResponse response = protocol.answer(outcome);
    boolean late =
        outcome instanceof BatchOutcome.Stored stored
            && terms.durability == Durability.QUORUM
            && stored.durability() != Durability.QUORUM;
    finish(late ? response.mapHeaders(this::late) : response);
  }

  /// The headers of the response to a batch that is stored here and not applied yet.
  private ResponseHeaders late(ResponseHeaders headers) {
    HttpStatus status = headers.status();
    return headers.toBuilder()
        .status(status.isSuccess() ? protocol.late(status) : status)
        .set(WriteRoutes.DURABILITY, "disk")
        .build();
  }

  /// Refuses a request in the middle of its body. The rest of the body is dropped as it arrives,
  /// until the connection closes after the response.
  private void refuse(RequestRefused refused) {
    over = true;
    ConnectionGuard.leave(context);
    endPace();
    body.give();
    finish(refused(intake, context, protocol, terms, refused));
  }

  private void told(String doing, Throwable bug) {
    LOG.log(Level.SEVERE, bug, () -> doing + " a request for " + terms.path);
  }

  private void finish(HttpResponse response) {
    intake.credit().release(claimed);
    claimed = 0;
    intake.finished();
    answer.complete(response);
  }
}
