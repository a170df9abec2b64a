package io.widerow.ingest.serve.prometheus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.promql.run.PromqlAnswer;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a query over more samples than the memory of queries holds has the result that it has with
/// any memory. Method: counters of half an hour, the same expressions with little memory and
/// without a limit, and one that no block of steps makes small enough.
class PromqlBlocksTest {
  private static final long START = 1_700_000_000_000L;
  private static final int SECONDS = 1_800;
  private static final int SERIES = 20;

  @TempDir Path directory;

  private void write() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      for (int series = 0; series < SERIES; series++) {
        byte[][] parts = new byte[SECONDS + 1][];
        parts[0] = Messages.labels("__name__", "hits_total", "n", "s" + series);
        for (int i = 0; i < SECONDS; i++) {
          parts[i + 1] = Messages.sample(i * (series + 1.0), START + i * 1_000L);
        }
        byte[] body = Messages.packed(Messages.series(parts));
        assertEquals(204, daemon.http.post("/api/v1/write", RemoteRead.TYPE, body).statusCode());
      }
      daemon.merge();
    }
  }

  private static String ask(EmbeddedStore store, String query, QueryMemory memory) {
    StepTimes steps = StepTimes.of(START, START + SECONDS * 1_000L, 30_000);
    try (StoreView view = store.view();
        QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      return PromqlAnswer.of(execution, query, steps, 300_000).toString();
    }
  }

  @Test
  void littleMemoryGivesTheSameResult() throws IOException, InterruptedException {
    write();
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory.resolve("store"))) {
      for (String query :
          new String[] {
            "sum(rate(hits_total[1m]))",
            "hits_total > 10000",
            "max_over_time(sum(hits_total)[5m:10s])",
            "topk(2, increase(hits_total[5m])) or scalar(count(hits_total)) * vector(time())",
          }) {
        QueryMemory little = new QueryMemory(5 << 19);
        String wanted = ask(store, query, QueryMemory.unlimited());
        assertTrue(wanted.length() > 1_000, wanted);
        assertEquals(wanted, ask(store, query, little), query);
        assertTrue(little.bytesUsed() == 0, "all is given back: " + little.bytesUsed());
      }
      QueryException.OverBudget over =
          assertThrows(
              QueryException.OverBudget.class,
              () -> ask(store, "sum(hits_total)", new QueryMemory(1 << 10)));
      assertTrue(String.valueOf(over.getMessage()).contains("shared by all queries"));
    }
  }
}
