package io.widerow.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A store that the fault tests treat like the daemon, with one setting of what its acknowledgement
/// means. Ours is one of them, so that all rows come from the same harness.
public interface Peer {
  /// Where `./widerow load peers` puts other stores.
  Path LOADGEN = Path.of("..", "loadgen").toAbsolutePath().normalize();

  /// Receives the rows of a store.
  @FunctionalInterface
  interface Rows {
    void row(int sender, int n, String body);
  }

  /// The expected body of an event.
  static String body(int sender, int n) {
    return "event " + n + " of sender " + sender + " at " + LedgerLoad.timeNanos(n);
  }

  /// The arguments of a script that starts a peer.
  static List<String> script(String name, Path data, int port, String setting, boolean again) {
    List<String> command =
        List.of(
            LOADGEN.resolve("peers").resolve(name).toString(),
            data.toString(),
            Integer.toString(port),
            setting);
    return again
        ? java.util.stream.Stream.concat(command.stream(), java.util.stream.Stream.of("again"))
            .toList()
        : command;
  }

  /// Why a downloaded peer cannot run; null when it is there.
  static @Nullable String missing(String name) {
    return Files.isDirectory(LOADGEN.resolve("target/peers").resolve(name))
        ? null
        : "no " + name + ": fetch it by ./widerow load peers";
  }

  /// Why it cannot run on this machine; null when it can.
  @Nullable String missing();

  /// One line on what an acknowledgement promises with this setting.
  String promise();

  /// @param again whether the store exists; otherwise not even its directory does
  List<String> command(Path data, int port, boolean again);

  /// Checks that it answers, and creates the table when there is none.
  ///
  /// @throws IOException while it does not answer
  void ready(int port) throws IOException, InterruptedException;

  /// @return true when the batch was acknowledged
  boolean send(int port, int sender, int batch) throws IOException, InterruptedException;

  /// Reads everything that is stored.
  ///
  /// @throws IOException when the store exists but cannot be read
  void read(int port, Rows rows) throws IOException, InterruptedException;
}
