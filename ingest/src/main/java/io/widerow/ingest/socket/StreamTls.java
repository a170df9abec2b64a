package io.widerow.ingest.socket;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.widerow.ingest.config.TlsFiles;
import java.security.cert.X509Certificate;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/// TLS 1.2 and 1.3 for the TCP connections of receivers.
///
/// - Threads: one calls [#renew], any thread the other methods.
public final class StreamTls {
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
  private static final String COMMON_NAME = "CN";
  private static final Logger LOG = Logger.getLogger("widerow");

  private final TlsFiles files;
  private final boolean asksForSender;
  private volatile SslContext context;

  /// @param files with the certificate, and with the senders' authorities if these need one
  /// @throws IllegalArgumentException when they cannot be used
  public StreamTls(TlsFiles files) {
    this(files, true);
  }

  /// @param asksForSender whether senders need certificates where authorities for them are
  ///   configured; false where tokens tell who they are
  public StreamTls(TlsFiles files, boolean asksForSender) {
    this.files = files;
    this.asksForSender = asksForSender;
    try {
      context = build(files.content());
    } catch (SSLException unusable) {
      throw new IllegalArgumentException(
          "tls-certificate, tls-key, tls-client-ca: " + unusable.getMessage(), unusable);
    }
  }

  private SslContext build(TlsFiles.Content content) throws SSLException {
    SslContextBuilder builder =
        SslContextBuilder.forServer(content.pair().privateKey(), content.pair().certificateChain())
            .protocols(VERSIONS);
    if (asksForSender && !content.authorities().isEmpty()) {
      builder
          .trustManager(content.authorities().toArray(X509Certificate[]::new))
          .clientAuth(ClientAuth.REQUIRE);
    }
    return builder.build();
  }

  /// Uses the files' new content for new connections.
  public void renew() {
    try {
      context = build(files.content());
    } catch (SSLException unusable) {
      LOG.log(Level.WARNING, "tls: {0}; the old certificate stays in force", unusable.getMessage());
    }
  }

  /// A handler for a new connection. [Handshakes] ends one that takes too long.
  public SslHandler handler(ByteBufAllocator buffers) {
    SslHandler handler = context.newHandler(buffers);
    handler.setHandshakeTimeoutMillis(0); // Handshakes does that
    return handler;
  }

  /// The sender's name in its certificate: the common name, or all of the name when it has none.
  /// Null when no certificate was asked for.
  static @Nullable String sender(SslHandler handler) {
    try {
      if (handler.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate own) {
        String name = own.getSubjectX500Principal().getName();
        for (Rdn part : new LdapName(name).getRdns().reversed()) {
          if (part.getType().equalsIgnoreCase(COMMON_NAME)) {
            return String.valueOf(part.getValue());
          }
        }
        return name;
      }
      return null;
    } catch (SSLPeerUnverifiedException | InvalidNameException none) {
      return null;
    }
  }
}
