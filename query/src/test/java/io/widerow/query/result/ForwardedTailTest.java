package io.widerow.query.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.RangeReader;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.Token;
import io.widerow.query.forward.ForwardPosition;
import io.widerow.query.forward.ForwardTarget;
import io.widerow.query.forward.Forwarding;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.storage.StoreView;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each event is forwarded at least once and with one token, whatever fails and whenever the
/// sender crashes. Method: a store that is restarted, events in order and late, a target that keeps
/// any part of what it did not acknowledge, and senders that begin at the position of a file.
class ForwardedTailTest extends RestartedStore {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final int STEPS = 200;

  static List<Long> seeds() {
    return Seeds.of(Slice.of(2, 20));
  }

  private final List<Map.Entry<String, Token>> topic = new ArrayList<>();
  private long nowNanos = START;
  private boolean isCalm;

  private final class Target implements ForwardTarget {
    private final SplittableRandom random;
    private final List<Map.Entry<String, Token>> pending = new ArrayList<>();

    Target(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public void send(String type, Token token, byte[] json) {
      assertEquals("app", type);
      pending.add(Map.entry(new String(json, StandardCharsets.UTF_8), token));
      failAtTimes(40);
    }

    @Override
    public void flush() {
      failAtTimes(4);
      topic.addAll(pending);
      pending.clear();
    }

    private void failAtTimes(int bound) {
      if (!isCalm && random.nextInt(bound) == 0) {
        topic.addAll(pending.subList(0, random.nextInt(pending.size() + 1)));
        throw new QueryException.Remote("away");
      }
    }

    @Override
    public void stop() {
      throw new AssertionError("nobody waits");
    }

    @Override
    public void close() {
      pending.clear();
    }
  }

  private Forwarding forwarding(SplittableRandom random) {
    return new Forwarding(
        () -> new Target(random),
        (writer, out, from, _) -> {
          Map<String, List<String>> app = Map.of("type", List.of("app"));
          return new Tail(
              new Tail.Plan(app, 2 * SECOND, Long.MAX_VALUE),
              this::ask,
              writer,
              out,
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
              from == null ? null : Token.parse(from.token()),
              from == null ? null : from.arrived(),
              nowNanos);
        },
        new JsonLinesWriter(ZoneOffset.UTC),
        directory.resolve("position"));
  }

  private Tail.Answer ask(Map<String, List<String>> parameters) {
    StoreView view = store.view();
    RangeReader reader =
        RangeReader.open(
            view, QueryParameters.parse(parameters, nowNanos).query(), QueryBudget.DEFAULT);
    return new Tail.Answer(new TailTest.ViewCursor(view, reader, -1), view.arrivals().toString());
  }

  private static boolean poll(Forwarding forwarding) {
    try {
      return forwarding.poll();
    } catch (QueryException.Remote away) {
      return true;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyEventIsForwarded(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Forwarding forwarding = forwarding(random);
    while (forwarding.acknowledged() == null) {
      assertTrue(poll(forwarding));
    }
    int stored = 0;
    for (int step = 0; step < STEPS; step++) {
      nowNanos += random.nextLong(SECOND);
      for (int i = random.nextInt(4); i > 0; i--) {
        long ago = random.nextInt(5) == 0 ? random.nextLong(60 * SECOND) : random.nextLong(SECOND);
        StoreDirectory.append(
            store, List.of(new Stored("app", nowNanos - ago, Map.of("n", (long) stored++))));
      }
      if (random.nextInt(15) == 0) { // a crash: nothing is closed
        ForwardPosition before = forwarding.acknowledged();
        forwarding = forwarding(random);
        assertEquals(before, forwarding.acknowledged());
      }
      assertTrue(poll(forwarding));
      keepUp(random);
    }
    isCalm = true;
    nowNanos += 60 * SECOND;
    assertTrue(poll(forwarding));
    assertTrue(poll(forwarding));
    forwarding.close();
    Map<String, Token> tokens = new HashMap<>();
    topic.forEach(record -> {
      String number = record.getKey().replaceAll(".*\"n\":(\\d+).*", "$1");
      Token before = tokens.put(number, record.getValue());
      assertTrue(before == null || before.equals(record.getValue()), number);
    });
    assertEquals(stored, tokens.size());
  }
}
