package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: whatever names are asked for, in whatever order, the columns are those of the current
/// block that may be seen. Method: random directories and questions, beside a search each time.
class AskedColumnsTest {
  private static final int NAMES = 100; // more than are remembered

  private static BlockDirectory directory(List<AttributeName> names) {
    BlockDirectory directory = new BlockDirectory();
    directory.names = names.toArray(AttributeName[]::new);
    directory.columns = names.size();
    return directory;
  }

  private static List<AttributeName> names() {
    return IntStream.range(0, NAMES).mapToObj(i -> AttributeName.of("n%02d".formatted(i))).toList();
  }

  private static List<AttributeName> some(List<AttributeName> all, int oneOf, Random random) {
    return all.stream().filter(name -> random.nextInt(oneOf) == 0).toList();
  }

  @Test
  void findsWhatASearchFinds() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      List<AttributeName> all = names();
      Set<AttributeName> seen =
          random.nextBoolean() ? null : some(all, 2, random).stream().collect(Collectors.toSet());
      AskedColumns asked = new AskedColumns(Scan.all().withColumns(seen));
      List<AttributeName> questions = new ArrayList<>(some(all, 1 + random.nextInt(20), random));
      questions.addAll(some(names(), 30, random)); // equal to others, not the same
      Collections.shuffle(questions, random);
      for (int block = 0; block < 3; block++) {
        BlockDirectory directory = directory(some(all, 1 + random.nextInt(3), random));
        asked.clear();
        for (int event = 0; event < 4; event++) {
          for (AttributeName name : questions) {
            boolean visible = seen == null || seen.contains(name);
            assertEquals(visible ? directory.find(name) : -1, asked.find(name, directory));
          }
          if (event == 2) {
            Collections.shuffle(questions, random);
          }
        }
        List<AttributeName> shown = new ArrayList<>();
        for (int i = 0; i < asked.countShown(directory); i++) {
          shown.add(directory.names[asked.shown(i)]);
        }
        assertEquals(
            List.of(directory.names).stream()
                .filter(n -> seen == null || seen.contains(n))
                .toList(),
            shown);
      }
    }
  }
}
