package io.widerow.faults;

import io.widerow.cli.serve.ServeCommand;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// The daemon with a wall clock that a test steps while it runs: a file, named by the system
/// property `clock.file`, says by how many seconds it is off.
public final class SteppedServe {
  private SteppedServe() {}

  /// Takes the arguments of `widerow serve`.
  public static void main(String[] arguments) {
    System.exit(ServeCommand.commandLine(SteppedServe::open, System.getenv()).execute(arguments));
  }

  /// Steps the clock of a daemon.
  public static void step(Path file, Duration off) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(next, "%+d".formatted(off.toSeconds())); // libfaketime reads this, too
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static EventStore open(DaemonConfig config) {
    Executor background =
        Executors.newFixedThreadPool(
            3, Thread.ofPlatform().name("widerow-background-", 0).daemon().factory());
    Path file = Path.of(System.getProperty("clock.file", ""));
    StoreConfig store = config.store().storeConfig(config.data(), config.lanes());
    Disk disk = new RealDisk();
    var opener = new StoreOpener(store, disk, new SteppedClock(file), background);
    EmbeddedStore opened =
        new EmbeddedStore(
            opener.open(id ->
                ChronicleJournalFactory.of(
                    store.directory(), store.journalFileBytes(), disk, id, background)));
    opened.retention().configure(config.store().policies(), config.store().retentionGrace());
    return opened;
  }

  private record SteppedClock(Path file) implements StoreClock {
    @Override
    public long wallNanos() {
      try {
        long off = Long.parseLong(Files.readString(file).strip());
        return StoreClock.system().wallNanos() + off * 1_000_000_000L;
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }

    @Override
    public long monotonicNanos() {
      return System.nanoTime();
    }
  }
}
