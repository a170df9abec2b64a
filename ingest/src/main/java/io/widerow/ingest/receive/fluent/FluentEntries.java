package io.widerow.ingest.receive.fluent;

import io.widerow.event.Utf8;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
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
  private final MsgpackReader in = new MsgpackReader();
  private final FluentRecord record = new FluentRecord();
  private final SenderTime time = new SenderTime();
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
    if (listed && (in.next() != Kind.LIST || in.length != 2)) {
      throw in.bad("no entry of a time and a record, but %s".formatted(in.kind));
    }
    record.begin(in);
    time(batch.wallNanos);
    record.read(in);
    long nanos;
    try {
      nanos = time.take(batch, record.tape());
    } catch (StorageException.ClockWrong behind) {
      throw new Bad(String.valueOf(behind.getMessage()));
    }
    LongTag other = longTag;
    byte[] type = other == null ? tag : other.type();
    int offset = other == null ? tagOffset : 0;
    int length = other == null ? tagBytes : type.length;
    if (other != null) {
      record.tag(other.whole());
    }
    batch.events.begin(type, offset, length, nanos);
    record.tape().writeTo(batch.events);
    boolean _ = batch.end(record.tape(), type, offset, length);
  }

  /// Reads a time; Fluent Bit may put it into a list with metadata.
  private void time(long nowNanos) throws Bad {
    time.clear();
    int start = in.at;
    if (in.next() == Kind.LIST && in.length == 2) {
      start = in.at;
      Kind _ = in.next();
      scalarTime(start, nowNanos);
      record.metadata(in);
      return;
    }
    scalarTime(start, nowNanos);
  }

  /// Takes the value that was read last as the time, whatever it is.
  private void scalarTime(int start, long nowNanos) throws Bad {
    switch (in.kind) {
      case NIL -> {}
      case WHOLE -> time.whole(in.whole, EpochText.AUTO);
      case UNSIGNED -> time.text(Long.toUnsignedString(in.whole), nowNanos);
      case FRACTION -> time.fraction(in.fraction);
      case TEXT -> {
        int length = Math.toIntExact(in.length);
        boolean utf8 = Utf8.isValid(in.bytes(), in.offset, length);
        if (utf8) {
          time.text(in.bytes(), false, in.offset, length, EpochText.AUTO, nowNanos);
        } else {
          time.hex(in.bytes(), in.offset, in.offset + length);
        }
      }
      case TRUTH -> time.text(Boolean.toString(in.truth), nowNanos);
      case EXTENSION, BYTES, LIST, MAP -> otherTime(start);
    }
  }

  /// An EventTime is seconds and nanoseconds, 32 bits each. The bytes of any other value are kept.
  private void otherTime(int start) throws Bad {
    boolean eventTime = in.kind == Kind.EXTENSION && in.extension == FluentRecord.EVENT_TIME;
    if (eventTime && in.length == Long.BYTES) {
      time.pair(in.unsigned32(in.offset), in.unsigned32(in.offset + Integer.BYTES));
      return;
    }
    in.at = start;
    in.skip();
    time.hex(in.bytes(), start, in.at);
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
