package io.widerow.ingest.receive.fluent;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Times;
import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import io.widerow.storage.StorageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes entries, a time and a record each: every one is an event, whose type is the tag. A bad
/// entry is refused, and its neighbours are not. The sender of a tag that is no type would not be
/// told so: another type stands for it, see [LongTag].
///
/// - Threads: one.
final class FluentEntries {
  private static final long NANOS = Times.NANOS_PER_SECOND;
  private static final long NANOS_PER_MICROSECOND = 1_000;

  /// Doubles of today's seconds are no finer.
  private static final double MICROS_PER_SECOND = 1e6;

  private final MsgpackReader in = new MsgpackReader();
  private final FluentRecord record = new FluentRecord();
  private byte[] tag = {};
  private int tagOffset;
  private int tagBytes;
  private @Nullable LongTag longTag; // null when the tag is a type

  /// The entries that follow have this tag.
  void tag(byte[] source, int offset, int length) {
    tag = source;
    tagOffset = offset;
    tagBytes = length;
    longTag = LongTag.of(source, offset, length);
  }

  /// Decodes the entries in `[offset, limit)`.
  ///
  /// @param base from which reasons of refusals count bytes
  void packed(byte[] bytes, int offset, int limit, int base, IncomingBatch batch) {
    in.show(bytes, offset, limit, base);
    while (in.at < limit) {
      entry(limit, batch);
    }
  }

  /// Decodes a list of entries.
  void list(byte[] bytes, int offset, int limit, int base, IncomingBatch batch) throws Bad {
    in.show(bytes, offset, limit, base);
    Kind _ = in.next();
    packed(bytes, in.at, limit, base, batch);
  }

  /// Decodes one entry that is no list: its time and its record follow each other.
  void message(byte[] bytes, int offset, int limit, int base, IncomingBatch batch) {
    in.show(bytes, offset, limit, base);
    try {
      event(false, batch);
    } catch (Bad bad) {
      batch.refuse(String.valueOf(bad.getMessage()));
    }
  }

  private void entry(int limit, IncomingBatch batch) {
    int start = in.at;
    try {
      event(true, batch);
    } catch (Bad bad) {
      batch.refuse(String.valueOf(bad.getMessage()));
      in.at = start;
      pass(limit);
    }
  }

  /// Passes over a bad entry, or over all that follows, when it has no end.
  private void pass(int limit) {
    try {
      in.skip();
    } catch (Bad _) {
      in.at = limit;
    }
  }

  private void event(boolean listed, IncomingBatch batch) throws Bad {
    int start = in.at;
    read(listed, false, batch);
    Rejection why = batch.tryEnd();
    if (why == null) {
      return;
    }
    boolean texts = why == Rejection.TEXT_NOT_UTF8 || why == Rejection.ATTRIBUTE_NAME_INVALID;
    if (texts) {
      in.at = start;
      read(listed, true, batch);
      why = batch.tryEnd();
    }
    if (why != null) {
      batch.refuse(why.reason());
    }
  }

  /// Reads an entry and puts it into the batch, without its end.
  private void read(boolean listed, boolean escapes, IncomingBatch batch) throws Bad {
    if (listed && (in.next() != Kind.LIST || in.length != 2)) {
      throw in.bad("no entry of a time and a record, but %s".formatted(in.kind));
    }
    record.begin(in, escapes);
    long nanos = time();
    record.read(in);
    try {
      nanos = batch.takenTime(nanos, record.tape());
    } catch (StorageException.ClockWrong behind) {
      throw new Bad(String.valueOf(behind.getMessage()));
    }
    LongTag other = longTag;
    if (other != null) {
      record.tag(other.whole());
      batch.events.begin(other.type(), 0, other.type().length, nanos);
    } else {
      batch.events.begin(tag, tagOffset, tagBytes, nanos);
    }
    record.tape().writeTo(batch.events);
  }

  /// Reads a time; Fluent Bit may put it into a list with metadata.
  private long time() throws Bad {
    if (in.next() == Kind.LIST && in.length == 2) {
      Kind _ = in.next();
      long nanos = scalarTime();
      record.metadata(in);
      return nanos;
    }
    return scalarTime();
  }

  /// The time that was read last, in nanoseconds; [Times#NONE] when there is none.
  private long scalarTime() throws Bad {
    long nanos =
        switch (in.kind) {
          case NIL -> Times.NONE;
          case WHOLE -> in.whole == 0 ? Times.NONE : known(Times.ofUnit(in.whole, NANOS));
          case FRACTION -> ofFraction(in.fraction);
          case EXTENSION -> eventTime();
          case TRUTH, UNSIGNED, TEXT, BYTES, LIST, MAP ->
              throw in.bad("the time is %s".formatted(in.kind));
        };
    return nanos;
  }

  private long known(long nanos) throws Bad {
    if (nanos == Times.NONE || nanos < 0) {
      throw in.bad("the time is no number of seconds since 1970, but %d".formatted(in.whole));
    }
    return nanos;
  }

  private long ofFraction(double seconds) throws Bad {
    double whole = Math.floor(seconds);
    if (!(seconds >= 0) || whole > Integer.toUnsignedLong(-1)) {
      throw in.bad("the time is no number of seconds since 1970, but %s".formatted(seconds));
    }
    long micros = Math.round((seconds - whole) * MICROS_PER_SECOND);
    long nanos = ((long) whole) * NANOS + micros * NANOS_PER_MICROSECOND;
    return nanos == 0 ? Times.NONE : nanos;
  }

  /// Seconds and nanoseconds, 32 bits each.
  private long eventTime() throws Bad {
    if (in.extension != FluentRecord.EVENT_TIME || in.length != Long.BYTES) {
      throw in.bad(
          "the time is extension %d of %d bytes, not 0 of 8,".formatted(in.extension, in.length));
    }
    long seconds = in.unsigned32(in.offset);
    long nanos = in.unsigned32(in.offset + Integer.BYTES);
    if (nanos >= NANOS) {
      throw in.bad("the time has %d nanoseconds".formatted(nanos));
    }
    return seconds + nanos == 0 ? Times.NONE : seconds * NANOS + nanos;
  }

  /// Whether the tag is a text that is not empty.
  static boolean isTag(MsgpackReader in) {
    return (in.kind == Kind.TEXT || in.kind == Kind.BYTES) && in.length > 0;
  }

  /// A copy of the tag.
  byte[] tagCopy() {
    return Arrays.copyOfRange(tag, tagOffset, tagOffset + tagBytes);
  }
}
