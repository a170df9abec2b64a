package io.widerow.ingest.receive.journald;

import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.StreamProtocol;
import java.util.Arrays;

/// Finds the ends of entries in a stream of the journal export format. It looks at each byte once,
/// wherever the stream is cut into pieces.
///
/// ```
///   entry:  field field ... \n
///   field:  NAME=value\n
///           NAME\n length(8, little-endian) value\n       for a value with newlines
/// ```
///
/// - Threads: one.
/// - Memory: the beginning of a name, for messages.
///
/// Source: systemd.io, "Journal Export Formats".
final class JournalFramer {
  /// Largest length of a value that systemd itself takes.
  private static final long VALUE_BYTES_MAX = 768L << 20;

  private static final int NAME_SHOWN_MAX = 40;

  private enum State {
    LINE_START,
    NAME,
    TEXT,
    LENGTH,
    VALUE,
    VALUE_END
  }

  private State state = State.LINE_START;
  private long before; // bytes of the stream before the ones that are looked at
  private long entries;
  private boolean fields; // the entry has one
  private long left; // bytes of a value, or of a length
  private long length;
  private final byte[] name = new byte[NAME_SHOWN_MAX];
  private int nameBytes; // of the kept part

  /// As [StreamProtocol#frameEnd]. An empty line before an entry is a frame of its own.
  int frameEnd(byte[] bytes, int offset, int limit) throws RequestRefused {
    int at = offset;
    while (at < limit) {
      switch (state) {
        case LINE_START -> {
          if (bytes[at] == '\n') {
            at++;
            entries += fields ? 1 : 0;
            fields = false;
            before += at - offset;
            return at;
          }
          nameBytes = 0;
          state = State.NAME;
        }
        case NAME -> at = name(bytes, at, limit);
        case TEXT -> {
          at = Swar.newline(bytes, at, limit);
          if (at < limit) {
            at++;
            endField();
          }
        }
        case LENGTH -> at = length(bytes, at, limit, offset);
        case VALUE -> {
          int count = (int) Math.min(left, limit - at);
          at += count;
          left -= count;
          if (left == 0) {
            state = State.VALUE_END;
          }
        }
        case VALUE_END -> {
          if (bytes[at] != '\n') {
            throw bad(before + at - offset, "no newline follows its %d bytes".formatted(length));
          }
          at++;
          endField();
        }
      }
    }
    before += limit - offset;
    return StreamProtocol.MORE;
  }

  private int name(byte[] bytes, int offset, int limit) {
    int at = offset;
    while (at < limit && bytes[at] != '=' && bytes[at] != '\n') {
      at++;
    }
    int kept = Math.min(at - offset, NAME_SHOWN_MAX - nameBytes);
    System.arraycopy(bytes, offset, name, nameBytes, kept);
    nameBytes += kept;
    if (at == limit) {
      return at;
    }
    if (bytes[at] == '=') {
      state = State.TEXT;
    } else {
      state = State.LENGTH;
      left = Long.BYTES;
      length = 0;
    }
    return at + 1;
  }

  private int length(byte[] bytes, int offset, int limit, int began) throws RequestRefused {
    int at = offset;
    while (at < limit && left > 0) {
      length |= (long) Byte.toUnsignedInt(bytes[at++]) << (Byte.SIZE * (Long.BYTES - left));
      left--;
    }
    if (left == 0) {
      if (length < 0 || length > VALUE_BYTES_MAX) {
        throw bad(
            before + at - Long.BYTES - began,
            "neither '=' nor a length of at most %d bytes follows, but %s"
                .formatted(VALUE_BYTES_MAX, Long.toUnsignedString(length)));
      }
      left = length;
      state = length == 0 ? State.VALUE_END : State.VALUE;
    }
    return at;
  }

  private void endField() {
    fields = true;
    state = State.LINE_START;
  }

  /// Ends the last entry, whose empty line is missing.
  void end() throws RequestRefused {
    if (state != State.LINE_START) {
      throw bad(before, "the body ends within it");
    }
    fields = false;
  }

  private RequestRefused bad(long at, String wrong) {
    byte[] shown = Arrays.copyOf(name, nameBytes);
    return RequestRefused.bad(
        "entry %d, field %s, at byte %d: %s; the entries before it are stored"
            .formatted(entries, BadField.shown(shown, 0, nameBytes), at, wrong));
  }
}
