package io.widerow.ingest.kafka;

import io.widerow.query.forward.KafkaAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.security.oauthbearer.ClientJwtValidator;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// The properties that all clients have: where the brokers are, whom to trust, the credentials; and
/// why these brokers do not answer, in words.
///
/// - Threads: any.
///
/// @param brokers `HOST:PORT` each
/// @param prefix beginning of the names of the access' parts in errors, such as `kafka-`
record ClientProperties(List<String> brokers, KafkaAccess access, String prefix) {
  private static final String PEM = "PEM";
  private static final String REQUEST_MILLIS = "10000";
  private static final String TOKEN_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

  /// Reads the files of keys and passwords.
  ///
  /// @throws KafkaException when one cannot be used
  Properties read() {
    Properties all = new Properties();
    all.putAll(access.properties());
    all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, String.join(",", brokers));
    all.put(CommonClientConfigs.CLIENT_ID_CONFIG, "widerow");
    all.putIfAbsent(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    all.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    boolean isKnown = access.user() != null;
    String tls = access.isTls() ? "SSL" : "PLAINTEXT";
    all.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, isKnown ? "SASL_" + tls : tls);
    try {
      addTls(all);
      addUser(all);
    } catch (IOException | IllegalArgumentException unreadable) {
      throw new KafkaException(String.valueOf(unreadable.getMessage()), unreadable);
    }
    return all;
  }

  private void addTls(Properties all) throws IOException {
    Path ca = access.ca();
    if (ca == null) {
      return;
    }
    all.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, PEM);
    all.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, Files.readString(ca));
    Path certificate = access.certificate();
    Path key = access.key();
    if (certificate != null && key != null) {
      all.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, PEM);
      all.put(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, Files.readString(certificate));
      all.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, Files.readString(key));
    }
  }

  private void addUser(Properties all) {
    String user = access.user();
    if (user == null) {
      return;
    }
    String password = access.password(prefix);
    String oauth = access.oauth();
    if (oauth == null) {
      Class<?> module =
          access.mechanism().equals("PLAIN") ? PlainLoginModule.class : ScramLoginModule.class;
      all.put(SaslConfigs.SASL_MECHANISM, access.mechanism());
      all.put(
          SaslConfigs.SASL_JAAS_CONFIG,
          "%s required username=\"%s\" password=\"%s\";"
              .formatted(module.getName(), quoted(user), quoted(password)));
      return;
    }
    all.put(SaslConfigs.SASL_MECHANISM, OAuthBearerLoginModule.OAUTHBEARER_MECHANISM);
    all.put(SaslConfigs.SASL_JAAS_CONFIG, OAuthBearerLoginModule.class.getName() + " required;");
    all.put(
        SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS,
        OAuthBearerLoginCallbackHandler.class.getName());
    all.put( // the other one checks signatures, with a library that brokers have
        SaslConfigs.SASL_OAUTHBEARER_JWT_VALIDATOR_CLASS, ClientJwtValidator.class.getName());
    all.put(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, oauth);
    all.put(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID, user);
    all.put(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_SECRET, password);
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /// Refuses properties and values that Kafka's client does not have.
  ///
  /// @throws IllegalArgumentException with the property in it
  void check() {
    Set<String> known = new HashSet<>(ConsumerConfig.configNames());
    known.addAll(ProducerConfig.configNames());
    known.addAll(AdminClientConfig.configNames());
    for (String name : access.properties().keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "%sset.%s: Kafka's client has no such property".formatted(prefix, name));
      }
    }
    if (access.oauth() != null) {
      System.setProperty(TOKEN_URLS, access.oauth()); // the client asks no other one
    }
    Properties all = new Properties();
    all.putAll(access.properties());
    all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, String.join(",", brokers));
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    try {
      var _ = new ConsumerConfig(all);
      var _ = new ProducerConfig(all);
      var _ = new AdminClientConfig(all);
    } catch (ConfigException wrong) {
      throw new IllegalArgumentException(prefix + "set: " + wrong.getMessage(), wrong);
    }
  }

  /// Why the brokers do not answer, in one sentence.
  String reason(KafkaException failure) {
    String where = String.join(",", brokers);
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof SaslAuthenticationException) {
        return "%s refuses the user %s: %s".formatted(where, access.user(), at.getMessage());
      }
      if (at instanceof SslAuthenticationException) {
        return "TLS with %s: %s".formatted(where, tlsReason(at));
      }
      if (at instanceof TimeoutException) {
        String how = access.isTls() ? "over" : "without";
        return "no broker answers at %s %s TLS: %s".formatted(where, how, at.getMessage());
      }
    }
    Throwable last = last(failure);
    return last.equals(failure) ? text(last) : "%s: %s".formatted(text(failure), text(last));
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private static Throwable last(Throwable failure) {
    Throwable last = failure;
    for (Throwable at = failure; at != null; at = at.getCause()) {
      last = at;
    }
    return last;
  }

  private String tlsReason(Throwable failure) {
    Throwable last = last(failure);
    String text = String.valueOf(last.getMessage());
    if (last instanceof CertPathBuilderException || last instanceof SignatureException) {
      return "no authority of %s has signed its certificate".formatted(access.ca());
    }
    return text;
  }
}
