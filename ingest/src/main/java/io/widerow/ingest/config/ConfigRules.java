package io.widerow.ingest.config;

import static io.widerow.ingest.config.ConfigKeys.ALERTMANAGERS;
import static io.widerow.ingest.config.ConfigKeys.BODY_BYTES_MAX;
import static io.widerow.ingest.config.ConfigKeys.BUCKET_MINUTES;
import static io.widerow.ingest.config.ConfigKeys.BUCKET_MINUTES_OF;
import static io.widerow.ingest.config.ConfigKeys.CLUSTER_JOURNAL_BYTES;
import static io.widerow.ingest.config.ConfigKeys.CLUSTER_ROWS;
import static io.widerow.ingest.config.ConfigKeys.CQL;
import static io.widerow.ingest.config.ConfigKeys.DAEMON_NUMBER;
import static io.widerow.ingest.config.ConfigKeys.DATA;
import static io.widerow.ingest.config.ConfigKeys.DURABILITY;
import static io.widerow.ingest.config.ConfigKeys.FLUENT_SHARED_KEY;
import static io.widerow.ingest.config.ConfigKeys.FLUENT_TLS;
import static io.widerow.ingest.config.ConfigKeys.HTTP;
import static io.widerow.ingest.config.ConfigKeys.INSECURE;
import static io.widerow.ingest.config.ConfigKeys.JOURNAL_BYTES;
import static io.widerow.ingest.config.ConfigKeys.JOURNAL_FILE_BYTES;
import static io.widerow.ingest.config.ConfigKeys.KAFKA;
import static io.widerow.ingest.config.ConfigKeys.KAFKA_OF;
import static io.widerow.ingest.config.ConfigKeys.LANES;
import static io.widerow.ingest.config.ConfigKeys.OPEN_BYTES;
import static io.widerow.ingest.config.ConfigKeys.RETENTION_OF;
import static io.widerow.ingest.config.ConfigKeys.RULES_LATE;
import static io.widerow.ingest.config.ConfigKeys.SHARDS;
import static io.widerow.ingest.config.ConfigKeys.SHARDS_OF;
import static io.widerow.ingest.config.ConfigKeys.SNAPSHOT_DIR;
import static io.widerow.ingest.config.ConfigKeys.STORE;
import static io.widerow.ingest.config.ConfigKeys.TLS_CERTIFICATE;
import static io.widerow.ingest.config.ConfigKeys.TLS_CLIENT_CA;
import static io.widerow.ingest.config.ConfigKeys.TLS_KEY;
import static io.widerow.ingest.config.ConfigKeys.TOKENS;
import static io.widerow.ingest.config.Key.require;

import io.widerow.storage.Durability;
import io.widerow.storage.objects.ObjectPlace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rules for the values of several keys.
final class ConfigRules {
  private static final String TLS = "-tls";

  /// The beginning of the names of [#KAFKA_ACCESS].
  private static final String KAFKA_ = "kafka-";

  private static final List<Key<?>> KAFKA_ACCESS =
      List.of(
          ConfigKeys.KAFKA_CA,
          ConfigKeys.KAFKA_CERT,
          ConfigKeys.KAFKA_KEY,
          ConfigKeys.KAFKA_USER,
          ConfigKeys.KAFKA_PASSWORD_FILE,
          ConfigKeys.KAFKA_MECHANISM,
          ConfigKeys.KAFKA_OAUTH,
          ConfigKeys.KAFKA_SET);

  /// For every configuration.
  static final List<ConfigRule> ALL = all();

  /// Rules that read the files which the values name.
  static final List<ConfigRule> FILES =
      List.of(
          ConfigRule.of(
              config -> config.security().check(), TLS_CERTIFICATE, TLS_KEY, TLS_CLIENT_CA),
          ConfigRule.of(config -> config.security().checkTokens(), TOKENS),
          ConfigRule.of(config -> config.listen().check(), FLUENT_SHARED_KEY),
          ConfigRule.of(config -> config.alerts().check(), ALERTMANAGERS),
          new ConfigRule(KAFKA_ACCESS, config -> config.kafkaAccess().checkFiles(KAFKA_)),
          ConfigRule.of(ConfigRules::checkForward, ConfigKeys.FORWARD));

  private ConfigRules() {}

  private static List<ConfigRule> all() {
    List<ConfigRule> rules = new ArrayList<>();
    rules.add(ConfigRule.of(ConfigRules::requireHeap, BODY_BYTES_MAX));
    rules.add(ConfigRule.of(config -> config.store().requireMemory(), OPEN_BYTES, LANES));
    rules.add(
        ConfigRule.of(
            config -> config.store().requireJournal(), JOURNAL_BYTES, JOURNAL_FILE_BYTES));
    rules.add(
        ConfigRule.of(config -> config.store().layout().requireLanes(), SHARDS, SHARDS_OF, LANES));
    rules.add(ConfigRule.of(config -> config.store().requireClear(), RETENTION_OF));
    rules.add(
        ConfigRule.of(
            config -> config.store().layout().requireClear(),
            SHARDS,
            SHARDS_OF,
            BUCKET_MINUTES,
            BUCKET_MINUTES_OF));
    rules.add(ConfigRule.of(ConfigRules::requireSnapshotDirectory, SNAPSHOT_DIR, DATA));
    rules.add(ConfigRule.of(ConfigRules::requireQuorum, DURABILITY, STORE));
    rules.add(ConfigRule.of(ConfigRules::requireSource, KAFKA, KAFKA_OF, STORE, INSECURE));
    rules.add(new ConfigRule(KAFKA_ACCESS, config -> config.kafkaAccess().check(KAFKA_)));
    rules.add(ConfigRule.of(ConfigRules::requireOtherTopic, ConfigKeys.FORWARD, KAFKA, KAFKA_OF));
    rules.add(ConfigRule.of(ConfigRules::requireBackupOutside, BackupKeys.BACKUP, DATA));
    rules.add(ConfigRule.of(ConfigRules::requireColdHere, ColdKeys.COLD, STORE, DATA));
    rules.add(
        ConfigRule.of(
            config -> {
              ColdKeys cold = config.cold();
              DaemonStoreOptions.requireClear(
                  ColdKeys.AFTER_OF.prefix(), cold == null ? Map.of() : cold.ages());
            },
            ColdKeys.AFTER_OF));
    rules.add(
        ConfigRule.of(
            ConfigRules::checkBucket,
            BackupKeys.BACKUP,
            ColdKeys.COLD,
            BackupKeys.S3_ENDPOINT,
            BackupKeys.S3_CREDENTIALS_FILE,
            BackupKeys.S3_CA,
            INSECURE));
    rules.add(ConfigRule.of(ConfigRules::requireNumber, DAEMON_NUMBER, STORE));
    rules.add(ConfigRule.of(ConfigRules::requireLateHere, RULES_LATE, STORE));
    rules.add(
        ConfigRule.of(
            config ->
                requireStore(
                    config, CLUSTER_JOURNAL_BYTES, config.cluster().journalBytes() != null),
            CLUSTER_JOURNAL_BYTES,
            STORE));
    rules.add(
        ConfigRule.of(
            config -> requireStore(config, CLUSTER_ROWS, !config.cluster().rows().isEmpty()),
            CLUSTER_ROWS,
            STORE));
    rules.add(
        ConfigRule.of(
            ConfigRules::requireWholeNames, STORE, RETENTION_OF, SHARDS_OF, BUCKET_MINUTES_OF));
    rules.add(ConfigRule.of(ConfigRules::requirePair, TLS_CERTIFICATE, TLS_KEY));
    rules.add(ConfigRule.of(ConfigRules::requireSafeHttp, HTTP, TOKENS, TLS_CERTIFICATE, INSECURE));
    List<Key<?>> sockets = new ArrayList<>(ConfigKeys.SOCKETS);
    sockets.add(TLS_CLIENT_CA);
    rules.add(new ConfigRule(sockets, ConfigRules::requireUse));
    for (Key<Optional<InetSocketAddress>> key : ConfigKeys.SOCKETS) {
      rules.add(
          ConfigRule.of(
              config -> requireSafe(config, key),
              key,
              TLS_CERTIFICATE,
              TLS_CLIENT_CA,
              TOKENS,
              FLUENT_SHARED_KEY,
              INSECURE));
    }
    return List.copyOf(rules);
  }

  private static void requireHeap(DaemonConfig config) {
    long most = HeapShares.ofProcess().creditBytesMax() / HeapShares.BODIES_LEAST;
    require(
        config.bodyBytesMax() <= most,
        "body-bytes-max must be at most %d with this heap, got %d; give a larger heap in"
                .formatted(most, config.bodyBytesMax())
            + " WIDEROW_JAVA_OPTS");
  }

  private static void requireSnapshotDirectory(DaemonConfig config) {
    Path _ = config.store().snapshotDirectory(config.data());
  }

  private static void requireQuorum(DaemonConfig config) {
    require(
        config.durability() != Durability.QUORUM || config.cluster().isOn(),
        "durability quorum needs a store on a cluster (--store); on one machine disk is the"
            + " strongest");
  }

  private static void requireSource(DaemonConfig config) {
    for (KafkaOptions kafka : config.kafka()) {
      require(
          !config.cluster().isOn() || kafka.partitions().isEmpty(),
          "%s: partitions needs a store on this machine, got store; daemons of a cluster divide"
                  .formatted(kafka.key())
              + " the partitions among them");
      require(
          config.insecure() || kafka.isLocal() || config.kafkaAccess().isTls(),
          "%s: %s is not on this machine; without TLS (kafka-ca) that needs --insecure"
              .formatted(kafka.key(), String.join(",", kafka.brokers())));
    }
  }

  private static void checkForward(DaemonConfig config) {
    ForwardOptions forward = config.forward();
    if (forward != null) {
      forward.to().access().checkFiles("forward: ");
    }
  }

  /// A daemon that reads what it forwards would forward it again, without end.
  private static void requireOtherTopic(DaemonConfig config) {
    ForwardOptions forward = config.forward();
    if (forward == null) {
      return;
    }
    String topic = forward.to().topic();
    for (KafkaOptions source : config.kafka()) {
      boolean isRead =
          !Collections.disjoint(source.brokers(), forward.to().brokers())
              && source.topics().stream().anyMatch(glob -> KafkaOptions.isOf(glob, topic));
      require(
          !isRead,
          "forward: %s reads the topic %s, so its events would go round without end"
              .formatted(source.key(), topic));
    }
  }

  private static void requireBackupOutside(DaemonConfig config) {
    BackupKeys backup = config.backup();
    if (backup != null) {
      requireOutside(config, BackupKeys.BACKUP.name(), backup.place());
    }
  }

  private static void requireColdHere(DaemonConfig config) {
    ColdKeys cold = config.cold();
    if (cold != null) {
      require(!config.cluster().isOn(), "cold needs a store on this machine, got store");
      requireOutside(config, ColdKeys.COLD.name(), cold.place());
    }
  }

  private static void requireOutside(DaemonConfig config, String key, ObjectPlace place) {
    Path data = config.data().toAbsolutePath().normalize();
    Path directory = place.directory();
    require(
        directory == null || (!directory.startsWith(data) && !data.startsWith(directory)),
        "%s must be outside of data, got %s and %s".formatted(key, place.url(), data));
  }

  private static void checkBucket(DaemonConfig config) {
    BackupKeys backup = config.backup();
    ColdKeys cold = config.cold();
    if (backup != null && backup.place().bucket() != null) {
      BackupKeys.checkS3(backup.s3());
    } else if (cold != null && cold.place().bucket() != null) {
      BackupKeys.checkS3(cold.s3());
    }
  }

  private static void requireLateHere(DaemonConfig config) {
    require(
        config.alerts().lateMillis() == 0 || !config.cluster().isOn(),
        "rules-late needs a store on this machine, which shows what arrived after an evaluation");
  }

  private static void requireNumber(DaemonConfig config) {
    require(
        config.cluster().isOn() || config.cluster().daemonNumber() != null,
        "daemon-number auto needs a store on a cluster, which has the numbers of all daemons");
  }

  private static void requireStore(DaemonConfig config, Key<?> key, boolean isSet) {
    require(
        !isSet || config.cluster().isOn(),
        "%s needs a store on a cluster: set store".formatted(key.name()));
  }

  private static void requireWholeNames(DaemonConfig config) {
    if (config.cluster().isOn()) {
      config.store().requireWholeNames();
    }
  }

  private static void requirePair(DaemonConfig config) {
    SecurityOptions security = config.security();
    require(
        (security.tlsCertificate() == null) == (security.tlsKey() == null),
        "tls-certificate and tls-key must be set together, got %s and %s"
            .formatted(security.tlsCertificate(), security.tlsKey()));
  }

  private static void requireSafeHttp(DaemonConfig config) {
    require(
        config.insecure() || config.httpIsLocal() || config.security().isComplete(),
        "http: others can reach %s; without TLS and tokens that needs --insecure"
            .formatted(Form.print(config.http())));
  }

  /// Refuses tls-client-ca without a listener over TLS, which alone uses it.
  private static void requireUse(DaemonConfig config) {
    boolean used =
        ConfigKeys.SOCKETS.stream()
            .anyMatch(key -> key.name().endsWith(TLS) && config.listen().of(key.name()) != null);
    require(
        config.security().tlsClientCa() == null || used,
        "tls-client-ca: %s is of use only with a listener over TLS, such as syslog-tls"
            .formatted(config.security().tlsClientCa()));
  }

  /// Refuses a TLS address without a certificate, and an address that other machines can reach
  /// without authentication.
  private static void requireSafe(DaemonConfig config, Key<Optional<InetSocketAddress>> key) {
    InetSocketAddress address = config.listen().of(key.name());
    if (address == null) {
      return;
    }
    SecurityOptions security = config.security();
    boolean tls = key.name().endsWith(TLS);
    String shown = Form.print(address);
    require(
        !tls || security.tlsCertificate() != null,
        "%s: %s needs tls-certificate and tls-key".formatted(key.name(), shown));
    boolean keyed = key.equals(FLUENT_TLS) && config.listen().hasSharedKey();
    boolean known =
        key.equals(CQL) ? security.isComplete() : tls && (keyed || security.tlsClientCa() != null);
    require(
        known || config.insecure() || DaemonConfig.isLoopback(address),
        "%s: others can reach %s; without %s that needs --insecure"
            .formatted(key.name(), shown, missing(key, tls)));
  }

  private static String missing(Key<?> key, boolean tls) {
    if (!tls) {
      return "TLS and tokens";
    }
    return key.equals(FLUENT_TLS) ? "tls-client-ca or fluent-shared-key" : "tls-client-ca";
  }
}
