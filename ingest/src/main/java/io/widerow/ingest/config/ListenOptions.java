package io.widerow.ingest.config;

import io.widerow.query.SecretFile;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The protocols that have sockets of their own. Each is off unless it has an address.
public record ListenOptions(ConfigValues values) {
  /// Where a protocol listens; null when it is off.
  ///
  /// @param name of the key of its address
  public @Nullable InetSocketAddress of(String name) {
    for (Key<Optional<InetSocketAddress>> key : ConfigKeys.SOCKETS) {
      if (key.name().equals(name)) {
        return values.get(key).orElse(null);
      }
    }
    throw new IllegalArgumentException("no protocol has an address at the key " + name);
  }

  /// Whether senders of Fluent must know a key.
  boolean hasSharedKey() {
    return values.get(ConfigKeys.FLUENT_SHARED_KEY).isPresent();
  }

  /// The key that senders of Fluent must know.
  ///
  /// @return null when they need none
  /// @throws IllegalArgumentException when the file has no key, or others can read it
  public byte @Nullable [] readSharedKey() {
    Path file = values.get(ConfigKeys.FLUENT_SHARED_KEY).orElse(null);
    return file == null ? null : SecretFile.read(ConfigKeys.FLUENT_SHARED_KEY.name(), file);
  }

  /// Reads the file, so that a bad one is reported before anything is opened.
  void check() {
    byte[] _ = readSharedKey();
  }
}
