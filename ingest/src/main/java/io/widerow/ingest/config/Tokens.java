package io.widerow.ingest.config;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.Sha256;
import io.widerow.query.SecretFile;
import io.widerow.query.WholeFile;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The access tokens and their scopes: the SHA-256 digests of bearer tokens, from a file that only
/// its owner can read. A line is `name sha256hex scope[,scope]`. Empty lines and lines that begin
/// with `#` are ignored. `widerow token` makes a token and its line.
///
/// - Threads: any.
public final class Tokens {
  private static final int DIGEST_HEX = 64;

  private final List<Token> tokens;

  /// The scopes of a token.
  public enum Scope {
    INGEST,
    QUERY,
    ADMIN
  }

  /// A token, without its secret.
  public record Token(String name, String digestHex, Set<Scope> scopes) {}

  private Tokens(List<Token> tokens) {
    this.tokens = List.copyOf(tokens);
  }

  /// @throws IllegalArgumentException when others can read the file, or a line is wrong; it does
  ///   not show the line, which may contain a token by mistake
  public static Tokens read(Path file) {
    List<Token> tokens = new ArrayList<>();
    try {
      SecretFile.requirePrivate("tokens", file);
      int number = 0;
      for (String line : WholeFile.read(file).lines().toList()) {
        number++;
        String text = line.strip();
        if (!text.isEmpty() && !text.startsWith("#")) {
          tokens.add(parse("%s, line %d".formatted(file, number), text));
        }
      }
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "tokens: cannot read %s: %s".formatted(file, FailureReason.of(unreadable)), unreadable);
    }
    return new Tokens(tokens);
  }

  /// The line of a token for the file.
  ///
  /// @throws IllegalArgumentException when the name is not one word, or a scope is unknown
  public static String line(String name, String secret, String scopes) {
    if (name.startsWith("#")) {
      throw new IllegalArgumentException("name must not begin with #, got " + name);
    }
    String line = name + " " + HexFormat.of().formatHex(sha256(secret)) + " " + scopes;
    Token _ = parse("%s with the scopes %s".formatted(name, scopes), line);
    return line;
  }

  private static Token parse(String where, String line) {
    String[] words = line.split("\\s+", -1);
    if (words.length != 3 || words[1].length() != DIGEST_HEX) {
      throw new IllegalArgumentException(
          "tokens: %s: must be: name sha256hex scope[,scope]".formatted(where));
    }
    EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
    try {
      for (String scope : words[2].split(",", -1)) {
        scopes.add(Scope.valueOf(scope.toUpperCase(Locale.ROOT)));
      }
      byte[] _ = HexFormat.of().parseHex(words[1]); // throws when it is not hexadecimal
      return new Token(words[0], words[1].toLowerCase(Locale.ROOT), scopes);
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException(
          "tokens: %s: must be: name sha256hex scope[,scope]".formatted(where), bad);
    }
  }

  /// The token with this secret; null when there is none. Takes as long for a good as for a bad
  /// one.
  public @Nullable Token find(String secret) {
    byte[] digest = ascii(HexFormat.of().formatHex(sha256(secret)));
    Token found = null;
    for (Token token : tokens) {
      if (MessageDigest.isEqual(digest, ascii(token.digestHex))) {
        found = token;
      }
    }
    return found;
  }

  public List<Token> all() {
    return tokens;
  }

  /// Whether a token is still there, with the same scopes.
  public boolean contains(Token token) {
    return tokens.contains(token);
  }

  private static byte[] sha256(String secret) {
    return Sha256.start().digest(secret.getBytes(StandardCharsets.UTF_8));
  }
}
