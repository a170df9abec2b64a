package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.CassandraPeer;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.HttpPeer;
import io.widerow.faults.Peer;
import io.widerow.faults.PeerRun;
import io.widerow.faults.Seeds;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: measure how much of what they acknowledged other stores keep, at their default and at
/// their strict setting, next to ours. Method: the same senders with a ledger, kills and power cuts
/// as for the daemon, on a table that drops repeats. Losses are counted and do not fail the test,
/// because not all settings promise otherwise. Ours must lose nothing at level disk.
/// `-Dpeer.kills=<n>`, `-Dpeer.cuts=<n>`, `-Dpeer=<regex of the setting>`, `-Dseed=<n>`.
@Tag("faults")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class PeerFaultTest {
  private static final long DISK_BYTES = 1L << 30;
  private static final double[] KEEP = {0, 0.1, 0.5, 0.9, 1};

  @TempDir private Path directory = Path.of(".");

  /// A store, and the meaning of its acknowledgements.
  enum Setting {
    WIDEROW_DISK,
    WIDEROW_OS,
    QUESTDB_NOSYNC,
    QUESTDB_SYNC,
    CASSANDRA_PERIODIC,
    CASSANDRA_BATCH;

    private String part(int index) {
      return name().toLowerCase(Locale.ROOT).split("_", -1)[index];
    }

    String store() {
      return part(0);
    }

    String setting() {
      return part(1);
    }

    Peer open() {
      return switch (this) {
        case WIDEROW_DISK, WIDEROW_OS -> new HttpPeer.Widerow(setting());
        case QUESTDB_NOSYNC, QUESTDB_SYNC -> new HttpPeer.Quest(setting());
        case CASSANDRA_PERIODIC, CASSANDRA_BATCH -> new CassandraPeer(setting());
      };
    }
  }

  static Stream<Arguments> runs() {
    String chosen = System.getProperty("peer", ".*").toUpperCase(Locale.ROOT);
    return Stream.of(Setting.values())
        .filter(setting -> setting.name().matches(chosen))
        .flatMap(setting ->
            Stream.of(null, FaultDisk.Kind.EXT4, FaultDisk.Kind.XFS, FaultDisk.Kind.VOLATILE)
                .map(kind -> Arguments.of(setting, kind)));
  }

  /// @param kind of the disk whose power is cut; null for `kill -9`
  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("runs")
  void acknowledgedEventsThatSurviveAreCounted(Setting setting, FaultDisk.@Nullable Kind kind)
      throws IOException, InterruptedException {
    Peer peer = setting.open();
    String missing = peer.missing();
    if (missing == null && kind != null) {
      missing = kind.missing();
    }
    if (missing != null) {
      abort(missing);
    }
    int times =
        kind == null ? Integer.getInteger("peer.kills", 10) : Integer.getInteger("peer.cuts", 5);
    long seed = Seeds.one();
    PeerRun.Figures figures;
    if (kind == null) {
      figures = run(peer, null, Files.createDirectory(directory.resolve("store")), times, seed);
    } else {
      Path image = Files.createDirectory(directory.resolve("disk"));
      try (FaultDisk disk = new FaultDisk(kind, DISK_BYTES, image)) {
        figures = run(peer, disk, disk.root(), times, seed);
      }
    }
    System.out.printf("%s, %s, seed %d: %s%n", setting, kind, seed, figures);
    if (setting == Setting.WIDEROW_DISK) {
      assertEquals(0, figures.lost, "lost");
      assertEquals(0, figures.servesNoMore, "did not serve again");
    }
    if (setting.store().equals("widerow")) {
      assertEquals(0, figures.corrupt, "corrupt");
      assertEquals(0, figures.twice, "twice");
    }
    assertTrue(figures.acknowledged > 0, "nothing was acknowledged");
    FaultRecords.add(
        FaultRecords.Table.PEERS,
        setting.store(),
        setting.setting(),
        peer.promise(),
        kind == null ? "kill -9" : "power cut, " + kind,
        times,
        figures.acknowledged,
        figures.lost,
        figures.twice,
        figures.corrupt,
        figures.servesNoMore,
        figures.unread,
        FaultRecords.part(figures.startMillis(), 50),
        FaultRecords.part(figures.startMillis(), 100));
  }

  private PeerRun.Figures run(Peer peer, @Nullable FaultDisk disk, Path root, int times, long seed)
      throws IOException, InterruptedException {
    var random = new SplittableRandom(seed);
    try (PeerRun run = new PeerRun(peer, freePort(), root.resolve("d"), directory, disk)) {
      for (int fault = 0; fault < times; fault++) {
        run.load(random.nextInt(20, 600));
        if (disk == null) {
          run.kill();
        } else {
          run.cut(disk, random.nextLong(), KEEP[fault % KEEP.length]);
        }
        run.check();
      }
      return run.end();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }
}
