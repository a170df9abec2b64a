package io.widerow.ingest.receive.fluent;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// The handshake of one connection whose sender must know the shared key (Forward Protocol
/// Specification v1, "Handshake Messages").
///
/// ```
///   us      HELO {nonce, auth: "", keepalive: true}
///   sender  PING hostname salt sha512(salt + hostname + nonce + key) user password
///   us      PONG true "" hostname sha512(salt + hostname + nonce + key)
/// ```
///
/// Users with passwords are not asked for: `auth` is empty.
///
/// - Threads: one.
final class FluentHandshake {
  /// Bytes of a PING, at most.
  static final int PING_BYTES_MAX = 4 << 10;

  private static final int PING_ELEMENTS = 6;
  private static final int HOST_CHARS_MAX = 100;
  private static final int NONCE_BYTES = 16;
  private static final byte[] PING = ascii("PING");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] key;
  private final byte[] nonce;
  private @Nullable String sender;

  FluentHandshake(byte[] key) {
    this.key = key;
    byte[] random = new byte[NONCE_BYTES];
    RANDOM.nextBytes(random);
    nonce = ascii(HexFormat.of().formatHex(random)); // a text: not every sender reads bytes
  }

  byte[] helo() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x92);
    text(out, ascii("HELO"));
    out.write(0x83);
    text(out, ascii("nonce"));
    text(out, nonce);
    text(out, ascii("auth"));
    text(out, ascii(""));
    text(out, ascii("keepalive"));
    out.write(0xc3);
    return out.toByteArray();
  }

  /// Reads a PING.
  ///
  /// @param in at its first element
  /// @param elements of the message
  /// @return the PONG
  /// @throws Bad when it is none, or the sender does not know the key: then it is refused without a
  ///   response of use to a guesser
  byte[] pong(MsgpackReader in, int elements) throws Bad {
    Kind _ = in.next();
    if (elements != PING_ELEMENTS || !in.is(PING)) {
      throw in.bad("a message before PING: the sender has no shared key,");
    }
    byte[] hostname = content(in);
    byte[] salt = content(in);
    byte[] digest = content(in);
    if (!MessageDigest.isEqual(digest, digest(salt, hostname))) {
      throw in.bad("the sender has another fluent-shared-key: the digest");
    }
    String named = new String(hostname, StandardCharsets.UTF_8);
    sender = named.isEmpty() ? null : named.substring(0, Math.min(HOST_CHARS_MAX, named.length()));
    byte[] own = ascii(Arrays.equals(hostname, ascii("widerow")) ? "widerow-server" : "widerow");
    return pong(true, "", own, digest(salt, own));
  }

  /// The name of a sender that has proven to know the key; null before, and when it has none.
  @Nullable String hostname() {
    return sender;
  }

  /// The answer to a sender that does not know the key.
  static byte[] refusal() {
    return pong(false, "shared_key mismatch", new byte[0], new byte[0]);
  }

  private static byte[] pong(boolean good, String reason, byte[] hostname, byte[] digest) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x95);
    text(out, ascii("PONG"));
    out.write(good ? 0xc3 : 0xc2);
    text(out, ascii(reason));
    text(out, hostname);
    text(out, digest);
    return out.toByteArray();
  }

  private static byte[] content(MsgpackReader in) throws Bad {
    Kind kind = in.next();
    if (kind != Kind.TEXT && kind != Kind.BYTES) {
      throw in.bad("an element of PING is %s".formatted(kind));
    }
    return Arrays.copyOfRange(in.bytes(), in.offset, in.offset + (int) in.length);
  }

  private byte[] digest(byte[] salt, byte[] hostname) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-512");
      sha.update(salt);
      sha.update(hostname);
      sha.update(nonce);
      return ascii(HexFormat.of().formatHex(sha.digest(key)));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /// Writes a text of up to 65,535 bytes.
  static void text(ByteArrayOutputStream out, byte[] text) {
    if (text.length < 32) {
      out.write(0xa0 | text.length);
    } else if (text.length < 256) {
      out.write(0xd9);
      out.write(text.length);
    } else {
      out.write(0xda);
      out.write(text.length >>> Byte.SIZE);
      out.write(text.length);
    }
    out.writeBytes(text);
  }
}
