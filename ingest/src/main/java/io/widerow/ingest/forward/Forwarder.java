package io.widerow.ingest.forward;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.ForwardOptions;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeReader;
import io.widerow.query.forward.ForwardPosition;
import io.widerow.query.forward.ForwardProvider;
import io.widerow.query.forward.Forwarding;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.Tail;
import io.widerow.query.result.TailRequest;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Sends the events of the store to a topic of Kafka, as `widerow tail --to` does. The position is
/// in the file `forward` of the store's directory: a restart continues there, whatever the key.
///
/// - Threads: owns `widerow-forward`; any may ask for reports.
public final class Forwarder implements AutoCloseable {
  /// The file of the position.
  public static final String FILE = "forward";

  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long LOOK_MILLIS = 100;
  private static final long AWAY_MILLIS = 2_000;
  private static final double AWAY_SECONDS = 30;

  private final ForwardOptions options;
  private final EventStore store;
  private final QueryMemory memory;
  private final LongSupplier epochNanos;
  private final Forwarding forwarding;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("widerow-forward").unstarted(this::run);
  private @Nullable StoreView view; // while it looks
  private volatile @Nullable RangeReader reading;
  private volatile long completeNanos = System.nanoTime();
  private volatile @Nullable String reason;

  /// @param directory of the store
  /// @throws IllegalArgumentException when a property of the target is refused, or the file holds
  ///   no position
  public Forwarder(
      ForwardOptions options,
      EventStore store,
      QueryMemory memory,
      Path directory,
      LongSupplier epochNanos) {
    this.options = options;
    this.store = store;
    this.memory = memory;
    this.epochNanos = epochNanos;
    ForwardProvider provider = ForwardProvider.found();
    provider.open(options.to()).close(); // may refuse properties
    long nowNanos = epochNanos.getAsLong();
    var query =
        QueryParameters.parse(options.request(null, nowNanos).plan().parameters(), nowNanos)
            .query();
    try {
      this.forwarding =
          new Forwarding(
              () -> provider.open(options.to()),
              this::open,
              new JsonLinesWriter(ZoneOffset.UTC, query.fields()),
              directory.resolve(FILE));
    } catch (StorageException unreadable) {
      throw new IllegalArgumentException(unreadable.getMessage(), unreadable);
    }
  }

  public void start() {
    thread.start();
  }

  public void measure(MeterRegistry registry) {
    FunctionCounter.builder("widerow.forward.events", forwarding, Forwarding::events)
        .description("Events that the target of forward has acknowledged.")
        .register(registry);
    Gauge.builder("widerow.forward.lag.seconds", this, Forwarder::lagSeconds)
        .description("Seconds since all events of the store were acknowledged.")
        .register(registry);
  }

  private Tail open(
      EventWriter writer, Tail.Output out, @Nullable ForwardPosition from, long sent) {
    long nowNanos = epochNanos.getAsLong();
    String resumed =
        from == null
            ? null
            : from.arrived() == null ? from.token() : from.token() + " " + from.arrived();
    TailRequest request = options.request(resumed, nowNanos);
    return new Tail(
        request.plan(),
        this::ask,
        writer,
        out,
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
        request.after(),
        request.arrived(),
        nowNanos);
  }

  private Tail.Answer ask(Map<String, List<String>> parameters) {
    StoreView now = view;
    if (now == null) {
      throw new IllegalStateException("asked outside of a look");
    }
    QueryParameters asked = QueryParameters.parse(parameters, epochNanos.getAsLong());
    RangeReader reader = RangeReader.open(now, asked.query(), QueryBudget.DEFAULT, memory);
    reading = reader;
    if (stopping.getCount() == 0) {
      reader.cancel();
    }
    return new Tail.Answer(reader, reader.arrivals().toString());
  }

  private void run() {
    try {
      long waitMillis = 0;
      while (!stopping.await(waitMillis, TimeUnit.MILLISECONDS)) {
        waitMillis = look() ? LOOK_MILLIS : AWAY_MILLIS;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error failure) {
      reason = "ended by " + failure;
      LOG.log(Level.SEVERE, "forward: sending has ended until the daemon starts again", failure);
      throw failure;
    } finally {
      forwarding.close();
    }
  }

  /// False when something does not answer.
  private boolean look() {
    try (StoreView now = store.view()) {
      view = now;
      boolean _ = forwarding.poll();
      completeNanos = System.nanoTime();
      if (reason != null) {
        LOG.log(Level.INFO, "forward: {0} takes events again", options.to());
      }
      reason = null;
      return true;
    } catch (QueryException | StorageException away) {
      if (stopping.getCount() > 0) {
        tell(String.valueOf(away.getMessage()));
      }
      return false;
    } finally {
      view = null;
      reading = null;
    }
  }

  private void tell(String why) {
    if (!why.equals(reason)) {
      LOG.log(Level.WARNING, "forward: {0}; trying again", why);
    }
    reason = why;
  }

  private double lagSeconds() {
    return (System.nanoTime() - completeNanos) / 1e9;
  }

  /// The member of `/v1/status`.
  public String summary() {
    String why = reason;
    StringBuilder json = new StringBuilder("{\"to\":");
    HttpResponses.appendString(json, options.to().toString());
    json.append(",\"state\":\"").append(why == null ? "sending" : "waiting");
    json.append("\",\"events\":").append(forwarding.events());
    json.append(",\"lagSeconds\":").append(Math.round(10 * lagSeconds()) / 10.0);
    json.append(",\"gaps\":").append(forwarding.gaps()).append(",\"reason\":");
    return HttpResponses.appendString(json, why).append('}').toString();
  }

  /// What an operator should check.
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    double lag = lagSeconds();
    String why = reason;
    if (why != null && lag > AWAY_SECONDS) {
      findings.add(
          new Finding(
              "forward-away",
              Finding.Severity.BAD,
              options.to().toString(),
              lag,
              AWAY_SECONDS,
              "events are not sent: " + why,
              "look at the brokers and the address; events wait in the store until their"
                  + " retention"));
    }
    long gaps = forwarding.gaps();
    if (gaps > 0) {
      findings.add(
          new Finding(
              "forward-gap",
              Finding.Severity.BAD,
              options.to().toString(),
              (double) gaps,
              0.0,
              "retention removed events before they were sent",
              "keep events for longer than an outage of the target"));
    }
    return findings;
  }

  /// Ends its thread. What is not acknowledged is sent after the next start.
  @Override
  public void close() {
    stopping.countDown();
    RangeReader open = reading;
    if (open != null) {
      open.cancel();
    }
    forwarding.stop();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
