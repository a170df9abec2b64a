package io.widerow.ingest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A store that the fault tests hurt as they hurt the daemon, with one setting of what its
/// acknowledgement means. Ours is one of them, so that all rows come from the same harness.
interface Peer {
  /// Where `./widerow load peers` puts those of others.
  Path LOADGEN = Path.of("..", "loadgen").toAbsolutePath().normalize();

  /// Takes what a store shows.
  @FunctionalInterface
  interface Rows {
    void row(int sender, int n, String body);
  }

  /// What the body of an event must be.
  static String body(int sender, int n) {
    return "event " + n + " of sender " + sender + " at " + LedgerLoad.timeNanos(n);
  }

  /// What a script that starts a peer is called with.
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

  /// Why a peer that was fetched cannot run; null when it is there.
  static @Nullable String missing(String name) {
    return Files.isDirectory(LOADGEN.resolve("target/peers").resolve(name))
        ? null
        : "no " + name + ": fetch it by ./widerow load peers";
  }

  /// Why it cannot run on this machine; null when it can.
  @Nullable String missing();

  /// One line on what an acknowledgement promises with this setting.
  String promise();

  /// @param again the store is there; otherwise there is not even its directory
  List<String> command(Path data, int port, boolean again);

  /// Tries to have it answer, and makes the table when there is none.
  ///
  /// @throws IOException while it does not answer
  void ready(int port) throws IOException, InterruptedException;

  /// @return true when the batch was acknowledged
  boolean send(int port, int sender, int batch) throws IOException, InterruptedException;

  /// Shows everything that is stored.
  ///
  /// @throws IOException when the store is there and does not show it
  void read(int port, Rows rows) throws IOException, InterruptedException;
}
