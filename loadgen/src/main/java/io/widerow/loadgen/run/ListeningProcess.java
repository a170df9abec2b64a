package io.widerow.loadgen.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds the process of this machine that listens on a TCP port, as Linux reports it in `/proc`.
public final class ListeningProcess {
  private static final int LOCAL = 1; // fields of a line of /proc/net/tcp
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final String LISTENS = "0A";

  private ListeningProcess() {}

  /// The process, unless the address is another machine's, or the process another user's.
  public static Optional<Long> of(InetSocketAddress address) throws IOException {
    InetAddress host = address.getAddress();
    if (host == null
        || (!host.isLoopbackAddress() && NetworkInterface.getByInetAddress(host) == null)) {
      return Optional.empty();
    }
    List<String> sockets =
        Stream.concat(
                inodes(Path.of("/proc/net/tcp"), address.getPort()),
                inodes(Path.of("/proc/net/tcp6"), address.getPort()))
            .map("socket:[%s]"::formatted)
            .toList();
    if (sockets.isEmpty()) {
      return Optional.empty();
    }
    try (Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
      return processes.map(ProcessHandle::pid).filter(pid -> hasOpen(pid, sockets)).findFirst();
    }
  }

  private static Stream<String> inodes(Path table, int port) throws IOException {
    if (!Files.exists(table)) {
      return Stream.empty();
    }
    String suffix = ":%04X".formatted(port);
    return Files.readAllLines(table).stream()
        .map(line -> line.strip().split(" +", -1))
        .filter(fields -> fields.length > INODE)
        .filter(fields -> fields[LOCAL].endsWith(suffix) && fields[STATE].equals(LISTENS))
        .map(fields -> fields[INODE]);
  }

  /// False also when the process has ended or belongs to another user.
  private static boolean hasOpen(long pid, List<String> sockets) {
    try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      return files.anyMatch(file -> sockets.contains(target(file)));
    } catch (IOException | UncheckedIOException unreadable) {
      return false;
    }
  }

  /// The target of a link; an empty text when the process has closed the file.
  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closed) {
      return "";
    }
  }
}
