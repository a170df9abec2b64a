package io.widerow.ingest.config;

import com.linecorp.armeria.common.TlsKeyPair;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Configuration of authentication and transport security.
///
/// @param tokens file of [Tokens]; null lets every client in
/// @param tlsCertificate PEM file with the certificate and its chain; null for no TLS
/// @param tlsKey PEM file with the certificate's private key
/// @param tlsClientCa PEM file with the authorities that sign the certificates of senders over the
///   listeners with TLS, such as `syslog-tls`; null when these need none
/// @param page whether the daemon serves its page at `/ui/`
/// @param hosts names, besides `localhost`, that requests to a daemon without tokens may use
public record SecurityOptions(
    @Nullable Path tokens,
    @Nullable Path tlsCertificate,
    @Nullable Path tlsKey,
    @Nullable Path tlsClientCa,
    boolean page,
    Set<String> hosts) {
  public SecurityOptions {
    hosts = Set.copyOf(hosts);
    if ((tlsCertificate == null) != (tlsKey == null)) {
      throw new IllegalArgumentException(
          "tls-certificate and tls-key must be set together, got %s and %s"
              .formatted(tlsCertificate, tlsKey));
    }
    requireReadable("tokens", tokens);
    requireReadable("tls-certificate", tlsCertificate);
    requireReadable("tls-key", tlsKey);
    requireReadable("tls-client-ca", tlsClientCa);
  }

  static void requireReadable(String key, @Nullable Path file) {
    if (file == null || (Files.isReadable(file) && !Files.isDirectory(file))) {
      return;
    }
    String why =
        !Files.exists(file)
            ? "no such file or directory"
            : Files.isDirectory(file) ? "it is a directory" : "permission denied";
    throw new IllegalArgumentException("%s: cannot read %s: %s".formatted(key, file, why));
  }

  /// True when the wire is encrypted and each client must authenticate.
  boolean isComplete() {
    return tokens != null && tlsCertificate != null;
  }

  /// The key and certificate of TLS; null without TLS.
  ///
  /// @throws IllegalArgumentException when the files hold something else
  public @Nullable TlsKeyPair tls() {
    if (tlsCertificate == null || tlsKey == null) {
      return null;
    }
    TlsKeyPair pair;
    try {
      pair = TlsKeyPair.of(tlsKey.toFile(), tlsCertificate.toFile());
    } catch (RuntimeException bad) {
      throw new IllegalArgumentException(
          "tls-certificate, tls-key: %s, %s: %s"
              .formatted(tlsCertificate, tlsKey, bad.getMessage()),
          bad);
    }
    if (!isPair(pair)) {
      throw new IllegalArgumentException(
          "tls-key: %s is not the key of the certificate in %s".formatted(tlsKey, tlsCertificate));
    }
    return pair;
  }

  /// Whether the certificate's public key verifies what the private key signs. Keys of a kind that
  /// is not known here pass.
  private static boolean isPair(TlsKeyPair pair) {
    PrivateKey key = pair.privateKey();
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case "EdDSA" -> "EdDSA";
          default -> "";
        };
    if (algorithm.isEmpty()) {
      return true;
    }
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      byte[] signed = signature.sign();
      signature.initVerify(pair.certificateChain().getFirst().getPublicKey());
      return signature.verify(signed);
    } catch (GeneralSecurityException otherKind) {
      return false;
    }
  }

  /// The authorities that sign the certificates of senders; empty when these need none.
  ///
  /// @throws IllegalArgumentException when the file holds something else
  public List<X509Certificate> clientAuthorities() {
    if (tlsClientCa == null) {
      return List.of();
    }
    try (InputStream in = Files.newInputStream(tlsClientCa)) {
      List<X509Certificate> authorities = new ArrayList<>();
      CertificateFactory.getInstance("X.509")
          .generateCertificates(in)
          .forEach(each -> authorities.add((X509Certificate) each));
      if (authorities.isEmpty()) {
        throw new IllegalArgumentException(
            "tls-client-ca: there is no certificate in " + tlsClientCa);
      }
      return authorities;
    } catch (IOException | CertificateException bad) {
      throw new IllegalArgumentException(
          "tls-client-ca: %s: %s".formatted(tlsClientCa, bad.getMessage()), bad);
    }
  }

  /// Reads the files, so that a bad one is reported before anything is opened.
  public void check() {
    TlsKeyPair _ = tls();
    List<X509Certificate> _ = clientAuthorities();
    if (tokens != null) {
      Tokens _ = Tokens.read(tokens);
    }
  }

  static void putDefaults(Map<String, String> defaults) {
    defaults.put("tokens", "");
    defaults.put("tls-certificate", "");
    defaults.put("tls-key", "");
    defaults.put("tls-client-ca", "");
    defaults.put("ui", "true");
    defaults.put("hosts", "");
  }

  static SecurityOptions of(ConfigValues values) {
    String hosts = values.text("hosts");
    if (hosts.indexOf('*') >= 0) {
      throw new IllegalArgumentException(
          "hosts: takes whole names, separated by commas, and no *, got " + hosts);
    }
    return new SecurityOptions(
        values.path("tokens"),
        values.path("tls-certificate"),
        values.path("tls-key"),
        values.path("tls-client-ca"),
        values.truth("ui"),
        hosts.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(hosts.split("\\s*,\\s*", -1))));
  }

  void putTo(Map<String, String> values) {
    values.put("tokens", text(tokens));
    values.put("tls-certificate", text(tlsCertificate));
    values.put("tls-key", text(tlsKey));
    values.put("tls-client-ca", text(tlsClientCa));
    values.put("ui", Boolean.toString(page));
    values.put("hosts", String.join(",", new TreeSet<>(hosts)));
  }

  static String text(@Nullable Path file) {
    return file == null ? "" : file.toString();
  }
}
