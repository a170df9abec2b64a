package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.websocket.CloseWebSocketFrame;
import com.linecorp.armeria.common.websocket.WebSocket;
import com.linecorp.armeria.common.websocket.WebSocketCloseStatus;
import com.linecorp.armeria.common.websocket.WebSocketFrame;
import com.linecorp.armeria.common.websocket.WebSocketWriter;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.websocket.WebSocketService;
import io.netty.util.AttributeKey;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.query.logql.run.LokiJson;
import io.widerow.query.logql.run.StreamEntries;
import io.widerow.query.logql.run.TailRun;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// `GET /loki/api/v1/tail` over WebSocket. The next message is made when the last one is in the
/// socket, so that a slow reader delays itself and loses nothing. A connection that takes nothing
/// for `stallSeconds` of [io.widerow.ingest.config.FixedLimits] is closed.
///
/// - Threads: event loops; each tail has a virtual thread, `widerow-loki-tail-<n>`.
final class LokiTail {
  private static final String PATH = "/loki/api/v1/tail";
  private static final AttributeKey<Question> QUESTION =
      AttributeKey.valueOf(LokiTail.class, "QUESTION");
  private static final int TAILS_MAX = 32;
  private static final long LOOK_MILLIS = 200;
  private static final long PING_LOOKS = 50; // every ten seconds
  private static final long DELAY_SECONDS_MAX = 5;
  private static final int SINK_BYTES = 16 << 10;

  private final EventStore store;
  private final QueryMemory memory;
  private final KnownFields known;
  private final LabelMapping labels;
  private final LogqlLimits limits;
  private final LongSupplier epochNanos;
  private final int stallSeconds;
  private final Semaphore slots = new Semaphore(TAILS_MAX);
  private final AtomicLong number = new AtomicLong();
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  LokiTail(
      EventStore store,
      QueryMemory memory,
      KnownFields known,
      LabelMapping labels,
      LogqlLimits limits,
      LongSupplier epochNanos,
      int stallSeconds) {
    this.store = store;
    this.memory = memory;
    this.known = known;
    this.labels = labels;
    this.limits = limits;
    this.epochNanos = epochNanos;
    this.stallSeconds = stallSeconds;
  }

  /// The query to follow.
  private record Question(
      LogQuery query, long startNanos, long limit, long lagNanos, boolean categorized) {}

  HttpRoute route() {
    WebSocketService service =
        WebSocketService.builder(this::follow)
            .allowedOrigins("*")
            .build(); // Access refuses other sites
    return new HttpRoute(
        PATH,
        Set.of(HttpMethod.GET),
        Tokens.Scope.QUERY,
        new SimpleDecoratingHttpService(service) {
          @Override
          public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
              throws Exception {
            HttpResponse refused = ask(context, request);
            return refused == null ? unwrap().serve(context, request) : refused;
          }
        },
        LokiErrors.FORM);
  }

  /// Reads the query before the connection becomes a WebSocket. Null when it can be followed.
  private @Nullable HttpResponse ask(ServiceRequestContext context, HttpRequest request) {
    try {
      LokiParameters parameters = new LokiParameters(context.queryParams(), epochNanos.getAsLong());
      if (!(LogqlParser.parse(parameters.query()) instanceof LogQuery query)) {
        throw new QueryException.Refused("query", "only lines can be followed");
      }
      long limit = parameters.lines();
      long startNanos = parameters.bounds().fromNanos();
      long lagNanos = TimeUnit.SECONDS.toNanos(parameters.delaySeconds(DELAY_SECONDS_MAX));
      boolean categorized = LokiResponses.isCategorized(request);
      context.setAttr(QUESTION, new Question(query, startNanos, limit, lagNanos, categorized));
      return null;
    } catch (QueryException refused) {
      return LokiErrors.of(refused);
    }
  }

  private WebSocket follow(ServiceRequestContext context, WebSocket in) {
    WebSocketWriter out = WebSocket.streaming();
    Question question = context.attr(QUESTION);
    Connection connection = new Connection(out);
    in.subscribe(connection, context.eventLoop());
    if (question == null || stopping || !slots.tryAcquire()) {
      out.close(WebSocketCloseStatus.TRY_AGAIN_LATER, "too many tails; try again");
      return out;
    }
    open.add(connection);
    var _ = out.whenComplete().whenComplete((_, _) -> connection.end());
    if (stopping) {
      connection.end();
    }
    Thread.ofVirtual()
        .name("widerow-loki-tail-" + number.incrementAndGet())
        .start(() -> {
          try {
            run(question, connection);
          } finally {
            open.remove(connection);
            slots.release();
          }
        });
    return out;
  }

  private void run(Question question, Connection connection) {
    TailRun tail = new TailRun(question.query, question.startNanos, question.categorized);
    try {
      boolean there =
          look(
              connection,
              execution ->
                  tail.begin(execution, watermark(question), question.limit, connection::write));
      for (long looks = 1; there && !connection.isOver(LOOK_MILLIS); looks++) {
        if (looks % PING_LOOKS == 0) {
          connection.out.writePing();
        }
        there =
            look(
                connection,
                execution -> tail.next(execution, watermark(question), connection::write));
      }
      connection.out.close(WebSocketCloseStatus.NORMAL_CLOSURE);
    } catch (QueryException | StorageException failed) {
      connection.out.close(
          WebSocketCloseStatus.INTERNAL_SERVER_ERROR, reason(String.valueOf(failed.getMessage())));
    } catch (Throwable failure) { // else the client would wait indefinitely
      connection.out.close(failure);
      throw failure;
    }
  }

  private long watermark(Question question) {
    return epochNanos.getAsLong() - question.lagNanos;
  }

  /// A close frame has 123 bytes for it.
  private static String reason(String message) {
    String ascii = message.replaceAll("[^ -~]", "?");
    return ascii.substring(0, Math.min(120, ascii.length()));
  }

  /// One look at the store.
  @FunctionalInterface
  private interface Look {
    boolean at(LogqlContext execution);
  }

  private boolean look(Connection connection, Look look) {
    try (StoreView view = store.view();
        LogqlContext execution =
            new LogqlContext(view, labels, known, limits, QueryBudget.DEFAULT, memory)) {
      connection.running = execution;
      if (connection.isOver(0)) {
        return false;
      }
      return look.at(execution);
    } finally {
      connection.running = null;
    }
  }

  /// Ends all tails, and refuses new ones.
  void stop() {
    stopping = true;
    open.forEach(Connection::end);
  }

  /// One reader. What it sends is not looked at, except that it leaves.
  private final class Connection implements Subscriber<WebSocketFrame> {
    private final WebSocketWriter out;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile @Nullable LogqlContext running;
    private @Nullable Subscription subscription;

    Connection(WebSocketWriter out) {
      this.out = out;
    }

    void end() {
      over.countDown();
      LogqlContext execution = running;
      if (execution != null) {
        execution.cancel();
      }
    }

    boolean isOver(long waitMillis) {
      try {
        return over.await(waitMillis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return true;
      }
    }

    /// Sends a message and waits until it is in the socket. False when the reader is gone.
    boolean write(StreamEntries entries, @Nullable Long droppedNanos) {
      LongConsumer memory = entries.execution()::hold;
      OutputBuffer message = new OutputBuffer(SINK_BYTES, memory);
      LokiJson.tailed(entries, droppedNanos, message);
      memory.accept(4L * message.length()); // the text, and its frame
      if (!out.tryWrite(message.toString())) {
        return false;
      }
      try {
        var _ = out.whenConsumed().get(stallSeconds, TimeUnit.SECONDS);
        return true;
      } catch (ExecutionException | TimeoutException gone) {
        out.close(WebSocketCloseStatus.POLICY_VIOLATION, "the reader takes nothing");
        return false;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(WebSocketFrame frame) {
      if (frame instanceof CloseWebSocketFrame) {
        end();
      }
      Subscription of = subscription;
      if (of != null) {
        of.request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      end();
    }

    @Override
    public void onComplete() {
      end();
    }
  }
}
