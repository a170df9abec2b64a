package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A server that this tool started and may stop or kill. It does not outlive the tool. One that
/// keeps its events on a node of a cluster owns the node, which was started first and ends last.
///
/// - Threads: one; [#kill] may come from any.
public final class ServerProcess implements AutoCloseable {
  private static final long READY_SECONDS_MAX = 240;
  private static final long STOP_SECONDS_MAX = 120;
  private static final long PAUSE_MILLIS = 50;
  private static final int LOG_LINES = 5;

  private final Process process;
  private final Path log;
  private final Thread hook;
  private final @Nullable Node node;

  /// A server of a cluster, and where it listens.
  public record Node(ServerProcess process, InetSocketAddress address) {}

  private ServerProcess(Process process, Path log, @Nullable Node node) {
    this.process = process;
    this.log = log;
    this.node = node;
    this.hook = new Thread(process::destroyForcibly, "server-hook");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// A check that may find the server not ready yet.
  public interface Probe {
    boolean isReady() throws IOException, InterruptedException;
  }

  /// @param log file to which its output is appended
  public static ServerProcess start(List<String> command, Path log) throws IOException {
    return start(command, log, null);
  }

  /// @param node that it keeps its events on and owns from now on; null for none
  static ServerProcess start(List<String> command, Path log, @Nullable Node node)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new ServerProcess(builder.start(), log, node);
  }

  /// An address with a port that is free at the moment.
  public static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
    }
  }

  public long pid() {
    return process.pid();
  }

  /// Of it and of its node.
  public List<Long> pids() {
    return node == null ? List.of(pid()) : List.of(pid(), node.process().pid());
  }

  /// The node that it keeps its events on, if any.
  @Nullable Node node() {
    return node;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// Waits a moment; shorter when the process ends.
  void pause() throws InterruptedException {
    if (process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /// @throws IOException with its last output, when it ends or does not become ready
  public void await(Probe probe) throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    String answer = "it says not to be ready";
    while (true) {
      if (!process.isAlive()) {
        throw new IOException("ended with %d: %s".formatted(process.exitValue(), lastWords()));
      }
      try {
        if (probe.isReady()) {
          return;
        }
      } catch (IOException notYet) {
        answer = notYet.toString();
      }
      if (System.nanoTime() - beganNanos > READY_SECONDS_MAX * Quantity.SECOND) {
        throw new IOException(
            "not ready within %d s: %s; its last words: %s"
                .formatted(READY_SECONDS_MAX, answer, lastWords()));
      }
      pause();
    }
  }

  private String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  /// Asks it to end and waits until it has, then its node.
  public void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IOException(
          "process %d does not end within %d s of SIGTERM"
              .formatted(process.pid(), STOP_SECONDS_MAX));
    }
    if (node != null) {
      node.process().stop();
    }
  }

  /// Ends it as `kill -9` does.
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    Runtime.getRuntime().removeShutdownHook(hook);
    if (node != null) {
      node.process().close();
    }
  }
}
