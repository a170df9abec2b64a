package io.widerow.faults;

import io.widerow.storage.disk.LibC;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A disk for a test, in an image file or in memory, that can be filled to the last byte. The power
/// of some can be cut: after [#restore] unforced data is lost as in a crash of the machine.
///
/// - [Kind#EXT4], [Kind#XFS]: the file system is shut down with its log dropped
///   (`FS_IOC_SHUTDOWN`); data already written stays. No blocks are reserved for root.
/// - [Kind#VOLATILE]: ext4 on a disk with a write cache; each unflushed sector survives by chance.
///   The disk is an nbdkit plugin, `faults/powercut.py`.
/// - [Kind#TMPFS]: memory; its power cannot be cut.
/// - [Kind#QUOTA]: a limited part of a larger btrfs, which reports the room beyond the limit as
///   free. It counts each write against the limit, also one into reserved blocks. Its power cannot
///   be cut.
///
/// It needs root, and touches only devices that it created.
public final class FaultDisk implements AutoCloseable {
  public enum Kind {
    EXT4("mkfs.ext4"),
    XFS("mkfs.xfs"),
    VOLATILE("mkfs.ext4 nbdkit nbdfuse"),
    TMPFS("mount"),
    QUOTA("mkfs.btrfs btrfs");

    private final String tools;

    Kind(String tools) {
      this.tools = tools;
    }

    /// What this machine lacks for it, with its package; null when nothing is missing.
    public @Nullable String missing() {
      if (!System.getProperty("user.name").equals("root")) {
        return "mounting a disk needs root";
      }
      for (String tool : tools.split(" ", -1)) {
        if (find(tool) == null) {
          return "no "
              + tool
              + ": apt-get install e2fsprogs xfsprogs btrfs-progs nbdkit nbdkit-plugin-python"
              + " libnbd-bin fuse3";
        }
      }
      return null;
    }

    private static @Nullable Path find(String tool) {
      for (String directory : List.of("/usr/sbin", "/usr/bin", "/sbin", "/bin")) {
        Path path = Path.of(directory, tool);
        if (Files.isExecutable(path)) {
          return path;
        }
      }
      return null;
    }
  }

  private static final long IMAGE_BYTES = 400L << 20;
  private static final long XFS_BYTES_MIN = 300L << 20;
  private static final long VOLATILE_BYTES = 256L << 20; // kept in memory
  private static final long SHUTDOWN = 0x8004587dL; // FS_IOC_SHUTDOWN, _IOR('X', 125, uint32)
  private static final int DROP_LOG = 2;
  private static final int TOOL_SECONDS = 60;

  private final Kind kind;
  private final long bytes;
  private final Path directory;
  private final Path mount;
  private final Path control;
  private final List<Process> servers = new ArrayList<>();
  private String device = ""; // none of a file system in memory

  /// @param directory an empty one
  public FaultDisk(Kind kind, Path directory) throws IOException {
    this(kind, kind == Kind.VOLATILE ? VOLATILE_BYTES : IMAGE_BYTES, directory);
  }

  /// @param bytes that files can take, nearly; XFS has 300 MB at least
  /// @param directory an empty one
  public FaultDisk(Kind kind, long bytes, Path directory) throws IOException {
    this.kind = kind;
    this.bytes = kind == Kind.XFS ? Math.max(bytes, XFS_BYTES_MIN) : bytes;
    this.directory = directory;
    this.mount = Files.createDirectory(directory.resolve("mount"));
    this.control = directory.resolve("control");
    switch (kind) {
      case EXT4 -> mountImage(this.bytes, "mkfs.ext4", "-q", "-m", "0");
      case XFS -> mountImage(this.bytes, "mkfs.xfs", "-q");
      case QUOTA -> {
        mountImage(IMAGE_BYTES + bytes, "mkfs.btrfs", "-q");
        run("btrfs", "quota", "enable", mount.toString());
        run("btrfs", "subvolume", "create", root().toString());
        run("btrfs", "qgroup", "limit", Long.toString(bytes), root().toString());
      }
      case TMPFS -> run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", mount.toString());
      case VOLATILE -> {
        startVolatile();
        mountDevice("mkfs.ext4", "-q");
      }
    }
  }

  private void mountImage(long imageBytes, String... makes) throws IOException {
    Path image = directory.resolve("image");
    run("truncate", "--size=" + imageBytes, image.toString());
    device = run("losetup", "--find", "--show", image.toString()).strip();
    mountDevice(makes);
  }

  private void mountDevice(String... makes) throws IOException {
    run(Stream.concat(Stream.of(makes), Stream.of(device)).toArray(String[]::new));
    run("mount", device, mount.toString());
  }

  private void startVolatile() throws IOException {
    Path plugin = directory.resolve("powercut.py");
    try (InputStream in = FaultDisk.class.getResourceAsStream("/faults/powercut.py")) {
      if (in == null) {
        throw new IOException("no faults/powercut.py");
      }
      Files.copy(in, plugin, StandardCopyOption.REPLACE_EXISTING);
    }
    Path socket = directory.resolve("socket");
    Path image = Files.createFile(directory.resolve("volatile"));
    serve("nbdkit", "--foreground", "-U", socket.toString(), "python", plugin.toString());
    await(() -> Files.exists(socket));
    serve("nbdfuse", image.toString(), "--unix", socket.toString());
    await(() -> Files.size(image) > 0);
    device = run("losetup", "--direct-io=on", "--find", "--show", image.toString()).strip();
  }

  private void serve(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("POWERCUT_CONTROL", control.toString());
    builder.environment().put("POWERCUT_BYTES", Long.toString(bytes));
    servers.add(
        builder
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(command[0] + ".log").toFile())
            .start());
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(Condition condition) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TOOL_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new IOException("nothing happened for " + TOOL_SECONDS + " s");
      }
      Await.pauseNanos(5_000_000);
    }
  }

  /// The directory on the disk for the files of the test.
  public Path root() {
    return kind == Kind.QUOTA ? mount.resolve("limited") : mount;
  }

  /// Fills the disk to the last byte. What the file holds already stays.
  ///
  /// @param ballast a file on the disk
  public static void fill(Path ballast) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw")) {
      file.seek(file.length());
      for (int piece = 1 << 20; piece >= 1; piece /= 2) {
        try {
          byte[] bytes = new byte[piece];
          while (true) {
            file.write(bytes);
          }
        } catch (IOException full) {
          file.getFD().sync();
        }
      }
    }
  }

  /// Forces everything written so far to the disk.
  public void force() throws IOException {
    run("sync", "--file-system", mount.toString());
  }

  /// Cuts the power: nothing reaches the disk any more, and programs get EIO.
  ///
  /// @param seed decides which sectors survive in a volatile cache
  /// @param keep probability that a sector survives, 0 to 1
  public void cut(long seed, double keep) throws IOException {
    shutDown(mount);
    if (kind == Kind.VOLATILE) {
      tell("cut " + seed + " " + keep);
    }
  }

  /// Sends a command to the volatile disk, and waits until it is done.
  private void tell(String order) throws IOException {
    Path told = Path.of(control + ".out");
    Files.deleteIfExists(told);
    Path command = directory.resolve("command");
    Files.writeString(command, order);
    Files.move(command, control, StandardCopyOption.ATOMIC_MOVE);
    // The plugin checks for commands at each request; reading the device makes one.
    await(() -> {
      try {
        run("dd", "if=" + device, "of=/dev/null", "bs=4096", "count=1", "iflag=direct");
      } catch (IOException failed) {
        return false; // a disk that loses power may fail this read; it is repeated
      }
      return Files.exists(told) && Files.size(told) > 0;
    });
  }

  /// Restores the power. No file of the disk may be open.
  public void restore() throws IOException {
    run("umount", mount.toString());
    if (kind == Kind.VOLATILE) {
      tell("on");
    }
    run("mount", device, mount.toString());
  }

  private static void shutDown(Path mount) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flag = arena.allocateFrom(ValueLayout.JAVA_INT, DROP_LOG);
      LibC library = new LibC(arena);
      int descriptor = library.open(mount, 0);
      int result = (int) LibC.call(LibC.find("ioctl"), descriptor, SHUTDOWN, flag.address(), 0);
      if (descriptor < 0 || result != 0) {
        throw new IOException("%s: open %d, shutdown %d".formatted(mount, descriptor, result));
      }
      LibC.close(descriptor);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      int exit = process.waitFor();
      if (exit != 0) {
        throw new IOException("%s: exit %d: %s".formatted(List.of(command), exit, output));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
    return output;
  }

  @Override
  public void close() throws IOException {
    run("umount", "--lazy", mount.toString());
    if (!device.isEmpty()) {
      run("losetup", "--detach", device);
    }
    if (kind == Kind.VOLATILE) {
      run("umount", "--lazy", directory.resolve("volatile").toString());
    }
    servers.reversed().forEach(Process::destroy);
  }
}
