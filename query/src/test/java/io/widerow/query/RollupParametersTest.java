package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.query.result.QueryParameters;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a query uses rollups when they have everything that it needs, and `only` refuses other
/// queries. Method: questions, with what they need.
class RollupParametersTest {
  @TempDir private Path directory = Path.of(".");

  private static QueryParameters parse(String question) {
    Map<String, List<String>> given = new LinkedHashMap<>();
    for (String parameter : question.split("&", -1)) {
      int equals = parameter.indexOf('=');
      given.put(parameter.substring(0, equals), List.of(parameter.substring(equals + 1)));
    }
    return QueryParameters.parse(given, 1_763_666_100_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource({
    "stats=count,true",
    "stats=count&every=1m,true",
    "stats=count&every=1h&by=type,true",
    "stats=count&every=1d&rollup=auto,true",
    "stats=count&every=1m&rollup=off,false",
    "stats=count(*)&where=ts >= 2025-11-20,true",
    "stats=count&every=90s,false",
    "stats=count&every=1s,false",
    "stats=count(x),false",
    "stats=sum(x),false",
    "stats=count&by=x,false",
    "stats=count&by=attributes.type,false",
    "stats=count&where=x = 1,false",
  })
  void rollupsAnswerCountsByMinutes(String question, boolean answered) {
    assertEquals(answered, parse(question).asksForCells());
    if (!answered && !question.contains("rollup")) {
      QueryParameters only = parse(question + "&rollup=only");
      StoreConfig config = StoreConfig.at(directory.resolve("e")).withDiskReserveBytes(0);
      try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
          StoreView view = store.view()) {
        assertThrows(QueryException.Refused.class, () -> only.requireRollup(view));
      }
    }
  }

  @Test
  void onlyIsRefusedByAStoreWithoutRollups() {
    QueryParameters only = parse("stats=count&rollup=only");
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        StoreView view = store.view();
        MemoryView none = new MemoryView()) {
      only.requireRollup(view);
      var refused = assertThrows(QueryException.Refused.class, () -> only.requireRollup(none));
      assertEquals("rollup: only: this store keeps no rollups", refused.getMessage());
      parse("stats=count").requireRollup(none);
    }
  }
}
