package io.widerow.faults;

import io.widerow.ingest.TunedServe;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The JVM for the daemons of tests. A test of many kills mostly waits for starts, so the daemon's
/// classes are linked once into an AOT cache of the JVM.
public final class QuickJvm {
  private static final Object LOCK = new Object();

  static final List<String> DAEMON = List.of(TunedServe.class.getName());

  private static @Nullable QuickJvm shared;

  private final List<String> options;
  private final List<String> program;

  private QuickJvm(List<String> options, List<String> program) {
    this.options = options;
    this.program = program;
  }

  /// The same JVM with another program, whose further arguments are those of the daemon.
  public QuickJvm running(Class<?> main, String... arguments) {
    return new QuickJvm(
        options, Stream.concat(Stream.of(main.getName()), Stream.of(arguments)).toList());
  }

  /// The same with more options, which override those before them.
  QuickJvm with(List<String> more) {
    return new QuickJvm(Stream.concat(options.stream(), more.stream()).toList(), program);
  }

  /// The command of a JVM like this one, without a program.
  ///
  /// @param more options, which override those of this JVM
  public static List<String> plain(List<String> more) {
    List<String> command = base();
    command.addAll(more);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return command;
  }

  private static List<String> base() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      boolean logging = option.startsWith("-Dslf4j.provider="); // clients bring one of their own
      if (option.startsWith("--") || option.startsWith("-Xmx") || logging) {
        command.add(option);
      }
    }
    command.add("-ea:io.widerow...");
    return command;
  }

  /// The JVM with an archive of the classes as they are now. The first process that asks makes it;
  /// others wait for it, and later builds of the same classes find it.
  public static QuickJvm shared() throws IOException {
    synchronized (LOCK) {
      QuickJvm made = shared;
      if (made == null) {
        made = found(Files.createDirectories(Path.of("target", "quick-jvm").toAbsolutePath()));
        shared = made;
      }
      return made;
    }
  }

  private static QuickJvm found(Path directory) throws IOException {
    try (FileChannel lock =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = lock.lock()) {
      Path archive = directory.resolve("classes.aot");
      Path state = directory.resolve("state");
      String now = base() + " " + PackedClasses.state();
      boolean made = Files.exists(state) && Files.readString(state).equals(now);
      String classPath = made ? PackedClasses.packed(directory) : PackedClasses.path(directory);
      if (!made) {
        Files.deleteIfExists(state);
        train(directory, command("-XX:AOTCacheOutput=" + archive, classPath));
        Files.writeString(state, now);
      }
      return new QuickJvm(command("-XX:AOTCache=" + archive, classPath), DAEMON);
    }
  }

  private static List<String> command(String archive, String classPath) {
    List<String> command = base();
    command.addAll(
        List.of(
            archive,
            "-Xlog:disable",
            "-Xlog:all=off:stderr",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath));
    return command;
  }

  /// Lets a daemon load what daemons load.
  private static void train(Path directory, List<String> command) throws IOException {
    Path work = Files.createTempDirectory(directory, "trained");
    ServeProcess trained =
        ServeProcess.start(new QuickJvm(command, DAEMON), work.resolve("d"), "--lanes", "2");
    try (trained;
        LedgerLoad load = new LedgerLoad(1, trained.port())) {
      load.awaitMore(20);
      load.end();
      load.verify();
      int exit = trained.stop(600); // it writes the archive
      if (exit != 0) {
        throw new IOException("ended with %d: %s".formatted(exit, trained.output()));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(stopped.toString());
    }
    ServeProcess.delete(work);
  }

  /// The command, up to the arguments of the daemon.
  public List<String> command() {
    return Stream.concat(options.stream(), program.stream()).toList();
  }
}
