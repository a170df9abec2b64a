package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.ListeningProcess;
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
/// Or a server that somebody else started ([#running]). The tool never stops it.
///
/// - Threads: one; [#kill] may come from any.
public final class ServerProcess implements AutoCloseable {
  private static final long READY_SECONDS_MAX = 240;
  private static final long STOP_SECONDS_MAX = 120;
  private static final long PAUSE_MILLIS = 50;
  private static final int LOG_LINES = 5;

  private final @Nullable Process process; // null: started by somebody else
  private final Path log;
  private final Thread hook;
  private final List<Long> pids;
  private final @Nullable Node node;

  /// A server of a cluster, and where it listens.
  public record Node(ServerProcess process, InetSocketAddress address) {}

  private ServerProcess(@Nullable Process process, Path log, List<Long> pids, @Nullable Node node) {
    this.process = process;
    this.log = log;
    this.pids = pids;
    this.node = node;
    this.hook = new Thread(this::destroy, "server-hook");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// A server that listens already. Its process is known when it is one of this machine and user.
  static ServerProcess running(InetSocketAddress address) throws IOException {
    List<Long> pids = ListeningProcess.of(address).stream().toList();
    return new ServerProcess(null, Path.of(""), pids, null);
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
    Process process = builder.start();
    return new ServerProcess(process, log, List.of(process.pid()), node);
  }

  /// An address with a port that is free at the moment.
  public static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
    }
  }

  public long pid() {
    return pids.getFirst();
  }

  /// Of it and of its node; none where its process is not known.
  public List<Long> pids() {
    return node == null ? pids : List.of(pid(), node.process().pid());
  }

  /// The node that it keeps its events on, if any.
  @Nullable Node node() {
    return node;
  }

  boolean isAlive() {
    return process == null || process.isAlive();
  }

  /// Waits a moment; shorter when the process ends.
  void pause() throws InterruptedException {
    if (process == null) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } else if (process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /// @throws IOException with its last output, when it ends or does not become ready
  public void await(Probe probe) throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    String answer = "it says not to be ready";
    while (true) {
      if (process != null && !process.isAlive()) {
        throw new IOException("ended with %d: %s".formatted(process.exitValue(), lastWords()));
      }
      try {
        if (probe.isReady()) {
          return;
        }
      } catch (IOException notYet) {
        if (process == null) {
          throw notYet;
        }
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
    if (process == null) {
      return "";
    }
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  /// Asks it to end and waits until it has, then its node.
  public void stop() throws IOException, InterruptedException {
    if (process == null) {
      return;
    }
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
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  private void destroy() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Override
  public void close() {
    destroy();
    Runtime.getRuntime().removeShutdownHook(hook);
    if (node != null) {
      node.process().close();
    }
  }
}
