package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.alert.AlertEngine;
import io.widerow.ingest.alert.RuleFile;
import io.widerow.ingest.alert.RuleGroup;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.promql.PromqlException;
import io.widerow.storage.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// The changes of alerts over time, a line of JSON each: `GET /v1/alerts/history` those that were,
/// `POST /v1/alerts/backtest` those that a rule file would have led to.
///
/// - Threads: event loops; each response is made on a thread, `widerow-backtest-<n>`.
public final class BacktestService {
  private static final String PATH = "/v1/alerts";
  private static final int ANSWERS_MAX = 2;
  private static final int FILE_BYTES_MAX = 4 << 20;
  private static final int BUFFER_BYTES = 32 << 10;
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final AlertEngine engine;
  private final long intervalMillis;
  private final LongSupplier epochNanos;
  private final ReplyThreads threads;

  public BacktestService(AlertEngine engine, DaemonConfig config, LongSupplier epochNanos) {
    this.engine = engine;
    this.intervalMillis = config.alerts().intervalMillis();
    this.epochNanos = epochNanos;
    this.threads =
        ReplyThreads.computing("widerow-backtest", ANSWERS_MAX, config.limits().stallSeconds());
  }

  public List<HttpRoute> routes() {
    return List.of(
        HttpRoute.get(PATH + "/history", Tokens.Scope.QUERY, (context, _) -> history(context)),
        HttpRoute.post(PATH + "/check", Tokens.Scope.QUERY, this::check),
        HttpRoute.post(PATH + "/backtest", Tokens.Scope.QUERY, this::backtest));
  }

  /// A range of time, both ends inside, in milliseconds since the Unix epoch.
  private record Range(long fromMillis, long untilMillis) {}

  private Range range(QueryParams given) throws RequestRefused {
    long now = epochNanos.getAsLong();
    String from = Parameters.single(given, "from");
    String to = Parameters.single(given, "to");
    long first = TimeText.parse("from", from == null ? "1d" : from, now);
    long last = to == null ? now : TimeText.parse("to", to, now);
    if (last < first) {
      throw RequestRefused.bad("to: is before from, got " + to);
    }
    return new Range(
        Math.ceilDiv(first, NANOS_PER_MILLISECOND), Math.floorDiv(last, NANOS_PER_MILLISECOND));
  }

  private HttpResponse history(ServiceRequestContext context) throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of("from", "to"));
    Range range = parsed(context.queryParams());
    return threads.answer(
        context,
        reply -> run(reply, line -> engine.history(range.fromMillis, range.untilMillis, line)));
  }

  private Range parsed(QueryParams given) throws RequestRefused {
    try {
      return range(given);
    } catch (QueryException.Refused refused) {
      throw RequestRefused.bad(String.valueOf(refused.getMessage()));
    }
  }

  /// Reads the rule file of a request; `language=logql` for Loki's.
  private HttpResponse withFile(
      ServiceRequestContext context, HttpRequest request, Function<RuleFile, HttpResponse> then)
      throws RequestRefused {
    String language = Parameters.single(context.queryParams(), "language");
    if (language != null && !List.of("promql", "logql").contains(language)) {
      throw RequestRefused.bad("language: must be promql or logql, got " + language);
    }
    context.setMaxRequestLength(FILE_BYTES_MAX);
    return HttpResponse.of(
        request
            .aggregate()
            .thenApply(whole -> {
              RuleFile file;
              try {
                file =
                    RuleFile.parse(
                        "rules",
                        whole.content(StandardCharsets.UTF_8),
                        "logql".equals(language),
                        intervalMillis);
              } catch (IllegalArgumentException mistake) {
                return HttpResponses.error(
                    HttpStatus.BAD_REQUEST, String.valueOf(mistake.getMessage()));
              }
              return then.apply(file);
            }));
  }

  /// `POST /v1/alerts/check`: whether the body is a rule file.
  private HttpResponse check(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of("language"));
    return withFile(
        context,
        request,
        file -> {
          int rules = file.groups().stream().mapToInt(RuleGroup::count).sum();
          return HttpResponses.json(
              HttpStatus.OK,
              "{\"groups\":%d,\"rules\":%d}\n".formatted(file.groups().size(), rules));
        });
  }

  private HttpResponse backtest(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    QueryParams given = context.queryParams();
    Parameters.requireKnown(given, List.of("from", "to", "language", "as-seen"));
    Range range = parsed(given);
    boolean asSeen = Parameters.flag(given, "as-seen");
    return withFile(
        context,
        request,
        file ->
            threads.answer(
                context,
                reply ->
                    run(
                        reply,
                        line ->
                            engine.backtest(
                                file, range.fromMillis, range.untilMillis, asSeen, line))));
  }

  /// Hands lines over to the reader while they are made.
  private static void run(QueryReply reply, Consumer<Consumer<String>> work)
      throws ExecutionException, InterruptedException, TimeoutException {
    Lines lines = new Lines(reply);
    try {
      work.accept(lines::add);
      lines.end();
    } catch (QueryException | PromqlException failed) {
      lines.fail(HttpStatus.BAD_REQUEST, failed);
    } catch (StorageException failed) {
      lines.fail(HttpStatus.INTERNAL_SERVER_ERROR, failed);
    }
  }

  /// The lines of a response.
  private static final class Lines {
    private final QueryReply reply;
    private final StringBuilder text = new StringBuilder();
    private boolean begun;

    Lines(QueryReply reply) {
      this.reply = reply;
    }

    void add(String line) {
      text.append(line).append('\n');
      if (text.length() > BUFFER_BYTES) {
        byte[] bytes = take();
        try {
          if (!reply.write(bytes, bytes.length)) {
            throw new QueryException.Stopped("the reader left");
          }
        } catch (ExecutionException | TimeoutException left) {
          throw new QueryException.Stopped("the reader left: " + left.getMessage());
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new QueryException.Stopped("the daemon stops");
        }
      }
    }

    private byte[] take() {
      if (!begun) {
        begun = true;
        reply.begin(
            ResponseHeaders.builder(HttpStatus.OK).contentType(HttpResponses.LINES).build());
      }
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      text.setLength(0);
      return bytes;
    }

    void end() throws ExecutionException, InterruptedException, TimeoutException {
      byte[] bytes = take();
      reply.end(bytes, bytes.length);
    }

    void fail(HttpStatus status, RuntimeException failed) {
      if (begun) {
        throw failed;
      }
      reply.refuse(HttpResponses.error(status, String.valueOf(failed.getMessage())));
    }
  }
}
