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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Configuration of authentication and transport security.
public record SecurityOptions(ConfigValues values) {
  /// File of [Tokens]; null lets every client in.
  public @Nullable Path tokens() {
    return values.get(ConfigKeys.TOKENS).orElse(null);
  }

  /// PEM file with the certificate and its chain; null for no TLS.
  public @Nullable Path tlsCertificate() {
    return values.get(ConfigKeys.TLS_CERTIFICATE).orElse(null);
  }

  /// PEM file with the certificate's private key.
  public @Nullable Path tlsKey() {
    return values.get(ConfigKeys.TLS_KEY).orElse(null);
  }

  /// PEM file with the authorities that sign the certificates of senders over the listeners with
  /// TLS, such as `syslog-tls`; null when these need none.
  public @Nullable Path tlsClientCa() {
    return values.get(ConfigKeys.TLS_CLIENT_CA).orElse(null);
  }

  /// Whether the daemon serves its page at `/ui/`.
  public boolean page() {
    return values.get(ConfigKeys.UI);
  }

  /// Names, besides `localhost`, that requests to a daemon without tokens may use.
  public Set<String> hosts() {
    return new TreeSet<>(values.get(ConfigKeys.HOSTS));
  }

  /// @throws IllegalArgumentException when a file is given that cannot be read
  public static void requireReadable(String key, @Nullable Path file) {
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
    return tokens() != null && tlsCertificate() != null;
  }

  /// The key and certificate of TLS; null without TLS.
  ///
  /// @throws IllegalArgumentException when the files hold something else
  public @Nullable TlsKeyPair tls() {
    Path tlsCertificate = tlsCertificate();
    Path tlsKey = tlsKey();
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
    Path tlsClientCa = tlsClientCa();
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

  /// Reads the files of TLS, so that a bad one is reported before anything is opened.
  void check() {
    TlsKeyPair _ = tls();
    List<X509Certificate> _ = clientAuthorities();
  }

  /// Reads the file of tokens, likewise.
  void checkTokens() {
    Path tokens = tokens();
    if (tokens != null) {
      Tokens _ = Tokens.read(tokens);
    }
  }
}
