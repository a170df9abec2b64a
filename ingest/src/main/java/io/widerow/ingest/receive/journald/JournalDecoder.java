package io.widerow.ingest.receive.journald;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderId;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes one entry of the journal export format into one event. Fields that syslog has too get
/// its names ([JournalField]); all others keep theirs.
///
/// The cursor identifies an entry permanently: the event's id is made from its time and a digest of
/// the cursor, or of all bytes of an entry without a cursor. So an upload that starts again
/// replaces the entries that it repeats, wherever it starts.
///
/// - Threads: one.
@SuppressWarnings("EnumOrdinal") // an index into the names that the tape keeps
final class JournalDecoder {
  private static final byte[] TYPE = "journal".getBytes(StandardCharsets.US_ASCII);
  private static final long NANOS_PER_MICROSECOND = 1_000;
  private static final int OWN = 0; // levels
  private static final int OTHERS = 1;

  private final AttributeTape tape = new AttributeTape(new AttributeLevels("", ""));
  private final int[] constants = new int[JournalField.ALL.size()];
  private final SenderId senderId = new SenderId();
  private final byte[] type;

  // The entry that is being read.
  private int entryAt;
  private final SenderTime time = new SenderTime();
  private long nowNanos;
  private int cursorAt;
  private int cursorBytes;
  private boolean checking; // whether each text is UTF-8: the entry was rejected

  /// @param typeAsked of all events; null for `journal`
  JournalDecoder(@Nullable String typeAsked) {
    type = typeAsked == null ? TYPE : typeAsked.getBytes(StandardCharsets.UTF_8);
    for (JournalField field : JournalField.ALL) {
      constants[field.ordinal()] = tape.constant(field.attribute);
    }
  }

  /// Decodes the entry in `[offset, limit)`, whose framing is good. A bad field costs the entry.
  void decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    if (bytes[offset] == '\n') {
      return; // an empty line before an entry
    }
    entryAt = offset;
    try {
      checking = false;
      Rejection why = entry(bytes, limit, batch);
      if (why != null) {
        checking = true;
        why = entry(bytes, limit, batch);
      }
      if (why != null) {
        throw new BadField("entry", 0, why.reason()); // never of its time
      }
    } catch (BadField bad) {
      batch.refuse(bad.reason());
    }
  }

  /// @return why the event cannot be stored as it is; null when it is stored
  private @Nullable Rejection entry(byte[] bytes, int limit, IncomingBatch batch) throws BadField {
    tape.begin(bytes);
    time.clear();
    nowNanos = batch.wallNanos;
    cursorBytes = 0;
    int at = entryAt;
    while (at < limit && bytes[at] != '\n') {
      at = field(bytes, at, limit);
    }
    if (tape.count() == 0) {
      throw new BadField("entry", 0, "it has no field but its time and its cursor");
    }
    boolean timed = time.isGiven();
    long nanos = time.take(batch, tape);
    if (cursorBytes > 0) {
      batch.events.begin(type, 0, type.length, senderId.of(nanos, bytes, cursorAt, cursorBytes));
    } else if (timed) {
      batch.events.begin(type, 0, type.length, senderId.of(nanos, bytes, entryAt, limit - entryAt));
    } else {
      batch.events.begin(type, 0, type.length, nanos);
    }
    tape.writeTo(batch.events);
    return checking ? batch.tryEnd(tape, type, 0, type.length) : batch.tryEnd();
  }

  /// Reads one field.
  ///
  /// @return where the next one begins
  private int field(byte[] bytes, int nameAt, int limit) throws BadField {
    int nameEnd = nameAt;
    while (nameEnd < limit && bytes[nameEnd] != '=' && bytes[nameEnd] != '\n') {
      nameEnd++;
    }
    int at = nameEnd + 1;
    int end;
    if (nameEnd < limit && bytes[nameEnd] == '=') {
      end = Swar.newline(bytes, at, limit);
    } else {
      long length = 0;
      for (int i = Long.BYTES - 1; i >= 0; i--) {
        length = (length << Byte.SIZE) | Byte.toUnsignedInt(bytes[at + i]);
      }
      at += Long.BYTES;
      end = at + Math.toIntExact(length);
    }
    JournalField known = JournalField.of(bytes, nameAt, nameEnd);
    if (known == null) {
      text(bytes, nameAt, nameEnd, at, end);
    } else {
      known(known, bytes, nameAt, nameEnd, at, end);
    }
    return end + 1;
  }

  private void known(JournalField field, byte[] bytes, int nameAt, int nameEnd, int at, int end)
      throws BadField {
    switch (field.kind) {
      case TIME -> time(bytes, at, end);
      case CURSOR -> {
        cursorAt = at;
        cursorBytes = end - at;
      }
      case LEFT_OUT -> {}
      case TEXT -> {
        tape.level(OWN);
        tape.name(true, constants[field.ordinal()], field.attribute.length);
        value(bytes, at, end);
      }
      case NUMBER -> {
        if (isWhole(bytes, at, end)) {
          tape.level(OWN);
          tape.name(true, constants[field.ordinal()], field.attribute.length);
          tape.whole(whole(bytes, at, end));
        } else { // it does not mean then what it does in syslog
          text(bytes, nameAt, nameEnd, at, end);
        }
      }
    }
  }

  private void text(byte[] bytes, int nameAt, int nameEnd, int at, int end) {
    tape.level(OTHERS);
    tape.name(false, nameAt, nameEnd - nameAt);
    value(bytes, at, end);
  }

  private void value(byte[] bytes, int at, int end) {
    if (checking && !Utf8.isValid(bytes, at, end - at)) {
      tape.bytes(false, at, end - at);
    } else {
      tape.string(false, at, end - at);
    }
  }

  private void time(byte[] bytes, int at, int end) {
    if (Utf8.isValid(bytes, at, end - at)) {
      time.text(bytes, false, at, end - at, NANOS_PER_MICROSECOND, nowNanos);
    } else {
      time.hex(bytes, at, end);
    }
  }

  /// Digits as a program prints a number that fits into 64 bits.
  private static boolean isWhole(byte[] bytes, int at, int end) {
    int digits = end - at;
    return digits > 0
        && digits <= 18
        && (bytes[at] != '0' || digits == 1)
        && TimeParser.fractionLimit(bytes, at, end) == end;
  }

  private static long whole(byte[] bytes, int at, int end) {
    long number = 0;
    for (int i = at; i < end; i++) {
      number = 10 * number + bytes[i] - '0';
    }
    return number;
  }
}
