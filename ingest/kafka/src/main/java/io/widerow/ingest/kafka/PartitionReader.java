package io.widerow.ingest.kafka;

import io.widerow.ingest.lane.SourceGap;
import io.widerow.ingest.lane.SourcePartition;
import io.widerow.ingest.lane.SourcePlace;
import io.widerow.ingest.lane.SourcePosition;
import io.widerow.storage.SourceRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// A partition that is read: the records that wait for the lanes, the batches that are out, and how
/// far everything is durable.
///
/// ```
///       durable          sent             waiting          fetched
///   ------|---------------|------------------|---------------|------>  offsets
///    stored  in the lanes   read, no room yet
/// ```
///
/// - Threads: the poller's.
final class PartitionReader {
  private static final long NOTE_NANOS = 1_000_000_000;
  private static final int CHUNK_RECORDS_MAX = 4_000;
  private static final int CHUNK_RECORDS_OWED_MAX = 1_000; // the note may name all of them
  private static final long CHUNK_BYTES_MAX = 512 << 10;

  final SourcePartition of;
  final TopicPartition name;
  final ArrayDeque<Chunk> waiting = new ArrayDeque<>();
  final ArrayDeque<Chunk> sent = new ArrayDeque<>();

  /// Dead letters that are not acknowledged, by offset.
  final SortedMap<Long, DeadLetters.Letter> letters = new TreeMap<>();

  /// Offsets that the position owed at the start, and whose records are not read again yet.
  final SortedSet<Long> unread;

  private final long madeNanos = System.nanoTime();
  private final List<SourceGap> gaps;
  private final List<ConsumerRecord<byte[], byte[]>> torn = new ArrayList<>();
  private long tornUntil;
  private int term;
  private int leaderEpoch;
  private long fetched;
  private long notedNanos = System.nanoTime() - NOTE_NANOS;
  long durable;
  boolean isSplit; // the one batch that is out commits in several lanes
  boolean isPaused;
  long retryNanos; // of the monotonic clock; 0 for at once
  long records;
  long rejected;
  long empty;
  long bytes;
  long lag;
  private long newestMillis; // Kafka's timestamp of the record that was taken last; 0 for none
  @Nullable String reason;

  /// On a cluster, why it is not read at present; null while it is.
  @Nullable String joining;

  private @Nullable SharedChain chain; // on a cluster, while it is read
  private boolean isShared;
  private long backTo = -1; // where the log has lost its end; -1 for nowhere
  boolean owesLess; // than the newest note

  /// A partition with a position.
  PartitionReader(SourcePartition of, TopicPartition name, SourcePosition at) {
    this.of = of;
    this.name = name;
    term = at.term();
    leaderEpoch = at.leaderEpoch();
    fetched = at.complete();
    durable = at.complete();
    tornUntil = at.until();
    gaps = new ArrayList<>(at.gaps());
    unread = new TreeSet<>(at.owed());
  }

  /// A partition that was never read. Its first position is written at once: else it would begin
  /// somewhere else after a restart.
  PartitionReader(SourcePartition of, TopicPartition name, long start) {
    this(of, name, new SourcePosition(0, start, start, -1, List.of(), List.of()));
    add(List.of(), start);
  }

  /// A partition of a store on a cluster, which begins with [#begin].
  ///
  /// @param at what this daemon has noted about it; null for nothing
  static PartitionReader shared(
      SourcePartition of, TopicPartition name, @Nullable SourcePosition at) {
    var noted =
        at == null
            ? new SourcePosition(0, 0, 0, -1, List.of(), List.of())
            : new SourcePosition(at.term(), 0, 0, -1, at.gaps(), at.owed());
    PartitionReader reader = new PartitionReader(of, name, noted);
    reader.isShared = true;
    return reader;
  }

  /// Begins to read at a position of the cluster.
  ///
  /// @param isNew whether the cluster has none yet
  void begin(SharedChain newChain, boolean isNew, long position, int epoch) {
    chain = newChain;
    joining = null;
    isPaused = false;
    term++;
    leaderEpoch = epoch;
    fetched = position;
    durable = position;
    if (isNew) {
      waiting.add(chunk(List.of(), position, newChain.set(position, -1)));
    } else if (backTo >= 0 && backTo < position && !newChain.isAgain()) {
      fetched = backTo;
      waiting.add(chunk(List.of(), backTo, newChain.set(backTo, -1)));
      leaderEpoch = -1;
    } else {
      waiting.add(chunk(List.of(), position, null)); // a term begins so
    }
    backTo = -1;
  }

  /// Ends it: nothing more is handed over.
  void end() {
    chain = null;
    waiting.clear();
    lag = 0;
  }

  /// Whether it has to begin again.
  boolean isOver() {
    SharedChain now = chain;
    boolean isRead = now != null && fetched >= now.until;
    return isShared && (backTo >= 0 || (isRead && waiting.isEmpty() && sent.isEmpty()));
  }

  /// Where the next record is fetched.
  long fetched() {
    return fetched;
  }

  /// The same, to fetch from there again: drops what was fetched of a range that is taken as a
  /// whole.
  long resume() {
    torn.clear();
    return fetched;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  /// Refused offsets that are not in the dead-letter topic.
  ///
  /// @param more such offsets
  List<Long> owed(List<Long> more) {
    SortedSet<Long> all = new TreeSet<>(more);
    all.addAll(unread);
    all.addAll(letters.keySet());
    return List.copyOf(all);
  }

  int owed() {
    return unread.size() + letters.size();
  }

  private double owedSeconds() {
    long now = System.nanoTime();
    long since = unread.isEmpty() ? now : madeNanos;
    for (DeadLetters.Letter letter : letters.values()) {
      since = Math.min(since, letter.madeNanos());
    }
    return (now - since) / 1e9;
  }

  /// Lets the position be written when it owes less and nothing else writes it.
  void noteOwed() {
    if (owesLess && waiting.isEmpty() && sent.isEmpty() && fetched >= tornUntil && isTimeToNote()) {
      term++;
      add(List.of(), fetched);
    }
  }

  /// Takes what was fetched.
  ///
  /// @param next offset after all of it, control records included
  /// @param isOwed whether refused records are owed to a dead-letter topic
  void take(List<ConsumerRecord<byte[], byte[]>> all, long next, int epoch, boolean isOwed) {
    SharedChain now = chain;
    if (now == null || now.until >= next) {
      takeAll(all, next, epoch, isOwed);
    } else if (fetched < now.until) {
      takeAll(
          all.stream().filter(each -> each.offset() < now.until).toList(),
          now.until,
          epoch,
          isOwed);
    }
  }

  private void takeAll(
      List<ConsumerRecord<byte[], byte[]>> all, long next, int epoch, boolean isOwed) {
    if (isShared && (chain == null || backTo >= 0)) {
      return; // it begins again
    }
    int recordsMax = isOwed ? CHUNK_RECORDS_OWED_MAX : CHUNK_RECORDS_MAX;
    List<ConsumerRecord<byte[], byte[]>> rest = all;
    newestMillis = all.isEmpty() ? newestMillis : all.getLast().timestamp();
    leaderEpoch = epoch;
    if (fetched < tornUntil) {
      rest = takeTorn(all, next);
    }
    List<ConsumerRecord<byte[], byte[]>> chunk = new ArrayList<>();
    long chunkBytes = 0;
    for (ConsumerRecord<byte[], byte[]> record : rest) {
      long size = Math.max(0, record.serializedValueSize());
      boolean full = chunk.size() == recordsMax || chunkBytes + size > CHUNK_BYTES_MAX;
      if (full && !chunk.isEmpty()) {
        add(chunk, record.offset());
        chunk = new ArrayList<>();
        chunkBytes = 0;
      }
      chunk.add(record);
      chunkBytes += size;
    }
    if (!chunk.isEmpty() || (next > fetched && isTimeToNote())) {
      add(chunk, next);
    }
  }

  /// Whether to write a position by itself: one that advanced over control records alone, or owes
  /// less. The next chunk writes it too.
  private boolean isTimeToNote() {
    long now = System.nanoTime();
    boolean due = now - notedNanos >= NOTE_NANOS;
    notedNanos = due ? now : notedNanos;
    return due;
  }

  /// The first batch after a start is exactly the range that may be stored in part.
  private List<ConsumerRecord<byte[], byte[]>> takeTorn(
      List<ConsumerRecord<byte[], byte[]>> all, long next) {
    List<ConsumerRecord<byte[], byte[]>> rest = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : all) {
      (record.offset() < tornUntil ? torn : rest).add(record);
    }
    if (next >= tornUntil) {
      add(List.copyOf(torn), tornUntil);
      torn.clear();
      tornUntil = 0;
    }
    return rest;
  }

  private void add(List<ConsumerRecord<byte[], byte[]>> chunk, long next) {
    SharedChain now = chain;
    waiting.add(chunk(chunk, next, now == null ? null : now.to(next, leaderEpoch)));
    fetched = next;
  }

  private Chunk chunk(
      List<ConsumerRecord<byte[], byte[]>> of, long next, @Nullable SourceRange range) {
    long first = Math.min(fetched, next);
    return new Chunk(term, first, next, leaderEpoch, of, gaps, range);
  }

  /// Continues at another offset: records are missing.
  ///
  /// @param from where the consumer is; after [#fetched] when a range is taken as a whole
  void skip(long from, long to, SourceGap.Why why, long epochSeconds) {
    add(new SourceGap(Math.min(from, to), Math.max(from, to), why, epochSeconds));
    if (fetched < tornUntil) {
      if (from <= to && to < tornUntil) {
        return; // the rest of the range comes
      }
      add(List.copyOf(torn), tornUntil);
      torn.clear();
      tornUntil = 0;
    }
    SharedChain now = chain;
    if (now != null && now.isAgain()) { // the log does not have all of it any more
      add(List.of(), Math.clamp(to <= fetched ? now.until : to, fetched, now.until));
      return;
    }
    if (isShared && to < fetched) {
      backTo = to;
      return;
    }
    if (to < fetched) { // what was read from the old log is stored and stays
      term++;
      fetched = to;
    }
    add(List.of(), to);
  }

  private void add(SourceGap gap) {
    SourceGap last = gaps.isEmpty() ? null : gaps.getLast();
    boolean isNext = last != null && last.why() == gap.why() && last.until() == gap.from();
    if (last != null && (isNext || gaps.size() == SourcePlace.GAPS_MAX)) {
      gaps.removeLast();
      gaps.add(
          new SourceGap(
              Math.min(last.from(), gap.from()),
              Math.max(last.until(), gap.until()),
              gap.why(),
              gap.epochSeconds()));
    } else if (last == null || !last.equals(gap)) {
      gaps.add(gap);
    }
  }

  /// Clears the list of gaps with the next position. False when that has to wait, for a range that
  /// is taken as a whole.
  boolean clearGaps() {
    if (fetched < tornUntil) {
      return false;
    }
    if (!gaps.isEmpty()) {
      gaps.clear();
      add(List.of(), fetched);
    }
    return true;
  }

  /// Tenths of a second from the record that was taken last to now, while there are more.
  private double lagSeconds(long left) {
    long millis = newestMillis <= 0 ? 0 : System.currentTimeMillis() - newestMillis;
    return left == 0 ? 0 : Math.max(0, millis / 100) / 10.0;
  }

  PartitionState state(String source, @Nullable String waits) {
    String why = waits == null ? joining : waits;
    boolean isWaiting = why != null;
    long left = Math.max(0, fetched - durable) + lag;
    return new PartitionState(
        source,
        name.topic(),
        of.topic().toString(),
        name.partition(),
        isWaiting ? "waiting" : isPaused ? "paused" : "reading",
        durable,
        left,
        lagSeconds(left),
        records,
        rejected,
        empty,
        owed(),
        owedSeconds(),
        bytes,
        List.copyOf(gaps),
        isWaiting ? why : reason);
  }
}
