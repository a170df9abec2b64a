package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.AttributeName;
import io.widerow.query.StoreDirectory.Stored;
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
