package io.widerow.storage.journal;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.UUID;

/// Measurement of a group's cost in a journal file: with blocks only reserved or also filled, and
/// with the length word written through a mapping, as Chronicle Queue does, or by a write. It
/// reports latency, CPU time of the thread, bytes written by the kernel for each appended byte, and
/// the wait of a commit that starts a file. Rounds alternate. Other busy threads make page-table
/// changes expensive, because each of them must answer an interrupt.
final class JournalCost {
  private static final int FILE_BYTES = 64 << 20;
  private static final int GROUPS_MAX = 1_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private JournalCost() {}

  /// @param args a directory on the disk to measure, rounds, number of other busy threads
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    for (int thread = 0; thread < Integer.parseInt(args[2]); thread++) {
      Thread.ofPlatform().daemon().start(JournalCost::work);
    }
    System.out.println(
        "round, file, group bytes, groups, make ms, of CPU, p50 us, p99 us, max us, written,"
            + " CPU us");
    for (int round = 0; round < Integer.parseInt(args[1]); round++) {
      for (int group : new int[] {3_000, 20_000, 64 << 10, 256 << 10}) {
        for (State state : State.values()) {
          measure(directory, round, group, state);
        }
      }
      roll(directory, round, false);
      roll(directory, round, true);
    }
  }

  private enum State {
    RESERVED_WORD_MAPPED,
    FILLED_WORD_MAPPED,
    RESERVED,
    FILLED;

    boolean isFilled() {
      return this == FILLED_WORD_MAPPED || this == FILLED;
    }

    boolean isMapped() {
      return compareTo(FILLED_WORD_MAPPED) <= 0;
    }
  }

  /// Reads and writes pages of its own, as sealing does.
  private static void work() {
    byte[] own = new byte[32 << 20];
    while (true) {
      for (int at = 0; at < own.length; at += 64) {
        own[at]++;
      }
    }
  }

  private static void measure(Path directory, int round, int group, State state)
      throws IOException {
    Path path = directory.resolve("cost");
    Files.deleteIfExists(path);
    Files.createFile(path);
    byte[] bytes = new byte[group];
    new SplittableRandom(round).nextBytes(bytes);
    long[] nanos = new long[Math.min(GROUPS_MAX, FILE_BYTES / group)];
    long make = System.nanoTime();
    long makeCpu = THREADS.getCurrentThreadCpuTime();
    long written;
    long cpu;
    try (NativeFile file = new NativeFile(path);
        Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file.reserve(FILE_BYTES);
      if (state.isFilled()) {
        file.fill(0, FILE_BYTES);
      }
      file.force();
      make = System.nanoTime() - make;
      makeCpu = THREADS.getCurrentThreadCpuTime() - makeCpu;
      MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, arena);
      MemorySegment frame = arena.allocate(group, Integer.BYTES);
      MemorySegment.copy(bytes, 0, frame, ValueLayout.JAVA_BYTE, 0, group);
      written = writtenBytes();
      cpu = THREADS.getCurrentThreadCpuTime();
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        long at = (long) i * group;
        file.write(frame.asSlice(Integer.BYTES), at + Integer.BYTES);
        if (state.isMapped()) {
          map.set(ValueLayout.JAVA_INT_UNALIGNED, at, group);
        } else {
          file.write(frame.asSlice(0, Integer.BYTES), at);
        }
        file.force();
        nanos[i] = System.nanoTime() - start;
      }
      cpu = THREADS.getCurrentThreadCpuTime() - cpu;
      written = writtenBytes() - written;
    }
    Files.delete(path);
    Arrays.sort(nanos);
    System.out.printf(
        "%d, %s, %d, %d, %.1f, %.1f, %d, %d, %d, %.2f, %.1f%n",
        round,
        state,
        group,
        nanos.length,
        make / 1e6,
        makeCpu / 1e6,
        nanos[nanos.length / 2] / 1_000,
        nanos[nanos.length * 99 / 100] / 1_000,
        nanos[nanos.length - 1] / 1_000,
        (double) written / nanos.length / group,
        cpu / 1e3 / nanos.length);
  }

  /// Bytes that the kernel wrote for this process so far.
  private static long writtenBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
      if (line.startsWith("write_bytes: ")) {
        return Long.parseLong(line.substring("write_bytes: ".length()));
      }
    }
    throw new IOException("no write_bytes in /proc/self/io");
  }

  private static ChronicleFile filled(Disk disk, Path directory) {
    try (FreshFile fresh = FreshFile.begin(disk, directory, FILE_BYTES)) {
      boolean more = true;
      while (more) {
        more = fresh.fillStep(FILE_BYTES);
      }
      return fresh.finish();
    }
  }

  /// Measures the wait of the commit that starts the next file.
  private static void roll(Path directory, int round, boolean ahead) throws IOException {
    var disk = new RealDisk();
    Path journal = directory.resolve(UUID.randomUUID().toString());
    Files.createDirectory(journal);
    byte[] bytes = new byte[20_000];
    long[] nanos = new long[10];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment frame = arena.allocate(bytes.length);
      for (int i = 0; i < nanos.length; i++) {
        Path target = journal.resolve("f" + i);
        ChronicleFile file = ahead ? filled(disk, journal.resolve("spare")) : null;
        long start = System.nanoTime();
        if (file == null) {
          file = ChronicleFile.create(disk, target, FILE_BYTES);
        } else {
          file.rename(disk, target);
        }
        file.append(frame);
        file.force();
        nanos[i] = System.nanoTime() - start;
        file.close();
        ChronicleFile.delete(disk, target);
      }
    }
    Files.delete(journal);
    Arrays.sort(nanos);
    System.out.printf(
        "%d, roll %s, , %d, , , %d, , %d, , %n",
        round,
        ahead ? "ahead" : "then",
        nanos.length,
        nanos[nanos.length / 2] / 1_000,
        nanos[nanos.length - 1] / 1_000);
  }
}
