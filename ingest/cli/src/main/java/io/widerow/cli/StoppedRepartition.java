package io.widerow.cli;

import io.widerow.event.PartitionWeights;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.TypeGlobs;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.remote.RemoteRows;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.RepartitionControl.Asked;
import io.widerow.storage.embedded.RepartitionControl.Misfit;
import io.widerow.storage.embedded.RepartitionControl.Plan;
import io.widerow.storage.embedded.RepartitionControl.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A repartition of a stopped store, with the same responses as a daemon.
///
/// @param types names and globs; none for all
/// @param from as a user writes it; null for the beginning
/// @param to the same; null for the end
/// @param partitionBytes bytes at rest of a partition of weight 1
/// @param partitionEvents events of a partition of weight 1
public record StoppedRepartition(
    Path directory,
    List<String> types,
    @Nullable String from,
    @Nullable String to,
    long partitionBytes,
    long partitionEvents) {
  public static final List<String> HEADS = List.of("partition", "events", "bytes", "weight");
  public static final List<String> SUMS = List.of("partitions", "before", "after", "digest");

  public StoppedRepartition {
    types = List.copyOf(types);
  }

  /// The plan. Changes nothing.
  public RemoteRows.Summed plan() {
    refuseCluster();
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory)) {
      Plan plan = store.repartition().plan(asked(store));
      List<List<Cell>> rows = new ArrayList<>();
      for (Misfit misfit : plan.misfits()) {
        rows.add(
            List.of(
                Cell.ofText(misfit.key().toString()),
                Cell.ofNumber("" + misfit.events()),
                Cell.ofNumber("" + misfit.bytes()),
                Cell.ofNumber(String.format(Locale.ROOT, "%.4f", misfit.weight()))));
      }
      return new RemoteRows.Summed(new RemoteRows(HEADS, rows), sums(plan.report(), Cell.MISSING));
    }
  }

  /// Writes what does not fit again.
  ///
  /// @throws InterruptedException when the thread was interrupted
  public RemoteRows run() throws InterruptedException {
    refuseCluster();
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory)) {
      Asked _ = asked(store); // invalid values are refused before anything changes
    }
    try (EmbeddedStore store = EmbeddedStore.open(StoreConfig.at(directory), Runnable::run)) {
      return sums(store.repartition().run(asked(store)), Cell.ofText("same"));
    }
  }

  private void refuseCluster() {
    ClusterDirectory.refuse(directory, "the partitions of a store on a cluster keep their keys");
  }

  private Asked asked(EmbeddedStore store) {
    for (String glob : types) {
      var one = new TypeGlobs(List.of(glob));
      if (store.partitions().entries(one, Long.MIN_VALUE, Long.MAX_VALUE).isEmpty()) {
        throw new QueryException.Refused("type", "no type matches '%s'".formatted(glob));
      }
    }
    long now = store.nowNanos();
    long fromNanos = from == null ? Long.MIN_VALUE : TimeText.parse("from", from, now);
    long untilNanos = to == null ? Long.MAX_VALUE : TimeText.parse("to", to, now);
    if (fromNanos >= untilNanos) {
      throw new QueryException.Refused(
          "to", "%s is not after from, %s".formatted(to, from == null ? "the beginning" : from));
    }
    PartitionWeights usual = PartitionWeights.DEFAULT;
    try {
      var weights =
          new PartitionWeights(
              partitionBytes, partitionEvents, usual.shardRate(), usual.shardByteRate());
      return new Asked(new TypeGlobs(types), fromNanos, untilNanos, weights);
    } catch (IllegalArgumentException refused) {
      throw new QueryException.Refused("data", String.valueOf(refused.getMessage()));
    }
  }

  private static RemoteRows sums(Report report, Cell digest) {
    return new RemoteRows(
        SUMS,
        List.of(
            List.of(
                Cell.ofNumber("" + report.partitions()),
                Cell.ofNumber("" + report.before()),
                Cell.ofNumber("" + report.after()),
                digest)));
  }
}
