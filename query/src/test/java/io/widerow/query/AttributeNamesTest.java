package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.PartitionKey;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a query knows all attributes that its events may have, and few others. Method: a store
/// whose events come before and after sealing, asked again and again.
class AttributeNamesTest {
  private static final long START = 1_780_000_000_000_000_000L;
  private static final long HOUR = 3_600_000_000_000L;

  private static final StoreView.ValueVisitor NOBODY =
      new StoreView.ValueVisitor() {
        @Override
        public void block(String type, int events) {}

        @Override
        public void value(AttributeName name, AttributeValue value, int events) {}
      };

  private final QueryMemory memory = new QueryMemory(1 << 20);

  @Test
  void namesOfSegmentsAndOpenRowsAreKnown(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(
          store,
          List.of(
              new Stored("a", START, Map.of("x.y", 1L, "z", "1")),
              new Stored("b", START, Map.of("of.b", 1L)),
              new Stored("a", START + 30 * HOUR, Map.of("later", 1L))));
      assertEquals(Set.of("x.y", "z", "of.b", "later"), names(store, "a"), "all of open rows");
      store.sealAll();
      assertEquals(Set.of("x.y", "z"), names(store, "a"), "of the type and the time");
      StoreDirectory.append(store, List.of(new Stored("a", START + 1, Map.of("x_y", 1L))));
      assertEquals(Set.of("x.y", "z", "x_y"), names(store, "a"));
      StoreDirectory.append(store, List.of(new Stored("a", START + 2, Map.of("x_y", "more"))));
      StoreDirectory.append(store, List.of(new Stored("a", START + 3, Map.of("new", 2L))));
      assertEquals(Set.of("x.y", "z", "x_y", "new"), names(store, "a"));
      store.sealAll();
      assertEquals(Set.of("x.y", "z", "x_y", "new"), names(store, "a"));
      assertEquals(Set.of("of.b"), names(store, "b"));
      assertEquals(Set.of(), names(store, "c"));
    }
  }

  /// Who reads only some blocks does not tell the names in the others.
  @Test
  void namesOfBlocksThatOthersReadAreNotAll(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(
          store,
          List.of(
              new Stored("a", START, Map.of("x", 1L)),
              new Stored("b", START, Map.of("y", 1L)),
              new Stored("c", START, Map.of("z", 1L))));
      store.sealAll();
      readBlock(store, 2);
      readBlock(store, 0);
      readBlock(store, 2);
      assertEquals(Set.of("x", "y", "z"), names(store, "*"));
      readBlock(store, 1);
      assertEquals(Set.of("x", "y", "z"), names(store, "*"));
      assertEquals(Set.of("y"), names(store, "b"));
    }
  }

  private static void readBlock(EmbeddedStore store, int block) {
    try (StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(TypeGlobs.ALL, START, START + HOUR).stream()
              .map(PartitionInfo::key)
              .toList();
      try (StoreView.SealedValues values =
          Objects.requireNonNull(view.sealedValues(keys, Scan.all()))) {
        StoreView.Part part = values.parts().getFirst();
        assertEquals(3, part.blocks(), "one of each type");
        values.read(part, block, _ -> true, NOBODY);
      }
    }
  }

  @Test
  void aCancelledQueryLooksForNone(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        StoreView view = store.view();
        QueryExecution query = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      query.cancel();
      assertThrows(QueryException.Stopped.class, () -> query.attributeNames(RangeQuery.ALL));
    }
  }

  private Set<String> names(EmbeddedStore store, String type) {
    try (StoreView view = store.view();
        QueryExecution query = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      Set<AttributeName> names =
          query.attributeNames(
              RangeQuery.ALL
                  .withTypes(new TypeGlobs(List.of(type)))
                  .withRange(START, START + HOUR));
      Set<String> texts = new TreeSet<>();
      Objects.requireNonNull(names, "an embedded store knows them")
          .forEach(name -> texts.add(name.toString()));
      return texts;
    }
  }
}
