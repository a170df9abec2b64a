package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventView;
import io.widerow.event.StreamLabels;
import io.widerow.faults.Seeds;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: an event that is written without its line gives the same bytes as its line, and most
/// events are. Method: events of all kinds, pushed with labels and not, with names that show alike
/// or in another order, in segments and in open rows, read in both ways.
class StreamEntriesTest {
  private static final int EVENTS = 400;
  private static final long START = 1_780_000_000_000_000_000L;
  private static final List<String> NAMES =
      List.of(
          "app",
          "A",
          "agent",
          "a.b",
          "a_b",
          "b",
          "detected_level",
          "env",
          "label.id",
          "level",
          "metadata.env",
          "severity",
          "service_name",
          "status",
          "trace.id",
          "uber",
          "z\u00e9\"",
          "host");

  private final QueryMemory memory = new QueryMemory(64 << 20);
  private int written; // events without their lines

  static List<Long> seeds() {
    return Seeds.of(5);
  }

  /// Takes lines only, as they were taken before.
  private record OnlyLines(StreamEntries to) implements LineSink {
    @Override
    public void add(Line line) {
      to.add(line);
    }
  }

  private final class Counted implements LineSink {
    private final StreamEntries to;

    Counted(StreamEntries to) {
      this.to = to;
    }

    @Override
    public void add(Line line) {
      to.add(line);
    }

    @Override
    public boolean add(EventView event) {
      boolean added = to.add(event);
      written += added ? 1 : 0;
      return added;
    }
  }

  private static Stored event(SplittableRandom random) {
    Map<String, Object> attributes = new TreeMap<>();
    boolean rare = random.nextInt(4) == 0;
    for (String name : NAMES) {
      boolean unusual = name.startsWith("metadata") || name.equals("a_b") || name.equals("A");
      if (random.nextInt(3) == 0 && (rare || !unusual)) {
        attributes.put(name, value(random));
      }
    }
    if (random.nextBoolean()) {
      List<String> lists = List.of("app,env", "app,env,id,host", "", "*", "b,a_b,level");
      attributes.put(StreamLabels.FIELD.toString(), lists.get(random.nextInt(lists.size())));
    }
    if (random.nextInt(10) > 0) {
      List<String> bodies = List.of("GET /\u0001\u0085\"\\", "level=warn x", "", "ERROR: no");
      attributes.put("body", random.nextInt(20) == 0 ? 7L : bodies.get(random.nextInt(4)));
    }
    String type = List.of("shop", "we\"b").get(random.nextInt(2));
    return new Stored(type, START + random.nextInt(1_000_000), attributes);
  }

  private static Object value(SplittableRandom random) {
    return switch (random.nextInt(9)) {
      case 0 -> (long) random.nextInt(40);
      case 1 -> random.nextInt(4) * 0.5;
      case 2 -> random.nextBoolean();
      case 3 -> "";
      case 4 -> Double.NaN;
      case 5 -> new byte[] {1, (byte) random.nextInt(9)};
      case 6 -> "warn";
      default -> "x\t\u00e4" + random.nextInt(3);
    };
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eventsGiveTheBytesOfTheirLines(long seed, @TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      events.add(event(random));
    }
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, events.subList(0, EVENTS / 2));
      store.sealAll();
      StoreDirectory.append(store, events.subList(EVENTS / 2, EVENTS));
      try (StoreView view = store.view()) {
        for (boolean categorized : new boolean[] {true, false}) {
          for (boolean backward : new boolean[] {true, false}) {
            String lines = read(view, categorized, backward, true);
            assertEquals(lines, read(view, categorized, backward, false));
          }
        }
      }
    }
    assertEquals(0, memory.bytesUsed(), "all memory is given back");
    assertTrue(written > EVENTS, "written without their lines: " + written);
  }

  private String read(StoreView view, boolean categorized, boolean backward, boolean lines) {
    LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      StreamEntries entries = new StreamEntries(execution, categorized);
      LogQuery query = (LogQuery) LogqlParser.parse("{}");
      LineSink to = lines ? new OnlyLines(entries) : new Counted(entries);
      new LogRun(execution, query, to).read(START, START + 1_000_000, backward, EVENTS);
      assertEquals(EVENTS, entries.count());
      if (backward) {
        entries.reverse();
      }
      OutputBuffer out = new OutputBuffer(1 << 10);
      entries.write(out);
      return out.toString();
    }
  }
}
