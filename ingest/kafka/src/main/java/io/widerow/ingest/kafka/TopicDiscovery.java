package io.widerow.ingest.kafka;

import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.lane.SourcePartition;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/// Finds the partitions of the topics that are named, with the ids of the topics: only an id
/// distinguishes a topic from one of the same name that was deleted.
///
/// - Threads: one.
final class TopicDiscovery {
  private static final int SECONDS_MAX = 10;

  private final KafkaOptions options;
  private final int number;
  private final SourceShares shares;
  private final boolean isShared;
  private @Nullable String problem;
  private boolean hasFound;

  /// @param number of the reader of the source, which gets its share of the partitions
  /// @param isShared whether a group divides the partitions instead
  TopicDiscovery(KafkaOptions options, int number, SourceShares shares, boolean isShared) {
    this.options = options;
    this.number = number;
    this.shares = shares;
    this.isShared = isShared;
  }

  /// Why a topic is not among the partitions found last; null for none.
  @Nullable String problem() {
    return problem;
  }

  /// Whether a partition was ever found, be it of another reader.
  boolean hasFound() {
    return hasFound;
  }

  /// The partitions of all topics that exist and may be read.
  ///
  /// @throws KafkaException when the brokers do not answer
  Map<TopicPartition, SourcePartition> find(Admin admin) {
    problem = null;
    Map<TopicPartition, SourcePartition> found = new HashMap<>();
    admin
        .describeTopics(names(admin))
        .topicNameValues()
        .forEach((name, described) -> {
          try {
            add(get(described), found);
          } catch (UnknownTopicOrPartitionException
              | TopicAuthorizationException
              | InvalidTopicException missing) {
            problem = "%s: %s".formatted(name, missing.getMessage());
          }
        });
    return found;
  }

  private void add(TopicDescription topic, Map<TopicPartition, SourcePartition> found) {
    UUID id = id(topic);
    for (TopicPartitionInfo each : topic.partitions()) {
      int partition = each.partition();
      hasFound = true;
      boolean isWanted = options.partitions().isEmpty() || options.partitions().contains(partition);
      boolean isMine = Math.floorMod(id.hashCode() + partition, options.readers()) == number;
      if (isWanted && (isShared || isMine)) {
        var name = new TopicPartition(topic.name(), partition);
        var of = new SourcePartition(id, partition);
        String why = shares.take(of, options.source());
        if (why == null) {
          found.put(name, of);
        } else {
          problem = "%s: %s".formatted(name, why);
        }
      }
    }
  }

  /// A broker that has no ids, or does not tell them, has topics with the ids of their names.
  private static UUID id(TopicDescription topic) {
    Uuid id = topic.topicId();
    return id == null || id.equals(Uuid.ZERO_UUID)
        ? UUID.nameUUIDFromBytes(topic.name().getBytes(StandardCharsets.UTF_8))
        : new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  /// The partitions that members of a group read; null while it divides them.
  ///
  /// @throws KafkaException when the brokers do not answer, or refuse
  static @Nullable Set<TopicPartition> readBy(Admin admin, String group) {
    try {
      ConsumerGroupDescription now =
          get(admin.describeConsumerGroups(List.of(group)).all()).get(group);
      if (now == null || now.groupState() != GroupState.STABLE) {
        return null;
      }
      Set<TopicPartition> read = new HashSet<>();
      now.members().forEach(member -> read.addAll(member.assignment().topicPartitions()));
      return read;
    } catch (GroupIdNotFoundException notYet) {
      return null;
    }
  }

  /// The named topics, and those that match; internal topics match only by their full name.
  private Set<String> names(Admin admin) {
    Set<String> names = new HashSet<>();
    for (String topic : options.topics()) {
      if (topic.indexOf('*') < 0) {
        names.add(topic);
      }
    }
    if (names.size() < options.topics().size()) {
      for (String name : get(admin.listTopics().names())) {
        if (options.topics().stream().anyMatch(glob -> KafkaOptions.isOf(glob, name))) {
          names.add(name);
        }
      }
    }
    return names;
  }

  private static <T> T get(KafkaFuture<T> future) {
    try {
      return future.get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      throw cause instanceof KafkaException kafka ? kafka : new KafkaException(cause);
    } catch (java.util.concurrent.TimeoutException late) {
      throw new TimeoutException("no answer in %d s".formatted(SECONDS_MAX), late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new KafkaException(interrupted);
    }
  }
}
