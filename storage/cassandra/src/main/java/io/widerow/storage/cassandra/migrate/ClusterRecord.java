package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.Arrivals;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A keyspace's record of the migration of a directory into it: the policy `migration.` and the
/// directory's store id.
///
/// ```
/// widerow-migration 1
/// daemon 0                              number in versions and in keys of segments
/// done a1.7-1f40-1f3c compared          what arrived before is in the cluster, and was compared
/// attempt 100000000 a1.9-2ee0-2ee4 fa1-7c..   a run that is not through: its stamp, how far it
///                                       goes, and the fingerprint of what it copies
/// ```
///
/// @param done null before the first run is through
/// @param compared true when a comparison after that found both sides the same
/// @param attempts in their order
record ClusterRecord(
    int daemon, @Nullable LaneArrivals done, boolean compared, List<Attempt> attempts) {
  private static final String FIRST = "widerow-migration 1";
  private static final String COMPARED = "compared";
  private static final int STAMP_RADIX = 16;

  ClusterRecord {
    attempts = List.copyOf(attempts);
  }

  /// A run that writes what arrived between `done` and `to`.
  ///
  /// @param stamp of its segments, see [Stamp]
  /// @param source the events of the directory between `done` and `to`
  record Attempt(long stamp, LaneArrivals to, HourFingerprint source) {}

  static String name(UUID storeId) {
    return "migration." + storeId;
  }

  ClusterRecord with(Attempt attempt) {
    List<Attempt> more = new ArrayList<>(attempts);
    more.add(attempt);
    return new ClusterRecord(daemon, done, compared, more);
  }

  /// The record of a directory whose round is shown up to a stamp: an attempt that ended between
  /// showing its round and saying so here is through.
  ClusterRecord shown(long stamp) {
    ClusterRecord now = this;
    while (!now.attempts.isEmpty() && now.attempts.getFirst().stamp <= stamp) {
      List<Attempt> later = now.attempts.subList(1, now.attempts.size());
      now = new ClusterRecord(daemon, now.attempts.getFirst().to, false, later);
    }
    return now;
  }

  ClusterRecord asCompared() {
    return new ClusterRecord(daemon, done, true, attempts);
  }

  String text() {
    StringBuilder text = new StringBuilder(FIRST).append('\n');
    text.append("daemon ").append(daemon).append('\n');
    if (done != null) {
      text.append("done ").append(done).append(compared ? " " + COMPARED : "").append('\n');
    }
    for (Attempt attempt : attempts) {
      text.append("attempt ").append(Long.toString(attempt.stamp, STAMP_RADIX));
      text.append(' ').append(attempt.to).append(' ').append(attempt.source).append('\n');
    }
    return text.toString();
  }

  /// @param name the policy's, for messages
  /// @throws StorageException.Unreachable when this program cannot read the text
  static ClusterRecord parse(String name, String text) {
    try {
      List<String> lines = text.lines().toList();
      if (lines.isEmpty() || !lines.getFirst().equals(FIRST)) {
        throw new IllegalArgumentException("it does not begin with " + FIRST);
      }
      int daemon = 0;
      LaneArrivals done = null;
      boolean compared = false;
      List<Attempt> attempts = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "daemon" -> daemon = Integer.parseInt(words[1]);
          case "done" -> {
            done = lanes(words[1]);
            compared = words.length > 2 && words[2].equals(COMPARED);
          }
          case "attempt" -> attempts.add(attempt(words));
          default -> throw new IllegalArgumentException(line);
        }
      }
      return new ClusterRecord(daemon, done, compared, attempts);
    } catch (IllegalArgumentException | IndexOutOfBoundsException bad) {
      String what = "the keyspace's policy %s cannot be read: %s".formatted(name, bad.getMessage());
      throw new StorageException.Unreachable(what, new IOException(what, bad));
    }
  }

  private static Attempt attempt(String[] words) {
    return new Attempt(
        Long.parseLong(words[1], STAMP_RADIX), lanes(words[2]), HourFingerprint.parse(words[3]));
  }

  private static LaneArrivals lanes(String text) {
    return Objects.requireNonNull(LaneArrivals.of(Arrivals.parse(text)));
  }
}
