package io.widerow.storage.cassandra;

import io.widerow.faults.ChildJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;

/// A [StoreChild] in a process of its own, on a directory of its own.
///
/// - Threads: one; what the process says comes in a queue.
final class StoreProcess {
  final int index;

  /// Batches that were sent, and are not at quorum yet as far as this process said.
  final TreeSet<Integer> open = new TreeSet<>();

  private final Path directory;
  private final String uri;
  private final int events;
  private final Duration clockAhead;
  private final BlockingQueue<Said> said;
  private Process process;
  private BufferedWriter in;
  private Thread reader;
  private int life;

  /// A line of a process.
  ///
  /// @param life which start of it said it, from 1
  /// @param words `end` when the process is gone
  record Said(StoreProcess by, int life, List<String> words) {}

  StoreProcess(
      int index,
      String uri,
      Path directory,
      int events,
      Duration clockAhead,
      BlockingQueue<Said> said) {
    this.index = index;
    this.uri = uri;
    this.directory = directory;
    this.events = events;
    this.clockAhead = clockAhead;
    this.said = said;
    start();
  }

  /// Starts it on its directory as it is. Does not wait.
  void start() {
    try {
      int now = ++life;
      Process started =
          ChildJvm.plain()
              .start(
                  StoreChild.class,
                  uri,
                  directory.toString(),
                  Integer.toString(events),
                  Long.toString(clockAhead.toMillis()))
              .start();
      process = started;
      in = started.outputWriter(StandardCharsets.UTF_8);
      reader = Thread.ofPlatform().daemon().name("child-" + index).start(() -> read(started, now));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void read(Process of, int now) {
    try (BufferedReader lines = of.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.endsWith(".")) { // else the kill cut it off
          said.add(
              new Said(this, now, List.of(line.substring(0, line.length() - 1).split(" ", -1))));
        }
      }
      said.add(new Said(this, now, List.of("end")));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  int life() {
    return life;
  }

  void tell(String line) {
    try {
      in.write(line + "\n");
      in.flush();
    } catch (IOException gone) {
      throw new UncheckedIOException(this + " is gone", gone);
    }
  }

  /// Kills it with SIGKILL. On return everything that it said is in the queue.
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly(); // what it said is still to be read
    reader.join();
    process.waitFor();
  }

  /// Ends it for good, whatever it says.
  void end() {
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  void signal(String name) throws IOException, InterruptedException {
    int exit =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
            .inheritIO()
            .start()
            .waitFor();
    if (exit != 0) {
      throw new IllegalStateException("kill -" + name + " " + this);
    }
  }

  @Override
  public String toString() {
    return "store " + index;
  }
}
