package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.run.PromqlScript;
import io.widerow.query.promql.run.PromqltestTest;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.promql.run.StoreSamples;
import io.widerow.query.series.HistogramWire;
import io.widerow.query.series.Labels;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what remote write brings is what expressions see, to the last sample. Method: Prometheus'
/// own scripts as in [PromqltestTest], each of whose loads goes into a fresh store by remote write.
@Tag("deep")
class PromqltestStoreTest implements PromqlScript.Store {
  @TempDir Path directory;

  private @Nullable OperatedDaemon daemon;
  private int loads;

  @Test
  void scriptsOverAStoreHaveTheirResults() throws IOException {
    try {
      PromqltestTest.run(this);
    } finally {
      close();
    }
  }

  private void close() {
    OperatedDaemon running = daemon;
    if (running != null) {
      running.close();
    }
  }

  @Override
  public SampleSource with(Map<Labels, List<PromqlScript.Sample>> series) {
    close();
    OperatedDaemon fresh = fresh();
    daemon = fresh;
    List<byte[]> parts = new ArrayList<>();
    series.forEach((labels, samples) -> parts.add(series(labels, samples)));
    try {
      byte[] body = Messages.packed(join(parts.toArray(byte[][]::new)));
      var written = fresh.http.post("/api/v1/write", RemoteRead.TYPE, body);
      assertEquals(204, written.statusCode(), written.body());
      if (loads % 2 == 0) {
        fresh.merge();
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
    return (matchers, from, last) -> select(fresh, matchers, from, last);
  }

  private OperatedDaemon fresh() {
    try {
      Path of = Files.createDirectories(directory.resolve("load-" + loads++));
      return new OperatedDaemon(of, Map.of("lanes", "1"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static List<SampleSource.Samples> select(
      OperatedDaemon daemon, List<Matcher> matchers, long from, long last) {
    try (StoreView view = daemon.store.view();
        QueryExecution execution =
            new QueryExecution(view, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      return new StoreSamples(execution, Set.of()).select(matchers, from, last);
    }
  }

  private static byte[] series(Labels labels, List<PromqlScript.Sample> samples) {
    String[] pairs =
        labels.all().stream()
            .flatMap(each -> List.of(each.name(), each.value()).stream())
            .toArray(String[]::new);
    List<byte[]> parts = new ArrayList<>(List.of(Messages.labels(pairs)));
    for (PromqlScript.Sample sample : samples) {
      parts.add(
          sample.histogram() == null
              ? Messages.sample(sample.value(), sample.millis())
              : message(4, HistogramWire.message(sample.histogram(), sample.millis())));
    }
    return Messages.series(parts.toArray(byte[][]::new));
  }
}
