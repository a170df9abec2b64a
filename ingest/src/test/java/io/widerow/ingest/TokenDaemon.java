package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.ingest.decode.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/// For tests: a daemon with a store in memory, one lane, one token of the scope `ingest` and one,
/// [#OPERATOR], of the scope `admin`.
public final class TokenDaemon implements AutoCloseable {
  public static final String OPERATOR = "fedcba9876543210fedcba9876543210";

  public final MemoryStore store = new MemoryStore(1);
  public final Http http;
  private final Daemon daemon;

  /// @param directory in which the file of tokens is made
  public TokenDaemon(Path directory, String secret) {
    this(directory, secret, Map.of());
  }

  /// The same with other keys of the configuration.
  public TokenDaemon(Path directory, String secret, Map<String, String> keys) {
    try {
      Path tokens = Files.createTempFile(directory, "tokens", "");
      Files.writeString(
          tokens, line("shop", secret, "ingest") + line("operator", OPERATOR, "admin"));
      Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
      Map<String, String> all = new HashMap<>(keys);
      all.putAll(Map.of("http", "127.0.0.1:0", "lanes", "1", "tokens", tokens.toString()));
      daemon = Daemon.start(TunedConfig.of(all), store);
      http = new Http(daemon);
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  public int port() {
    return daemon.httpAddress().getPort();
  }

  /// A line of a file of tokens.
  public static String line(String name, String secret, String scopes) {
    String digest = HexFormat.of().formatHex(Sha256.start().digest(secret.getBytes(UTF_8)));
    return "%s %s %s\n".formatted(name, digest, scopes);
  }

  @Override
  public void close() {
    http.close();
    daemon.close();
  }
}
