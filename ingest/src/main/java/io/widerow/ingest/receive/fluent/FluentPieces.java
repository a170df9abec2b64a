package io.widerow.ingest.receive.fluent;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import io.widerow.ingest.socket.Receipt;
import io.widerow.ingest.socket.StreamDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A message with more entries than a body may have bytes. It is taken in pieces of whole entries,
/// each a batch of its own, and acknowledged after the last: pieces before it are stored by then.
///
/// ```
///   [tag, [ entry entry entry | entry entry | ... | entry ], {chunk}]
///   |head |<---- piece ----->|<-- piece --->|     |<piece>|<option>|
/// ```
///
/// Where a piece ends depends on the entries alone: as many as fit, or one. When the message comes
/// again, a piece is known by its content and that of all pieces before it, as a message without a
/// chunk is: the chunk, which would name it, stands after all entries.
///
/// Packed entries that are compressed as well have no pieces.
///
/// - Threads: one.
final class FluentPieces {
  private static final int PIECE_BYTES_MAX = 1 << 20;

  /// Four times what Fluentd makes of a chunk in files.
  private static final long MESSAGE_BYTES_MAX = 1 << 30;

  private static final int ENTRY_BYTES_MIN = 3; // a list, a time, a map
  private static final int OPTION_BYTES_MAX = 64 << 10;
  private static final int MAGIC_BYTES = 2;

  private final Intake intake;
  private final FluentEntries entries;
  private final int pieceBytes;
  private final MsgpackReader in = new MsgpackReader();
  private final Map<Integer, Open> earlier = new HashMap<>(); // by offset in this body
  private @Nullable Open open; // null between messages
  private @Nullable Open last; // after all frames of this body
  private boolean again;
  private @Nullable Receipt receipt;

  /// A message of which some was taken.
  private static final class Open {
    final byte[] tag;
    final boolean packed; // its entries lie in bytes, not in a list
    final boolean withOption; // follows the entries
    final Receipt.Pieces pieces;
    final long left; // bytes of entries that follow, or entries of a list
    final boolean readable; // false when what follows in the bytes is no msgpack
    final String before; // names the pieces before this one, by their content
    final boolean known; // the same pieces can only be a repeat

    Open(byte[] tag, boolean packed, boolean withOption, long left) {
      this.tag = tag;
      this.packed = packed;
      this.withOption = withOption;
      this.pieces = new Receipt.Pieces();
      this.left = left;
      this.readable = true;
      this.before = "";
      this.known = false;
    }

    private Open(Open of, long left, boolean readable, String before, boolean known) {
      this.tag = of.tag;
      this.packed = of.packed;
      this.withOption = of.withOption;
      this.pieces = of.pieces;
      this.left = left;
      this.readable = readable;
      this.before = before;
      this.known = known;
    }

    /// Null after the end of the message.
    @Nullable Open after(long newLeft, boolean newReadable, String newBefore, boolean newKnown) {
      return newLeft == 0 && !withOption
          ? null
          : new Open(this, newLeft, newReadable, newBefore, newKnown);
    }
  }

  FluentPieces(Intake intake, FluentEntries entries) {
    this.intake = intake;
    this.entries = entries;
    this.pieceBytes = Math.min(PIECE_BYTES_MAX, intake.limits().bodyBytesMax() / 2);
  }

  /// Another body begins.
  void begin() {
    if (again) {
      open = last;
      again = false;
    }
    earlier.clear();
  }

  /// Frames of this body come again.
  void rewind() {
    again = true;
  }

  /// Whether what stands at `offset` belongs to a message of which some was taken.
  boolean isOpen(int offset) {
    if (again) {
      open = earlier.get(offset);
    } else if (open != null) {
      earlier.put(offset, open);
    }
    return open != null;
  }

  /// The options of the frame that was decoded last.
  @Nullable Receipt receipt() {
    return receipt;
  }

  /// Takes the head of a message that is too large.
  ///
  /// @return where its entries begin, [StreamDecoder#MORE], or [StreamDecoder#BROKEN] when it has
  ///   no pieces
  int open(byte[] bytes, int offset, int limit) throws Bad {
    in.show(bytes, offset, limit, offset);
    boolean list = in.next() == Kind.LIST && (in.length == 2 || in.length == 3);
    boolean withOption = in.length == 3;
    if (!list || !in.tryNext() || !FluentEntries.isTag(in)) {
      return StreamDecoder.BROKEN;
    }
    byte[] tag = Arrays.copyOfRange(bytes, in.offset, in.offset + (int) in.length);
    if (!in.tryHead()) {
      return StreamDecoder.MORE;
    }
    boolean packed = in.kind == Kind.BYTES || in.kind == Kind.TEXT;
    long least = packed ? in.length : in.length * ENTRY_BYTES_MIN;
    if ((in.kind != Kind.LIST && !packed) || least > MESSAGE_BYTES_MAX) {
      return StreamDecoder.BROKEN;
    }
    if (packed && limit - in.at < MAGIC_BYTES) {
      return StreamDecoder.MORE;
    }
    if (packed && isCompressed(bytes, in.at)) {
      return StreamDecoder.BROKEN;
    }
    change(new Open(tag, packed, withOption, in.length));
    return in.at;
  }

  /// Whether gzip or zstd begins at `at`: no entry begins so.
  private static boolean isCompressed(byte[] bytes, int at) {
    int magic = ((bytes[at] & 0xff) << Byte.SIZE) | (bytes[at + 1] & 0xff);
    return magic == 0x1f8b || magic == 0x28b5;
  }

  private void change(@Nullable Open now) {
    open = now;
    last = again ? last : now;
  }

  /// Takes the next piece, or the option after the last.
  ///
  /// @return where it ends, [StreamDecoder#MORE] or [StreamDecoder#OWN_BATCH]
  int next(byte[] bytes, int offset, int limit, boolean sharing, IncomingBatch batch) throws Bad {
    receipt = null;
    Open now = open;
    if (now == null) {
      throw new IllegalStateException("no message has begun");
    }
    if (offset == limit) {
      return StreamDecoder.MORE;
    }
    if (!sharing && batch.decoded() > 0) {
      return StreamDecoder.OWN_BATCH;
    }
    if (now.left == 0) {
      return option(now, bytes, offset, limit);
    }
    return now.readable ? piece(now, bytes, offset, limit, batch) : pass(now, offset, limit);
  }

  private int piece(Open now, byte[] bytes, int offset, int limit, IncomingBatch batch) throws Bad {
    int boundary = now.packed ? (int) Math.min(limit, offset + now.left) : limit;
    boolean all = now.packed && boundary == offset + now.left;
    long left = now.left;
    int end = offset;
    while (left > 0) {
      int next;
      try {
        next = valueEnd(bytes, end, boundary, offset);
      } catch (Bad unreadable) {
        if (!now.packed) {
          throw unreadable; // the end of the message cannot be found
        }
        if (end > offset) {
          break;
        }
        batch.refuse(String.valueOf(unreadable.getMessage()));
        return pass(now, offset, limit);
      }
      if (next < 0 && all) {
        next = boundary; // an entry that is cut
      }
      boolean full = end > offset && (next < 0 ? boundary : next) - offset > pieceBytes;
      if (full) {
        break;
      }
      if (next < 0) {
        return more(boundary - offset);
      }
      left -= now.packed ? next - end : 1;
      end = next;
    }
    entries.tag(now.tag, 0, now.tag.length);
    entries.packed(bytes, offset, end, offset, batch);
    BatchKey key = key(now, bytes, offset, end);
    boolean known = now.known || batch.knownByContent();
    receipt = new Receipt(known ? key : null, now.pieces);
    change(now.after(left, true, key.high() + " " + key.low(), known));
    return end;
  }

  private int more(int bytes) throws Bad {
    if (bytes > intake.limits().bodyBytesMax()) {
      throw in.bad("an entry is larger than %d bytes".formatted(intake.limits().bodyBytesMax()));
    }
    return StreamDecoder.MORE;
  }

  /// Where a value ends; negative when not all of it is there.
  private int valueEnd(byte[] bytes, int at, int limit, int base) throws Bad {
    in.show(bytes, at, limit, base);
    for (long left = 1; left > 0; left += in.children() - 1) {
      if (!in.tryNext()) {
        return -1;
      }
    }
    return in.at;
  }

  /// Passes over the rest of the entries, which cannot be read.
  private int pass(Open now, int offset, int limit) {
    int end = (int) Math.min(limit, offset + now.left);
    change(now.after(now.left - (end - offset), false, now.before, now.known));
    return end;
  }

  private BatchKey key(Open now, byte[] bytes, int offset, int end) {
    String tag = new String(now.tag, StandardCharsets.ISO_8859_1);
    byte[] digest = intake.digests().of(bytes, offset, end - offset);
    return BatchKey.ofBody("", "fluent piece after %s of %s".formatted(now.before, tag), digest);
  }

  private int option(Open now, byte[] bytes, int offset, int limit) throws Bad {
    int end = valueEnd(bytes, offset, limit, offset);
    if (end < 0) {
      if (limit - offset > OPTION_BYTES_MAX) {
        throw in.bad("an option of more than %d bytes".formatted(OPTION_BYTES_MAX));
      }
      return StreamDecoder.MORE;
    }
    in.show(bytes, offset, end, offset);
    byte[] chunk = FluentOption.read(in).chunk();
    if (chunk != null) {
      receipt = new Receipt(FluentOption.ack(chunk), FluentOption.ackOfKept(chunk), now.pieces);
    }
    change(null);
    return end;
  }
}
