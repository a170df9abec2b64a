package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: `kill -9` loses no group that was forced. Method: a child process appends, forces and then
/// prints each LSN; the parent kills it after a random number of lines and recovers.
class JournalKillTest {
  private static final UUID STORE = new UUID(13, 17);
  private static final long FILE_BYTES = 1 << 20;

  @TempDir Path directory;

  /// The child.
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      var factory =
          new ChronicleJournalFactory(new RealDisk(), Path.of(arguments[0]), STORE, FILE_BYTES);
      try (Arena arena = Arena.ofConfined();
          FrameEncoder encoder = new FrameEncoder(STORE, 0, false);
          Journal journal = factory.create(0, 1)) {
        MemorySegment note = arena.allocate(1_000);
        for (long lsn = 1; ; lsn++) {
          for (int i = 0; i < 20; i++) {
            encoder.addNote(note);
          }
          journal.append(lsn, encoder.encode(lsn, lsn - 1, 0, MemorySegment.NULL, 0, 0));
          journal.force();
          System.out.println(lsn);
        }
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void nothingForcedIsLost(long seed) throws IOException {
    Path journal = directory.resolve("journal");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--")) {
        command.add(argument);
      }
    }
    command.addAll(
        List.of(
            "-cp",
            Objects.requireNonNull(System.getProperty("java.class.path")),
            Child.class.getName(),
            journal.toString()));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    int lines = new SplittableRandom(seed).nextInt(1, 200);
    long acknowledged = 0;
    try (BufferedReader reader = child.inputReader()) {
      String line = reader.readLine();
      for (int i = 0; line != null; i++) {
        acknowledged = Long.parseLong(line);
        if (i == lines) {
          child.toHandle().destroyForcibly(); // the process would close its stream
        }
        line = reader.readLine();
      }
    }
    child.onExit().join();
    var factory = new ChronicleJournalFactory(new RealDisk(), journal, STORE, FILE_BYTES);
    try (JournalRecovery recovery = new JournalRecovery(factory, STORE, _ -> 0)) {
      var state = Objects.requireNonNull(recovery.survey().get(0));
      assertNull(state.damage());
      assertTrue(acknowledged > lines, acknowledged + " lines");
      assertTrue(state.lsnAccepted() >= acknowledged, state + " after " + acknowledged);
    }
  }
}
