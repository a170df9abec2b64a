package io.widerow.storage.objects;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// SHA-256 of contents, in hexadecimal.
final class ContentDigest {
  private static final int BUFFER_BYTES = 1 << 16;

  private ContentDigest() {}

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every JDK has SHA-256", missing);
    }
  }

  static String of(byte[] bytes) {
    return text(digest().digest(bytes));
  }

  static String of(ObjectStore.Content content) {
    try (InputStream in = content.open()) {
      return of(in);
    } catch (IOException failure) {
      throw new ObjectsException.Away("cannot read a file of the store: " + failure, failure);
    }
  }

  /// Reads a stream to its end.
  static String of(InputStream in) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
      digest.update(buffer, 0, got);
    }
    return text(digest.digest());
  }

  static String text(byte[] digest) {
    return HexFormat.of().formatHex(digest);
  }
}
