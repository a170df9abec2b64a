package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The log of the sweepers of all daemons, as the body of the policy `sweeps`. A restart, or
/// another daemon, continues from it.
///
/// ```
/// 1                                    version of the text
/// removing 2026-11-20T19|cpu|3         rows of the catalog that are being removed, last shard
/// removing 2026-11-20T19
/// pass 1764000000000                   when it began, milliseconds since the Unix epoch
/// * PT168H                             the retention then, see RetentionRules
/// nginx.access PT720H
/// pass 1764086400000
/// ...
/// ```
///
/// @param passes the last ones that went over everything, oldest first, a day apart
/// @param removing rows of the catalog that may have been removed although something came
/// @param span the span of these rows; null when there are none
record SweepLog(List<Pass> passes, List<BucketRow> removing, @Nullable String span) {
  /// The name of the policy.
  static final String NAME = "sweeps";

  static final SweepLog EMPTY = new SweepLog(List.of(), List.of(), null);

  private static final String VERSION = "1";
  private static final String PASS = "pass ";
  private static final String REMOVING = "removing ";

  /// A sweep over all spans: it deleted everything that was past its retention when it began.
  record Pass(long startMillis, RetentionRules rules) {
    boolean dropped(BucketRow row) {
      return rules.expiryNanos(row.type(), row.bucket().untilNanos()) <= startMillis * 1_000_000;
    }
  }

  SweepLog {
    passes = List.copyOf(passes);
    removing = List.copyOf(removing);
  }

  /// Since when each pass dropped a bucket, up to the last; [Long#MAX_VALUE] when the last did not.
  long droppedMillis(BucketRow row) {
    long since = Long.MAX_VALUE;
    for (Pass pass : passes.reversed()) {
      if (!pass.dropped(row)) {
        break;
      }
      since = pass.startMillis;
    }
    return since;
  }

  /// When the last pass began; [Long#MIN_VALUE] when there was none.
  long lastMillis() {
    return passes.isEmpty() ? Long.MIN_VALUE : passes.getLast().startMillis;
  }

  /// With one more pass. Of those older than `keptMillis` only the newest stays.
  SweepLog with(Pass pass, long keptMillis) {
    List<Pass> kept = new ArrayList<>(passes);
    kept.add(pass);
    while (kept.size() > 1 && kept.get(1).startMillis <= pass.startMillis - keptMillis) {
      kept.removeFirst();
    }
    return new SweepLog(kept, removing, span);
  }

  SweepLog removing(List<BucketRow> rows, @Nullable String ofSpan) {
    return new SweepLog(passes, rows, ofSpan);
  }

  String text() {
    StringBuilder text = new StringBuilder(VERSION + "\n");
    for (BucketRow row : removing) {
      PartitionKey key = row.bucket().partition(row.type(), row.shards() - 1);
      text.append(REMOVING).append(EscapedName.of(key.toString())).append('\n');
    }
    if (span != null) {
      text.append(REMOVING).append(span).append('\n');
    }
    for (Pass pass : passes) {
      text.append(PASS).append(pass.startMillis).append('\n');
      text.append(pass.rules.text().substring(pass.rules.text().indexOf('\n') + 1));
    }
    return text.toString();
  }

  /// @throws PolicyException when the text is not what [#text] writes
  static SweepLog parse(@Nullable String text) {
    if (text == null) {
      return EMPTY;
    }
    String[] lines = text.split("\n", -1);
    if (!lines[0].equals(VERSION)) {
      throw new PolicyException("policy sweeps of version '%s'".formatted(lines[0]));
    }
    List<Pass> passes = new ArrayList<>();
    List<BucketRow> removing = new ArrayList<>();
    String span = null;
    int at = 1;
    for (; at < lines.length && lines[at].startsWith(REMOVING); at++) {
      String what = lines[at].substring(REMOVING.length());
      if (what.indexOf('|') < 0) {
        span = what;
      } else {
        removing.add(row(what));
      }
    }
    while (at < lines.length && !lines[at].isEmpty()) {
      if (!lines[at].startsWith(PASS)) {
        throw new PolicyException("policy sweeps has the line '%s'".formatted(lines[at]));
      }
      long start = start(lines[at].substring(PASS.length()));
      StringBuilder rules = new StringBuilder("1\n");
      for (at++; at < lines.length && !lines[at].startsWith(PASS); at++) {
        rules.append(lines[at]).append(lines[at].isEmpty() ? "" : "\n");
      }
      passes.add(new Pass(start, RetentionRules.parse(rules.toString())));
    }
    return new SweepLog(passes, removing, span);
  }

  private static BucketRow row(String word) {
    try {
      PartitionKey key = PartitionKey.parse(EscapedName.parse(word));
      return new BucketRow(Bucket.of(key), key.type(), key.shard() + 1);
    } catch (IllegalArgumentException bad) {
      throw new PolicyException("policy sweeps has the word '%s'".formatted(word), bad);
    }
  }

  private static long start(String word) {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException bad) {
      throw new PolicyException("policy sweeps has the word '%s'".formatted(word), bad);
    }
  }
}
