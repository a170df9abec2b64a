package io.widerow.ingest.cql;

import io.widerow.cql.CqlException;
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

  byte[] seal(byte[] statement, byte[] position) {
    byte[] sealed = Arrays.copyOf(position, position.length + SEAL_BYTES);
    System.arraycopy(mac(statement, position), 0, sealed, position.length, SEAL_BYTES);
    return sealed;
  }

  /// @throws CqlException when it was not sealed for this statement
  byte[] open(byte[] statement, byte[] sealed) {
    if (sealed.length >= SEAL_BYTES) {
      byte[] position = Arrays.copyOf(sealed, sealed.length - SEAL_BYTES);
      byte[] given = Arrays.copyOfRange(sealed, position.length, sealed.length);
      if (MessageDigest.isEqual(given, mac(statement, position))) {
        return position;
      }
    }
    throw CqlException.protocol("Invalid value for the paging state");
  }

  private byte[] mac(byte[] statement, byte[] position) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(PURPOSE);
      mac.update(statement);
      mac.update(position);
      return Arrays.copyOf(mac.doFinal(), SEAL_BYTES);
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
