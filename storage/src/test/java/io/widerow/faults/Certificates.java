package io.widerow.faults;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/// Certificates of X.509 with keys on the curve P-256, made in this process: a test of TLS needs no
/// openssl.
public final class Certificates {
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int UTC_TIME = 0x17;
  private static final int SEQUENCE = 0x30;
  private static final byte[] ECDSA_WITH_SHA256 = hex("300a06082a8648ce3d040302");
  private static final byte[] VERSION_3 = hex("a003020102");
  private static final byte[] MAY_SIGN = hex("300f0603551d130101ff040530030101ff");
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = hex("0603551d11");
  private static final byte[] LOOPBACK = hex("87047f000001");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private final X500Principal subject;
  private final KeyPair keys;
  private final byte[] der;

  private Certificates(X500Principal subject, KeyPair keys, byte[] der) {
    this.subject = subject;
    this.keys = keys;
    this.der = der;
  }

  /// How long a certificate is valid.
  private record Period(Instant from, Instant until) {
    static Period twoDays() {
      Instant now = Instant.now();
      return new Period(now.minus(Duration.ofHours(1)), now.plus(Duration.ofDays(2)));
    }
  }

  /// One that signs itself and may sign others.
  ///
  /// @param subject as `CN=authority`
  public static Certificates selfSigned(String subject) throws GeneralSecurityException {
    KeyPair keys = newKeys();
    X500Principal name = new X500Principal(subject);
    return new Certificates(
        name, keys, signed(Period.twoDays(), name, keys, name, keys, List.of(MAY_SIGN)));
  }

  /// One that signs itself, of `localhost` and 127.0.0.1, for the next two days.
  public static Certificates ofThisMachine() throws GeneralSecurityException {
    return ofThisMachine(Period.twoDays());
  }

  /// One that signs itself, of `localhost` and 127.0.0.1.
  public static Certificates ofThisMachine(Instant from, Instant until)
      throws GeneralSecurityException {
    return ofThisMachine(new Period(from, until));
  }

  private static Certificates ofThisMachine(Period valid) throws GeneralSecurityException {
    KeyPair keys = newKeys();
    X500Principal name = new X500Principal("CN=localhost");
    byte[] host = part(0x82, "localhost".getBytes(StandardCharsets.US_ASCII));
    byte[] names = part(OCTET_STRING, part(SEQUENCE, LOOPBACK, host));
    byte[] extension = part(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, names);
    return new Certificates(
        name, keys, signed(valid, name, keys, name, keys, List.of(MAY_SIGN, extension)));
  }

  /// One that this one signs.
  public Certificates sign(String other) throws GeneralSecurityException {
    KeyPair theirs = newKeys();
    X500Principal name = new X500Principal(other);
    return new Certificates(
        name, theirs, signed(Period.twoDays(), name, theirs, subject, keys, List.of()));
  }

  public PrivateKey key() {
    return keys.getPrivate();
  }

  public X509Certificate certificate() throws CertificateException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der));
  }

  /// Writes the files of PEM.
  public void write(Path certificate, Path key) throws IOException {
    Files.writeString(certificate, pem("CERTIFICATE", der));
    Files.writeString(key, pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
  }

  private static String pem(String kind, byte[] bytes) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind);
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static byte[] signed(
      Period valid,
      X500Principal subject,
      KeyPair keys,
      X500Principal issuer,
      KeyPair issuing,
      List<byte[]> extensions)
      throws GeneralSecurityException {
    byte[] time = part(SEQUENCE, time(valid.from()), time(valid.until()));
    byte[] all = part(0xa3, part(SEQUENCE, extensions.toArray(new byte[0][])));
    byte[] body =
        part(
            SEQUENCE,
            VERSION_3,
            part(INTEGER, new BigInteger(63, new SecureRandom()).toByteArray()),
            ECDSA_WITH_SHA256,
            issuer.getEncoded(),
            time,
            subject.getEncoded(),
            keys.getPublic().getEncoded(),
            extensions.isEmpty() ? new byte[0] : all);
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(issuing.getPrivate());
    signature.update(body);
    byte[] wholeBytes = {0};
    return part(SEQUENCE, body, ECDSA_WITH_SHA256, part(BIT_STRING, wholeBytes, signature.sign()));
  }

  private static byte[] time(Instant time) {
    return part(UTC_TIME, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
  }

  /// A part in DER: tag, length, content.
  private static byte[] part(int tag, byte[]... contents) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] each : contents) {
      content.writeBytes(each);
    }
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    part.write(tag);
    int length = content.size();
    if (length >= 0x100) {
      part.writeBytes(new byte[] {(byte) 0x82, (byte) (length >> 8)});
    } else if (length >= 0x80) {
      part.write(0x81);
    }
    part.write(length);
    part.writeBytes(content.toByteArray());
    return part.toByteArray();
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
