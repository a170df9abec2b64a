package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.AttributeName;
import io.widerow.event.EventView;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.Tail;
import io.widerow.query.result.TailRequest;
import io.widerow.storage.Filters;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// `GET /v1/tail` without aggregations: events on arrival, as one response without end. The store
/// is polled again when the last piece is in the socket, so a slow reader delays itself and loses
/// nothing. A connection that takes nothing for `stallSeconds` of
/// [io.widerow.ingest.config.FixedLimits] is closed; its client continues after the last position
/// that it received.
///
/// For a client that accepts `text/event-stream` (server-sent events), each line is an event and
/// positions are ids, so that it resumes by itself.
///
/// - Threads: the connection's event loop; each tail has a virtual thread, `widerow-follow-<n>`.
final class EventTail {
  private static final MediaType EVENTS = MediaType.parse("text/event-stream");
  private static final int TAILS_MAX = 64;
  private static final long LOOK_MILLIS = 100;
  private static final long SILENT_LOOKS = 10; // a position each second when nothing comes

  private final QueryResources resources;
  private final ReplyThreads threads;
  private final CountDownLatch stopping = new CountDownLatch(1);

  EventTail(QueryResources resources) {
    this.resources = resources;
    this.threads = ReplyThreads.waiting("widerow-follow", TAILS_MAX, resources.stallSeconds());
  }

  HttpResponse answer(ServiceRequestContext context, HttpRequest request) {
    String accepted = request.headers().get(HttpHeaderNames.ACCEPT, "");
    boolean framed = accepted.contains(EVENTS.nameWithoutParameters());
    TailRequest question =
        TailRequest.parse(
            QueryService.values(context),
            framed ? request.headers().get("last-event-id") : null,
            resources.epochNanos());
    return threads.answer(context, reply -> new Run(question, framed, reply).run());
  }

  /// Ends all tails soon.
  void stop() {
    stopping.countDown();
  }

  /// One tail.
  private final class Run implements EventWriter {
    private final QueryReply reply;
    private final boolean framed;
    private final EventWriter events;
    private final RangeQuery query;
    private final Tail tail;
    private @Nullable StoreView view; // while it looks
    private volatile @Nullable RangeReader reading;
    private @Nullable Exception gone; // why the reader is
    private boolean sent; // something since the last look
    private List<String> warnings = List.of();

    Run(TailRequest question, boolean framed, QueryReply reply) {
      this.reply = reply;
      this.framed = framed;
      long nowNanos = resources.epochNanos();
      Tail.Plan plan = question.plan();
      QueryParameters parameters = QueryParameters.parse(plan.parameters(), nowNanos);
      this.query = parameters.query();
      this.events = parameters.writer(resources.memory());
      this.tail =
          new Tail(
              plan,
              this::ask,
              this,
              this::send,
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
              question.after(),
              question.arrived(),
              nowNanos);
    }

    void run() throws Exception {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> cancel());
      OutputBuffer last = new OutputBuffer(1 << 8);
      try {
        long silent = 0;
        while (look() && !stopping.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          beginOnce();
          silent = sent ? 0 : silent + 1;
          sent = false;
          if (silent % SILENT_LOOKS == 1) {
            position(tail.token(), last);
            if (!send(last)) {
              break;
            }
            sent = false;
          }
        }
      } catch (QueryException | StorageException failed) {
        if (!reply.hasBegun()) { // in the first look, before the first event
          reply.refuse(QueryErrors.of(failed));
          return;
        }
        line("{\"error\":\"", String.valueOf(failed.getMessage()), last);
      }
      if (gone != null) {
        throw gone;
      }
      beginOnce();
      reply.end(last.bytes(), last.length());
    }

    private void beginOnce() {
      reply.beginOnce(() ->
          QueryErrors.warn(
                  warnings,
                  ResponseHeaders.builder(HttpStatus.OK)
                      .contentType(framed ? EVENTS : HttpResponses.LINES)
                      .add(HttpHeaderNames.CACHE_CONTROL, "no-store"))
              .build());
    }

    private boolean look() {
      try (StoreView now = resources.store().view()) {
        view = now;
        if (!reply.hasBegun() && tail.arrived() == null) {
          warnings = warnings(now);
        }
        return !reply.response().isComplete() && tail.poll();
      } finally {
        view = null;
        reading = null;
      }
    }

    private List<String> warnings(StoreView now) {
      Set<AttributeName> names = new LinkedHashSet<>(Filters.named(query.filter()));
      List<AttributeName> fields = query.fields();
      names.addAll(fields == null ? List.of() : fields);
      return FieldCheck.ofLastDay(now, query, names, resources.epochNanos());
    }

    private Tail.Answer ask(Map<String, List<String>> parameters) {
      StoreView now = view;
      if (now == null) {
        throw new IllegalStateException("asked outside of a look");
      }
      QueryParameters asked = QueryParameters.parse(parameters, resources.epochNanos());
      RangeReader reader =
          RangeReader.open(now, asked.query(), QueryBudget.DEFAULT, resources.memory());
      reading = reader;
      if (reply.response().isComplete()) {
        reader.cancel();
      }
      return new Tail.Answer(reader, reader.arrivals().toString());
    }

    private void cancel() {
      RangeReader open = reading;
      if (open != null) {
        open.cancel();
      }
    }

    /// False when the reader has gone.
    private boolean send(OutputBuffer sink) {
      if (sink.length() == 0) {
        return !reply.response().isComplete();
      }
      sent = true;
      beginOnce();
      try {
        return reply.write(sink.bytes(), sink.length());
      } catch (ExecutionException | TimeoutException left) {
        gone = left;
        return false;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return false;
      } finally {
        sink.clear();
      }
    }

    @Override
    public void event(EventView event, OutputBuffer out) {
      frame(out);
      events.event(event, out);
      endFrame(out);
    }

    @Override
    public void end(@Nullable Token token, OutputBuffer out) {
      if (token != null) {
        position(token, out);
      }
    }

    @Override
    public void gap(Token first, String why, OutputBuffer out) {
      frame(out);
      events.gap(first, why, out);
      endFrame(out);
    }

    private void position(Token token, OutputBuffer out) {
      String arrived = tail.arrived();
      if (framed) {
        out.put("id: " + token + (arrived == null ? "" : " " + arrived) + "\n");
      }
      frame(out);
      out.put("{\"token\":\"" + token);
      out.put(arrived == null ? "\"}\n" : "\",\"arrived\":\"" + arrived + "\"}\n");
      endFrame(out);
    }

    private void line(String begin, String text, OutputBuffer out) {
      out.clear();
      frame(out);
      out.put(begin);
      out.putJson(text);
      out.put("\"}\n");
      endFrame(out);
    }

    private void frame(OutputBuffer out) {
      if (framed) {
        out.put("data: ");
      }
    }

    private void endFrame(OutputBuffer out) {
      if (framed) {
        out.put('\n');
      }
    }
  }
}
