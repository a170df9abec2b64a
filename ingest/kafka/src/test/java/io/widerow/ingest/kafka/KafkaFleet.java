package io.widerow.ingest.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Daemons that divide the partitions of topics among them, each with a store of its own. They are
/// killed at any time, also while they start.
///
/// - Threads: one.
final class KafkaFleet implements AutoCloseable {
  private final List<String> jvm;
  private final List<Member> members = new ArrayList<>();
  private final String topic;

  /// Milliseconds from the start of each process until it was ready.
  final List<Long> ready = new ArrayList<>();

  /// The same until it had stored its first record.
  final List<Long> stored = new ArrayList<>();

  /// A daemon.
  private static final class Member {
    final Path data;
    final Map<String, String> keys;
    KafkaDaemon daemon;
    long next; // as it was last seen
    boolean hasStored;

    Member(Path data, Map<String, String> keys, KafkaDaemon daemon) {
      this.data = data;
      this.keys = keys;
      this.daemon = daemon;
    }
  }

  /// @param jvm options of the JVM, the class path included
  /// @param topic whose offsets are counted
  KafkaFleet(List<String> jvm, String topic) {
    this.jvm = jvm;
    this.topic = topic;
  }

  /// Starts one more.
  void add(Path data, Map<String, String> keys) throws IOException {
    members.add(new Member(data, keys, new KafkaDaemon(jvm, data, keys)));
  }

  int size() {
    return members.size();
  }

  /// A daemon once it is ready.
  KafkaDaemon ready(int number) {
    KafkaDaemon daemon = members.get(number).daemon;
    daemon.awaitReady();
    return daemon;
  }

  /// Kills a daemon and starts it again.
  void kill(int number) throws IOException {
    Member member = members.get(number);
    member.daemon.kill();
    if (member.daemon.isReady()) {
      ready.add(member.daemon.readyMillis());
    }
    member.hasStored = false;
    member.daemon = new KafkaDaemon(jvm, member.data, member.keys);
  }

  /// The sum of the offsets up to which the partitions of the topic are read.
  long next() throws IOException, InterruptedException {
    long sum = 0;
    for (Member member : members) {
      member.daemon.requireAlive();
      if (member.daemon.isReady()) {
        if (!member.hasStored && member.daemon.stored() > 0) {
          member.hasStored = true;
          stored.add(member.daemon.millis());
        }
        member.next = Math.max(member.next, member.daemon.sumOfNext(topic));
      }
      sum += member.next;
    }
    return sum;
  }

  /// Stops all as a supervisor does.
  void stop() {
    members.forEach(member -> member.daemon.stop());
  }

  @Override
  public void close() {
    members.forEach(member -> member.daemon.close());
  }
}
