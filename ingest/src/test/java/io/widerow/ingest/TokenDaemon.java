package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.ingest.decode.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/// For tests: a daemon with a store in memory, one lane, one token of the scope `ingest` and one,
/// [#OPERATOR], of the scope `admin`.
public final class TokenDaemon extends MemoryDaemon {
  public static final String OPERATOR = "fedcba9876543210fedcba9876543210";

  /// @param directory in which the file of tokens is made
  public TokenDaemon(Path directory, String secret) {
    this(directory, secret, Map.of());
  }

  /// The same with other keys of the configuration.
  public TokenDaemon(Path directory, String secret, Map<String, String> keys) {
    super(1, withTokens(directory, secret, keys));
  }

  private static Map<String, String> withTokens(
      Path directory, String secret, Map<String, String> keys) {
    Map<String, String> all = new HashMap<>(keys);
    all.put(
        "tokens",
        file(directory, line("shop", secret, "ingest") + line("operator", OPERATOR, "admin")));
    return all;
  }

  /// Makes a file of tokens.
  ///
  /// @return its path
  public static String file(Path directory, String lines) {
    try {
      Path tokens = Files.createTempFile(directory, "tokens", ""); // for its owner only
      return Files.writeString(tokens, lines).toString();
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  /// A line of a file of tokens.
  public static String line(String name, String secret, String scopes) {
    String digest = HexFormat.of().formatHex(Sha256.start().digest(secret.getBytes(UTF_8)));
    return "%s %s %s\n".formatted(name, digest, scopes);
  }
}
