package io.widerow.loadgen.compare;

import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.PeerDriver;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One side of a comparison and its durability, written `widerow-text:disk`, `questdb:nosync`,
/// `cassandra:periodic`. `@DIR` at the end names another checkout to start it from, so that two
/// versions can be compared.
///
/// @param setting its durability, by the contestant's own name
/// @param home the checkout whose scripts start it
/// @param keys of the daemon's configuration, `key=value`, where it is Widerow
public record Contestant(Kind kind, String setting, Path home, List<String> keys) {
  /// The known systems.
  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
  public enum Kind {
    WIDEROW_TEXT("widerow-text", Target.WIDEROW_TEXT, "disk", "os", "memory"),
    WIDEROW_LINES("widerow-lines", Target.WIDEROW_LINES, "disk", "os", "memory"),
    WIDEROW_JSON("widerow-json", Target.WIDEROW_JSON, "disk", "os", "memory"),
    QUESTDB("questdb", Target.WIDEROW_LINES, "nosync", "sync"),
    CASSANDRA("cassandra", Target.CASSANDRA, "periodic", "batch"),
    VICTORIA("victoria", Target.WIDEROW_LINES, "memory");

    final String label;
    public final Target target;
    final List<String> settings;

    Kind(String label, Target target, String... settings) {
      this.label = label;
      this.target = target;
      this.settings = List.of(settings);
    }

    private static Kind of(String label, String whole) {
      return Arrays.stream(values())
          .filter(kind -> kind.label.equals(label))
          .findFirst()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "no such contestant: '%s'; there are %s"
                      .formatted(
                          whole,
                          Arrays.stream(values())
                              .map(kind -> kind.label + ":" + String.join("|", kind.settings))
                              .collect(Collectors.joining(", ")))));
    }
  }

  public Contestant {
    keys = List.copyOf(keys);
    if (!kind.settings.contains(setting)) {
      throw new IllegalArgumentException(
          "%s has %s, not '%s'".formatted(kind.label, kind.settings, setting));
    }
  }

  /// @param text `WHO`, `WHO:SETTING` or `WHO:SETTING@CHECKOUT`
  static Contestant parse(String text, Path home, List<String> keys) {
    int at = text.indexOf('@');
    String bare = at < 0 ? text : text.substring(0, at);
    Path checkout = at < 0 ? home : Path.of(text.substring(at + 1));
    int colon = bare.indexOf(':');
    Kind kind = Kind.of(colon < 0 ? bare : bare.substring(0, colon), text);
    return new Contestant(
        kind, colon < 0 ? kind.settings.get(0) : bare.substring(colon + 1), checkout, keys);
  }

  public boolean isWiderow() {
    return switch (kind) {
      case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON -> true;
      case QUESTDB, CASSANDRA, VICTORIA -> false;
    };
  }

  public Endpoint endpoint(InetSocketAddress address) {
    return new Endpoint(
        kind.target,
        address.getHostString(),
        address.getPort(),
        isWiderow() ? setting : null,
        kind == Kind.QUESTDB || kind == Kind.VICTORIA ? "/write?precision=n" : null);
  }

  /// Starts it on a directory that does not exist yet, or on one that it left before.
  public ServerProcess start(Path data, InetSocketAddress address) throws IOException {
    String port = Integer.toString(address.getPort());
    Path peers = home.resolve("loadgen/peers");
    List<String> command =
        switch (kind) {
          case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON ->
              Stream.concat(
                      Stream.of(
                          home.resolve("widerow").toString(),
                          "serve",
                          "--data",
                          data.toString(),
                          "--http",
                          "127.0.0.1:" + port),
                      keys.stream().flatMap(key -> Stream.of("--set", key)))
                  .toList();
          case QUESTDB -> List.of(peers.resolve("questdb").toString(), data + "", port, setting);
          case CASSANDRA ->
              List.of(peers.resolve("cassandra").toString(), data + "", port, setting);
          case VICTORIA -> List.of(peers.resolve("victoria").toString(), data + "", port);
        };
    return ServerProcess.start(command, data.resolveSibling(data.getFileName() + ".log"));
  }

  /// Whether it accepts requests.
  public boolean isReady(InetSocketAddress address) throws IOException, InterruptedException {
    return switch (kind) {
      case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON ->
          HttpText.get(address, "/ready").status() == 200;
      case QUESTDB -> HttpText.get(address, "/exec?query=select%201").status() == 200;
      case VICTORIA -> HttpText.get(address, "/health").status() == 200;
      case CASSANDRA -> {
        // First without its driver, whose retries would take CPU from the start.
        SocketChannel.open(address).close();
        PeerDriver.of(kind.target.label).connect(address).close();
        yield true;
      }
    };
  }

  /// Bytes of the files that hold its events after it has ended, without journals and commit logs:
  /// these are preallocated, and their size does not depend on their content.
  long dataBytes(Path data) {
    return CostWatcher.bytesBelow(
        switch (kind) {
          case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON -> data.resolve("segments");
          case QUESTDB -> data.resolve("db");
          case CASSANDRA -> data.resolve("data/load");
          case VICTORIA -> data.resolve("data");
        });
  }

  /// Its configuration, for readers of the figures.
  String note() {
    return switch (kind) {
      case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON ->
          "durability %s, %sits defaults"
              .formatted(setting, keys.isEmpty() ? "" : String.join(", ", keys) + ", otherwise ");
      case QUESTDB -> "QuestDB 9.3.4, commit.mode=" + setting + ", 1 GiB heap";
      case CASSANDRA ->
          "Cassandra 5.0.9, commitlog_sync " + setting + ", unlogged batches of 50, 4 GiB heap";
      case VICTORIA -> "VictoriaMetrics 1.79.5 (Debian), its defaults: no sync on write";
    };
  }

  String name() {
    return kind.label + ":" + setting;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
