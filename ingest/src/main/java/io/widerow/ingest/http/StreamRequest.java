package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.stream.SubscriptionOption;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchListener;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// One write request with an unbounded body. It is cut into batches, each of which is stored before
/// the body is read on, so that a slow disk slows the sender down. The response follows the last
/// batch.
///
/// ```
///   headers -> piece -> unpack -> claim credit -> frames -> decode -> lanes -> answer
///                ^                (or wait)          |         ^        |
///                |                                   |         +--------+ ring full: 100 ms
///                +------ 256 KiB, or 20 ms quiet ----+------------------+ stored
/// ```
///
/// A request that ends early has stored all whole frames before that: bad framing, a full disk, a
/// stop of the daemon, a sender that leaves. It may be quiet between two frames for as long as it
/// likes; within a frame its pace is that of other bodies, over [#PACE_SECONDS], and the time does
/// not count in which it is not read.
///
/// - Threads: owns a virtual thread, `widerow-stream-<n>`.
/// - Memory: a frame, a batch, and a few pieces, whatever the length of the body. The bytes read
///   hold credit until they are stored. A quiet request holds no body; one of zstd holds its
///   window, up to 8 MiB of native memory.
final class StreamRequest {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final AtomicLong NUMBER = new AtomicLong();

  /// Over how long the pace within a frame is averaged: disks of senders may be slow.
  static final int PACE_SECONDS = 3 * FixedLimits.BODY_RATE_SECONDS;

  private static final int CHUNK_BYTES = 16 << 10;
  private static final int BATCH_BYTES = 256 << 10;
  private static final int BATCH_FRAMES_MAX = 8 << 10;
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long CREDIT_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long ROOM_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CREDIT_WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);
  private static final long PACE_NANOS = TimeUnit.SECONDS.toNanos(PACE_SECONDS);
  private static final int TOO_LARGE = -1; // the end of a frame that was passed over

  private final Intake intake;
  private final ServiceRequestContext context;
  private final StreamProtocol protocol;
  private final Terms terms;
  private final List<BodyCoding> codings;
  private final PieceStream pieces = new PieceStream(this::waiting);
  private final Runnable stop = pieces::stop;
  private final CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private @Nullable Body body; // whole frames, then the beginning of one
  private int frameAt; // in the body: what begins there has not ended
  private boolean passing; // over a frame that is too large
  private int[] starts = new int[64];
  private int[] ends = new int[64];
  private int frames; // whole ones in the body
  private long unpacked; // bytes
  private long claimed;
  private final ArrayDeque<CompletableFuture<BatchOutcome>> waiting = new ArrayDeque<>();
  private boolean anyLate; // of the batches that wait no more
  private boolean quiet;
  private long waitedNanos; // for the rest of a frame
  private long waitBegan;
  private long paceFrom; // bytes received when `waitedNanos` was 0

  /// On what terms a request is taken.
  ///
  /// @param protocol under which its sender is listed
  /// @param source of refused events: the path of the route, without a secret that may be in it
  record Terms(String protocol, String source, Durability durability) {}

  /// A batch could not be stored: the request ends.
  private static final class NotStoredException extends IOException {
    private static final long serialVersionUID = 1L;

    final transient RequestRefused why;

    NotStoredException(RequestRefused why) {
      super(why);
      this.why = why;
    }
  }

  private StreamRequest(
      Intake intake,
      ServiceRequestContext context,
      StreamProtocol protocol,
      Terms terms,
      List<BodyCoding> codings) {
    this.intake = intake;
    this.context = context;
    this.protocol = protocol;
    this.terms = terms;
    this.codings = codings;
  }

  /// Takes one request, or refuses it before its body is read.
  static HttpResponse take(
      Intake intake,
      ServiceRequestContext context,
      HttpRequest request,
      StreamProtocol protocol,
      Terms terms) {
    try {
      IntakeRequest.requireWriting(intake);
      List<BodyCoding> codings = protocol.codings(request.headers());
      return new StreamRequest(intake, context, protocol, terms, codings).begin(request);
    } catch (RequestRefused refused) {
      ConnectionGuard.leave(context);
      Access.SenderIdentity who = Access.sender(context);
      intake.senders().refused(terms.protocol, who.sender(), who.agent(), 1, refused.reason());
      return protocol.refuse(refused);
    }
  }

  private HttpResponse begin(HttpRequest request) {
    context.clearRequestTimeout();
    Channel channel = context.log().partial().channel();
    if (channel != null) { // otherwise a quiet sender whose machine is gone is never missed
      boolean _ = channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    }
    intake.begun(stop);
    request.subscribe(pieces, context.eventLoop(), SubscriptionOption.WITH_POOLED_OBJECTS);
    Thread _ =
        Thread.ofVirtual().name("widerow-stream-" + NUMBER.incrementAndGet()).start(this::run);
    return HttpResponse.of(answer);
  }

  private void run() {
    HttpResponse response;
    boolean early = true;
    try {
      RequestRefused refused = readAll();
      handOver();
      early = refused != null;
      response = refused == null ? answer() : refuse(refused);
    } catch (NotStoredException notStored) { // counted with its batch
      response = protocol.refuse(notStored.why);
    } catch (Throwable bug) { // the credit must be given back
      LOG.log(Level.SEVERE, bug, () -> "storing a request for " + terms.source);
      response = HttpResponse.ofFailure(bug);
    }
    finish(response, early);
  }

  /// The response when the cluster has all batches, or after the timeout.
  private HttpResponse answer() {
    for (CompletableFuture<BatchOutcome> told = waiting.poll();
        told != null;
        told = waiting.poll()) {
      anyLate |= isLate(told.join());
    }
    HttpResponse response = protocol.answer();
    return anyLate
        ? response.mapHeaders(
            headers -> headers.toBuilder().set(WriteRoutes.DURABILITY, "disk").build())
        : response;
  }

  private static boolean isLate(BatchOutcome outcome) {
    return !(outcome instanceof BatchOutcome.Stored stored)
        || stored.durability() != Durability.QUORUM;
  }

  private HttpResponse refuse(RequestRefused refused) {
    Access.SenderIdentity who = Access.sender(context);
    intake.senders().refused(terms.protocol, who.sender(), who.agent(), 1, refused.reason());
    return protocol.refuse(refused);
  }

  /// Reads the body, and stores each full batch.
  ///
  /// @return why it has ended early; null when it has not, or its sender has left
  private @Nullable RequestRefused readAll() throws NotStoredException {
    try (InputStream in =
        codings.isEmpty() ? pieces : Decompression.open(pieces, codings.getFirst())) {
      int count = in.read(chunk, 0, CHUNK_BYTES);
      while (count >= 0) {
        arrived(count);
        count = in.read(chunk, 0, CHUNK_BYTES);
      }
      endFrame();
      return null;
    } catch (PieceStream.GoneException gone) {
      return null; // and the client gets no response
    } catch (PieceStream.StoppedException stopped) {
      return stopping();
    } catch (NotStoredException notStored) {
      throw notStored;
    } catch (IOException bad) {
      return RequestRefused.bad("the body is not valid " + codings.getFirst().shown());
    } catch (RequestRefused refused) {
      return refused;
    }
  }

  private static RequestRefused stopping() {
    return new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, "the daemon is stopping");
  }

  private void arrived(int count) throws RequestRefused, NotStoredException {
    waited();
    if (quiet) {
      quiet = false;
      intake.busy();
    }
    unpacked += count;
    if (!codings.isEmpty()) {
      Decompression.requireRatio(unpacked, pieces.received(), intake.limits().ratioMax());
    }
    claim((long) IntakeRequest.BYTES_PER_BODY_BYTE * count);
    Body into = body == null ? Body.take() : body;
    body = into;
    int at = into.reserve(count);
    System.arraycopy(chunk, 0, into.bytes(), at, count);
    into.wrote(count);
    findFrames(into, at);
    if (frameAt >= BATCH_BYTES || frames >= BATCH_FRAMES_MAX) {
      handOver();
    }
  }

  /// Claims credit for the bytes read. Until the claim succeeds, nothing more is read.
  private void claim(long bytes) throws RequestRefused, NotStoredException {
    long until = System.nanoTime() + CREDIT_WAIT_NANOS_MAX;
    while (intake.credit().bytesFree() < bytes || !intake.credit().tryClaim(bytes)) {
      handOver(); // which gives back the credit of whole frames
      if (intake.draining()) {
        throw stopping();
      }
      if (System.nanoTime() > until) { // many wait, each with a part of a frame
        throw RequestRefused.overloaded();
      }
      LockSupport.parkNanos(CREDIT_RETRY_NANOS);
    }
    claimed += bytes;
  }

  /// Finds the frames that end in the bytes from an offset on.
  private void findFrames(Body in, int offset) throws RequestRefused {
    int at = offset;
    int end = protocol.frameEnd(in.bytes(), at, in.length());
    while (end != StreamProtocol.MORE) {
      if (!passing) {
        addFrame(frameAt, end);
      }
      passing = false;
      frameAt = end;
      at = end;
      waitedNanos = 0;
      paceFrom = pieces.received();
      end = protocol.frameEnd(in.bytes(), at, in.length());
    }
    if (!passing && in.length() - frameAt > protocol.frameBytesMax()) {
      passing = true;
      addFrame(frameAt, TOO_LARGE);
    }
    if (passing) {
      in.cutBack(frameAt);
    }
  }

  private void addFrame(int start, int end) {
    if (frames == starts.length) {
      starts = Arrays.copyOf(starts, 2 * frames);
      ends = Arrays.copyOf(ends, 2 * frames);
    }
    starts[frames] = start;
    boolean tooLarge = end != TOO_LARGE && end - start > protocol.frameBytesMax();
    ends[frames++] = tooLarge ? TOO_LARGE : end;
  }

  /// Handles the end of the body: the remaining bytes are a frame or a part of one.
  private void endFrame() throws RequestRefused {
    boolean left = body != null && body.length() > frameAt;
    if (left || passing) {
      protocol.endFrame();
    }
    if (left && body != null) {
      addFrame(frameAt, body.length());
      frameAt = body.length();
    }
  }

  /// Called before the thread waits for the next piece.
  private long waiting(int waits) throws IOException {
    waited();
    if (frames > 0 && waits == 0) {
      return QUIET_NANOS;
    }
    handOver();
    if (passing || (body != null && body.length() > 0)) {
      if (waitedNanos >= PACE_NANOS) {
        throw new NotStoredException(tooSlow());
      }
      waitBegan = System.nanoTime();
      return PACE_NANOS - waitedNanos;
    }
    if (!quiet) {
      quiet = true;
      intake.quiet();
    }
    giveBody();
    return 0;
  }

  /// Adds up how long the rest of a frame was waited for.
  private void waited() {
    if (waitBegan != 0) {
      waitedNanos += System.nanoTime() - waitBegan;
      waitBegan = 0;
      if (pieces.received() - paceFrom >= intake.limits().paceBytes()) {
        waitedNanos = 0;
        paceFrom = pieces.received();
      }
    }
  }

  private RequestRefused tooSlow() {
    Access.SenderIdentity who = Access.sender(context);
    RequestRefused slow =
        new RequestRefused(
            HttpStatus.SERVICE_UNAVAILABLE,
            "only %d bytes arrived in %d s, in the middle of an entry"
                .formatted(pieces.received() - paceFrom, PACE_SECONDS));
    intake.senders().refused(terms.protocol, who.sender(), who.agent(), 1, slow.reason());
    return slow;
  }

  /// Stores the whole frames, and drops them from the body.
  private void handOver() throws NotStoredException {
    if (frames == 0) {
      return;
    }
    BatchOutcome outcome = write();
    while (outcome instanceof BatchOutcome.Overloaded && !intake.draining()) {
      LockSupport.parkNanos(ROOM_RETRY_NANOS);
      outcome = write();
    }
    switch (outcome) {
      case BatchOutcome.Stored _ -> {}
      case BatchOutcome.Overloaded() -> throw new NotStoredException(RequestRefused.overloaded());
      case BatchOutcome.DiskFull(String why) ->
          throw new NotStoredException(new RequestRefused(HttpStatus.INSUFFICIENT_STORAGE, why));
      case BatchOutcome.Failed(String why) ->
          throw new NotStoredException(
              new RequestRefused(
                  HttpStatus.SERVICE_UNAVAILABLE, "writing has ended: %s".formatted(why)));
    }
    Body stored = body;
    if (stored != null) {
      stored.cutFront(frameAt);
      long kept = (long) IntakeRequest.BYTES_PER_BODY_BYTE * stored.length();
      intake.credit().release(Math.max(0, claimed - kept));
      claimed = Math.min(claimed, kept);
    }
    frameAt = 0;
    frames = 0;
  }

  /// Decodes the whole frames, and waits until a lane has stored them or not.
  private BatchOutcome write() throws NotStoredException {
    IncomingBatch batch = intake.lanes().begin(intake.epochNanos());
    try {
      decode(batch);
      intake.lanes().applyRules(batch);
    } catch (StorageException.ClockWrong behind) {
      intake.lanes().drop(batch);
      throw new NotStoredException(
          new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(behind.getMessage())));
    } catch (Throwable bug) {
      intake.lanes().drop(batch);
      throw bug;
    }
    long held = batch.events.memory().byteSize();
    intake.credit().claimInDebt(held);
    BatchSample sample = intake.sample(batch).from(context.clientAddress().getHostAddress());
    Kept told = new Kept();
    intake.lanes().write(batch, null, terms.durability, told);
    BatchOutcome outcome = told.here.join();
    intake.credit().release(held);
    waitFor(told);
    if (!(outcome instanceof BatchOutcome.Overloaded) || intake.draining()) {
      Access.SenderIdentity who = Access.sender(context);
      intake.senders().add(terms.protocol, who.sender(), who.agent(), sample, outcome);
    }
    if (outcome instanceof BatchOutcome.Stored stored) {
      intake.rejected().add(terms.source, stored.refused());
    }
    return outcome;
  }

  /// Gets the outcome of a batch: first as it is on this machine, so that the body can be read on.
  private static final class Kept implements BatchListener {
    final CompletableFuture<BatchOutcome> here = new CompletableFuture<>();
    final CompletableFuture<BatchOutcome> last = new CompletableFuture<>();

    @Override
    public void kept(BatchOutcome.Stored stored) {
      here.complete(stored);
    }

    @Override
    public void accept(BatchOutcome outcome) {
      last.complete(outcome);
      here.complete(outcome);
    }
  }

  /// Remembers what the response waits for, and forgets what the cluster has.
  private void waitFor(Kept told) {
    if (terms.durability != Durability.QUORUM) {
      return;
    }
    waiting.add(told.last);
    for (CompletableFuture<BatchOutcome> first = waiting.peek();
        first != null && first.isDone();
        first = waiting.peek()) {
      anyLate |= first.join() instanceof BatchOutcome.Stored stored && isLate(stored);
      waiting.remove();
    }
  }

  private void decode(IncomingBatch batch) {
    for (int i = 0; i < frames; i++) {
      if (ends[i] == TOO_LARGE) {
        batch.refuse(
            "entry at byte 0: it has more than %d bytes, the limit"
                .formatted(protocol.frameBytesMax()));
      } else if (body != null) {
        protocol.decode(body.bytes(), starts[i], ends[i], batch);
      }
    }
  }

  private void giveBody() {
    if (body != null) {
      body.give();
      body = null;
    }
  }

  /// @param early whether the rest of the body may still arrive
  private void finish(HttpResponse response, boolean early) {
    giveBody();
    intake.credit().release(claimed);
    claimed = 0;
    if (quiet) {
      intake.busy();
    }
    intake.finished(stop);
    context
        .eventLoop()
        .execute(() -> {
          if (early) {
            ConnectionGuard.leave(context);
          }
          pieces.close();
          answer.complete(response);
        });
  }
}
