package io.widerow.ingest.lane;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Limits the number of types that senders create: in an hour, and in all. The events of a further
/// type are stored under the type [#OVERFLOW], each with the name that was sent in the attribute
/// [#SENDER_TYPE]; nothing is lost, and the store keeps few types.
///
/// The types in all are those of the store, also after a restart; a type whose events are all past
/// their retention makes room. Hours are those of the clock. A restart sets the count of the hour
/// to 0.
///
/// - Threads: any; only a type that is not known takes a lock.
/// - Memory: the names of the types.
public final class TypeBudget {
  /// The type of events whose own type is beyond the limits.
  public static final String OVERFLOW = "overflow";

  /// Gets the type that was sent, when the event is stored under [#OVERFLOW].
  public static final AttributeName SENDER_TYPE = AttributeName.of("sender_type");

  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long SECONDS_PER_HOUR = 3_600;
  private static final byte[] OVERFLOW_UTF8 = OVERFLOW.getBytes(StandardCharsets.US_ASCII);

  private final int typesMax;
  private final int perHourMax;
  private final LongSupplier epochSeconds;
  private final LongAdder moved = new LongAdder();
  private volatile TypeNames known = names(List.of());
  private volatile long lookedHour = -1;
  private volatile @Nullable Spent last;

  // Guarded by this.
  private List<byte[]> added = new ArrayList<>(); // since the last look began
  private List<byte[]> addedBefore = List.of(); // between the look before and that one
  private boolean looked; // the types of the store are known
  private long hour;
  private int ofHour; // new types

  /// When the budget was spent last.
  ///
  /// @param type that was sent then
  /// @param why which limit it is beyond
  /// @param epochSeconds when
  public record Spent(String type, String why, long epochSeconds) {}

  /// @param typesMax types in all
  /// @param perHourMax new types in an hour
  /// @param epochSeconds the clock
  public TypeBudget(int typesMax, int perHourMax, LongSupplier epochSeconds) {
    this.typesMax = typesMax;
    this.perHourMax = perHourMax;
    this.epochSeconds = epochSeconds;
  }

  private static TypeNames names(List<byte[]> of) {
    TypeNames names = new TypeNames();
    names.add(OVERFLOW_UTF8);
    of.forEach(name -> addTo(names, name));
    return names;
  }

  private static void addTo(TypeNames names, byte[] utf8) {
    if (!names.has(MemorySegment.ofArray(utf8), 0, utf8.length)) {
      names.add(utf8);
    }
  }

  /// True once an hour, for the caller that then has it [#look].
  public boolean isLookDue() {
    return hourNow() != lookedHour;
  }

  private long hourNow() {
    return Math.floorDiv(epochSeconds.getAsLong(), SECONDS_PER_HOUR);
  }

  /// Counts the types of the store. Until it has done so once, new types have no limit an hour: it
  /// is not known which are new.
  ///
  /// @throws io.widerow.storage.StorageException.Unreachable when the store is on a cluster that
  ///   cannot be asked now
  public void look(EventStore store) {
    lookedHour = hourNow(); // also when it fails
    synchronized (this) {
      addedBefore = added;
      added = new ArrayList<>();
    }
    List<byte[]> stored = new ArrayList<>();
    try (StoreView view = store.view()) {
      for (TypeInfo type : view.types(_ -> true)) {
        stored.add(type.type().getBytes(StandardCharsets.UTF_8));
      }
    }
    TypeNames names = names(stored);
    synchronized (this) {
      addedBefore.forEach(name -> addTo(names, name)); // they may not be stored yet
      added.forEach(name -> addTo(names, name));
      looked = true;
      known = names;
    }
  }

  /// Types in all.
  public int types() {
    return known.count() - 1; // without the one for the others
  }

  /// Events that were stored under [#OVERFLOW] because their types are beyond the limits.
  public long moved() {
    return moved.sum();
  }

  /// When the budget was spent last; null when it was not.
  public @Nullable Spent last() {
    return last;
  }

  /// True when events of the type keep it.
  public boolean knows(String type) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    return known.has(MemorySegment.ofArray(utf8), 0, utf8.length);
  }

  /// Moves the events of types beyond the limits to [#OVERFLOW]. Nothing is copied before the first
  /// of these.
  void apply(IncomingBatch batch, BatchPool pool) {
    long first = firstBeyond(batch.events);
    if (first >= 0) {
      EventBatch spare = pool.take();
      try {
        move(batch, spare, first);
      } finally {
        pool.give(spare);
      }
    }
  }

  /// Where the first event of a type beyond the limits is; negative when there is none.
  private long firstBeyond(EventBatch events) {
    MemorySegment records = events.memory();
    long limit = events.bytes();
    long before = 0; // the record whose type is known
    for (long at = 0; at < limit; ) {
      if ((at == 0 || !hasTypeOf(records, before, at)) && !admits(records, at)) {
        return at;
      }
      before = at;
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    return -1;
  }

  private static boolean hasTypeOf(MemorySegment records, long one, long other) {
    int bytes = EventLayout.typeBytes(records, one);
    long from = EventLayout.typeOffset(one);
    long otherFrom = EventLayout.typeOffset(other);
    return bytes == EventLayout.typeBytes(records, other)
        && MemorySegment.mismatch(
                records, from, from + bytes, records, otherFrom, otherFrom + bytes)
            < 0;
  }

  private boolean admits(MemorySegment records, long at) {
    long from = EventLayout.typeOffset(at);
    int bytes = EventLayout.typeBytes(records, at);
    return known.has(records, from, bytes) || admitsNew(records, from, bytes);
  }

  private synchronized boolean admitsNew(MemorySegment records, long from, int bytes) {
    if (known.has(records, from, bytes)) {
      return true;
    }
    if (hour != hourNow()) {
      hour = hourNow();
      ofHour = 0;
    }
    byte[] utf8 = records.asSlice(from, bytes).toArray(JAVA_BYTE);
    if (types() >= typesMax) {
      spent(utf8, "types-max", typesMax);
      return false;
    }
    if (looked && ofHour >= perHourMax) {
      spent(utf8, "types-per-hour", perHourMax);
      return false;
    }
    ofHour += looked ? 1 : 0;
    added.add(utf8);
    known.add(utf8);
    return true;
  }

  private void spent(byte[] type, String limit, int most) {
    Spent before = last;
    long now = epochSeconds.getAsLong();
    String why = String.format(Locale.ROOT, "%s %,d", limit, most);
    String name = new String(type, StandardCharsets.UTF_8);
    last = new Spent(name, why, now);
    if (before == null
        || before.epochSeconds / SECONDS_PER_HOUR != now / SECONDS_PER_HOUR
        || !before.why.equals(why)) {
      LOG.log(
          Level.WARNING,
          "the type {0} exceeds {1}: its events, and events of further new types, are stored as"
              + " type {2} with the attribute {3}",
          new Object[] {name, why, OVERFLOW, SENDER_TYPE});
    }
  }

  /// @param first where the first event of a type beyond the limits is
  private void move(IncomingBatch batch, EventBatch spare, long first) {
    EventBatch events = batch.events;
    MemorySegment records = events.memory();
    Refusals refusals = batch.refused;
    int @Nullable [] ruled = batch.indexes();
    int[] left = new int[events.count()];
    int kept = 0;
    int count = 0; // of events that moved
    int refusal = 0;
    int index = 0; // in the batch as it came
    long at = 0;
    long before = 0;
    boolean stays = true;
    for (int event = 0; event < left.length; event++, index++) {
      while (ruled == null && refusal < refusals.listed() && refusals.index(refusal) == index) {
        refusal++;
        index++;
      }
      index = ruled == null ? index : ruled[event];
      if (at >= first && (at == first || !hasTypeOf(records, before, at))) {
        stays = admits(records, at);
      }
      Rejection why = stays ? spare.tryCopy(records, at) : move(records, at, spare);
      if (why == null) {
        count += stays ? 0 : 1;
        left[kept++] = index;
      } else {
        refusals.add(index, reason(records, at, why));
        refusal++;
      }
      before = at;
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    events.take(spare);
    batch.overflowed(count);
    moved.add(count);
    if (ruled != null) {
      batch.dropped(batch.dropped(), Arrays.copyOf(left, kept));
    }
  }

  private static String reason(MemorySegment records, long at, Rejection why) {
    return "type: %s is one more than the store takes now, and under %s with its name: %s"
        .formatted(new RecordView().show(records, at).type(), OVERFLOW, why.reason());
  }

  private @Nullable Rejection move(MemorySegment records, long at, EventBatch to) {
    RecordView event = new RecordView().show(records, at);
    if (event.version() == EventLayout.VERSION_OWN) {
      to.begin(OVERFLOW_UTF8, 0, OVERFLOW_UTF8.length, event.id());
    } else {
      to.begin(OVERFLOW_UTF8, 0, OVERFLOW_UTF8.length, event.timeNanos());
    }
    AttributeValue scratch = new AttributeValue();
    AttributeName name = SENDER_TYPE;
    for (int number = 2; event.find(name, scratch); number++) {
      name = AttributeName.of(SENDER_TYPE + "_" + number);
    }
    put(name, event.type().getBytes(StandardCharsets.UTF_8), to);
    event.forEach(scratch, (attribute, value) -> put(attribute, value, to));
    return to.end();
  }

  private static void put(AttributeName name, byte[] text, EventBatch to) {
    byte[] utf8 = name.utf8().toArray(JAVA_BYTE);
    to.putString(utf8, 0, utf8.length, text);
  }

  private static void put(AttributeName name, AttributeValue value, EventBatch to) {
    byte[] utf8 = name.utf8().toArray(JAVA_BYTE);
    switch (value.kind()) {
      case STRING -> to.putString(utf8, 0, utf8.length, value.toBytes());
      case BYTES -> to.putBytes(utf8, 0, utf8.length, value.toBytes(), 0, value.length());
      case LONG -> to.putLong(utf8, 0, utf8.length, value.bits());
      case DOUBLE -> to.putDouble(utf8, 0, utf8.length, value.asDouble());
      case BOOLEAN -> to.putBoolean(utf8, 0, utf8.length, value.bits() != 0);
    }
  }
}
