package io.widerow.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.UUID;

/// Measures what a group costs in a mapped journal file whose blocks were reserved, against one
/// whose blocks were written with zeros, and what it costs to start a file. Rounds alternate.
final class JournalCost {
  private static final int FILE_BYTES = 64 << 20;

  private JournalCost() {}

  /// @param args a directory on the disk to measure, rounds
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    System.out.println("round, file, group KiB, groups, make ms, p50 us, p99 us, max us");
    for (int round = 0; round < Integer.parseInt(args[1]); round++) {
      for (int group : new int[] {64 << 10, 256 << 10}) {
        measure(directory, round, group, false);
        measure(directory, round, group, true);
      }
      roll(directory, round);
    }
  }

  private static void measure(Path directory, int round, int group, boolean zeros)
      throws IOException {
    Path path = directory.resolve("cost");
    Files.deleteIfExists(path);
    Files.createFile(path);
    byte[] bytes = new byte[group];
    new SplittableRandom(round).nextBytes(bytes);
    long[] nanos = new long[FILE_BYTES / group];
    long make = System.nanoTime();
    try (NativeFile file = new NativeFile(path);
        Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file.reserve(FILE_BYTES);
      if (zeros) {
        var piece = java.nio.ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < FILE_BYTES; at += piece.capacity()) {
          channel.write(piece.clear(), at);
        }
      }
      file.force();
      make = System.nanoTime() - make;
      MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, arena);
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        MemorySegment.copy(
            bytes, 0, map, java.lang.foreign.ValueLayout.JAVA_BYTE, (long) i * group, group);
        file.force();
        nanos[i] = System.nanoTime() - start;
      }
    }
    Files.delete(path);
    Arrays.sort(nanos);
    System.out.printf(
        "%d, %s, %d, %d, %.1f, %d, %d, %d%n",
        round,
        zeros ? "zeros" : "reserved",
        group >> 10,
        nanos.length,
        make / 1e6,
        nanos[nanos.length / 2] / 1_000,
        nanos[nanos.length * 99 / 100] / 1_000,
        nanos[nanos.length - 1] / 1_000);
  }

  /// What the commit that starts the next file waits for.
  private static void roll(Path directory, int round) throws IOException {
    var disk = new RealDisk();
    Path journal = directory.resolve(UUID.randomUUID().toString());
    Files.createDirectory(journal);
    long[] nanos = new long[10];
    for (int i = 0; i < nanos.length; i++) {
      long start = System.nanoTime();
      ChronicleFile file = ChronicleFile.create(disk, journal.resolve("f" + i), FILE_BYTES);
      nanos[i] = System.nanoTime() - start;
      file.close();
      ChronicleFile.delete(disk, journal.resolve("f" + i));
    }
    Files.delete(journal);
    Arrays.sort(nanos);
    System.out.printf(
        "%d, roll, , %d, , %d, , %d%n", round, nanos.length, nanos[5] / 1_000, nanos[9] / 1_000);
  }
}
