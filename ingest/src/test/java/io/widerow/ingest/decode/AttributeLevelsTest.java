package io.widerow.ingest.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.ingest.MemoryStore;
import io.widerow.storage.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: nothing that a sender gave is lost where names of several levels are equal, and a tape
/// that is reset to a mark writes the same as one that is filled from the start. Method: a model
/// that knows the rules, and random attributes of few names, so that they collide.
class AttributeLevelsTest {
  private static final AttributeLevels LEVELS =
      new AttributeLevels("", AttributeLevels.ATTRIBUTES, "scope.", "resource.");
  private static final List<String> NAMES =
      List.of("a", "b", "body", "type", "ts", "id", "scope.a", "resource.type", "longer.name.9");

  /// An attribute as it is sent.
  private record Sent(int level, String name, String value) {}

  private static void add(AttributeTape tape, List<Sent> all, byte[] body, int[] at) {
    for (Sent each : all) {
      tape.level(each.level);
      byte[] name = each.name.getBytes(UTF_8);
      System.arraycopy(name, 0, body, at[0], name.length);
      tape.name(false, at[0], name.length);
      at[0] += name.length;
      byte[] value = each.value.getBytes(UTF_8);
      System.arraycopy(value, 0, body, at[0], value.length);
      tape.string(false, at[0], value.length);
      at[0] += value.length;
    }
  }

  private static Map<String, String> model(List<Sent> all) {
    Map<String, String> model = new TreeMap<>();
    List<Sent> sorted = new ArrayList<>(all);
    sorted.sort((x, y) -> Integer.compare(x.level, y.level));
    List<String> prefixes = List.of("", "attributes.", "scope.", "resource.");
    for (Sent each : sorted) {
      String prefix = prefixes.get(each.level);
      boolean reserved = each.level > 1 && List.of("id", "ts", "type").contains(each.name);
      String name = reserved ? prefix + each.name : each.name;
      if (model.containsKey(name) && !reserved) {
        name = prefix + each.name;
      }
      String free = name;
      for (int number = 2; model.containsKey(free); number++) {
        free = name + "." + number;
      }
      model.put(free, each.value);
    }
    return model;
  }

  private static Map<String, Object> written(EventBatch batch, int event) {
    MemoryStore store = new MemoryStore(1);
    int _ = store.lanes.get(0).append(batch, 0, (index, why) -> {});
    long _ = store.lanes.get(0).commit(Durability.DISK);
    return store.committed.get(event).attributes();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyAttributeIsWrittenUnderItsOwnName(long seed) {
    Random random = new Random(seed);
    AttributeTape tape = new AttributeTape(LEVELS);
    byte[] body = new byte[1 << 16];
    try (EventBatch batch = new EventBatch(1 << 16, 1 << 24)) {
      IncomingBatch incoming = new IncomingBatch(batch, 0);
      List<Map<String, String>> expected = new ArrayList<>();
      for (int resource = 0; resource < 20; resource++) {
        int[] at = {0};
        tape.begin(body);
        List<Sent> kept = some(random, 3, 4);
        kept.addAll(some(random, 2, 3));
        add(tape, kept, body, at);
        long mark = tape.mark();
        List<Sent> own = some(random, 1, 4);
        for (int event = 0; event < 6; event++) {
          own = random.nextInt(3) > 0 ? own : some(random, random.nextInt(2), 4);
          List<Sent> all = new ArrayList<>(kept);
          all.addAll(own);
          tape.reset(mark);
          int[] here = {at[0]};
          add(tape, own, body, here);
          batch.begin("t".getBytes(UTF_8), 0, 1, 1_000);
          tape.writeTo(batch);
          assertEquals(true, incoming.end(), "refused: " + incoming.refused.count());
          expected.add(model(all));
        }
      }
      for (int i = 0; i < expected.size(); i++) {
        assertEquals(expected.get(i), written(batch, i), "event " + i);
      }
    }
  }

  private static List<Sent> some(Random random, int level, int most) {
    List<Sent> all = new ArrayList<>();
    for (int count = random.nextInt(most + 1); count > 0; count--) {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      all.add(new Sent(level, name, "v" + random.nextInt(1_000_000)));
    }
    return all;
  }

  @Test
  void constantsStayInTheScratch() {
    AttributeTape tape = new AttributeTape(LEVELS);
    int name = tape.constant("severity".getBytes(UTF_8));
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      for (int i = 0; i < 3; i++) {
        tape.begin(new byte[8]);
        tape.name(true, name, 8);
        tape.whole(i);
        batch.begin("t".getBytes(UTF_8), 0, 1, 1_000);
        tape.writeTo(batch);
        assertEquals(null, batch.end());
      }
      for (int i = 0; i < 3; i++) {
        assertEquals(Map.of("severity", (long) i), written(batch, i));
      }
    }
  }
}
