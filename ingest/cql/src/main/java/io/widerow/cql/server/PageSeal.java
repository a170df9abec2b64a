package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Seals positions of pages, so that a client can only go on where an answer to the same statement
/// has ended. A sealed position is valid on every connection and after a restart.
///
/// ```
///   | position | HMAC-SHA256 of the statement's id and the position, its first 8 bytes |
/// ```
///
/// - Threads: any.
final class PageSeal {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SEAL_BYTES = 8;
  private static final byte[] PURPOSE = {'c', 'q', 'l', ' ', 'p', 'a', 'g', 'e'};

  private final SecretKeySpec key;

  /// @param secret of the store
  PageSeal(byte[] secret) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  ByteBuffer seal(byte[] statement, ByteBuffer position) {
    return ByteBuffer.allocate(position.remaining() + SEAL_BYTES)
        .put(position.duplicate())
        .put(mac(statement, position), 0, SEAL_BYTES)
        .flip();
  }

  /// @throws CqlException when it was not sealed for this statement
  ByteBuffer open(byte[] statement, ByteBuffer sealed) {
    int length = sealed.remaining() - SEAL_BYTES;
    if (length >= 0) {
      ByteBuffer position = sealed.slice(0, length);
      byte[] given = new byte[SEAL_BYTES];
      sealed.get(length, given);
      if (MessageDigest.isEqual(given, Arrays.copyOf(mac(statement, position), SEAL_BYTES))) {
        return position;
      }
    }
    throw CqlException.protocol("Invalid value for the paging state");
  }

  private byte[] mac(byte[] statement, ByteBuffer position) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(PURPOSE);
      mac.update(statement);
      mac.update(position.duplicate());
      return mac.doFinal();
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
