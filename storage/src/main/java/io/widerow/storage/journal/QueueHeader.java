package io.widerow.storage.journal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// The bytes that Chronicle Queue puts in front of the first excerpt of a file: a header and an
/// empty index, the same for every file of every size. `QueueFormatTest` compares them with the
/// bytes that the library writes.
///
/// ```
///  0                200                                  33008                       65808
///  +----------------+------------------------------------+---------------------------+---- ~
///  | header: sizes, | index2index: one entry, the offset | index: no entries, zeros, | first
///  | where the      | of the index, and 4,095 of zero    | in 4,096 slots            | excerpt
///  | indexes are    |                                    |                           |
///  +----------------+------------------------------------+---------------------------+---- ~
/// ```
///
/// Little-endian. Each part is an excerpt: a length word with the metadata flag, the name of the
/// part, its value.
final class QueueHeader {
  /// Offset of the first excerpt of a file.
  static final int BYTES;

  /// All of it, in native memory.
  static final MemorySegment CONTENT;

  /// In front of each excerpt: its length in bytes. Its two upper bits are zero when the excerpt is
  /// data and complete.
  static final ValueLayout.OfInt LENGTH_WORD =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int INDEX_COUNT = 4 << 10;
  private static final int INDEX_SPACING = 256;
  private static final int BYTES_MAX = 3 * INDEX_COUNT * Long.BYTES;
  private static final int METADATA = 1 << 30;

  // Codes of Chronicle Wire's binary format
  private static final int EVENT_NAME = 0xB9;
  private static final int TYPE = 0xB6;
  private static final int FIELD = 0xC0; // and the length of its name
  private static final int NESTED = 0x82;
  private static final int PADDING = 0x8F;
  private static final int LONG_PADDING = 0x8E;
  private static final int UINT8 = 0xA1;
  private static final int UINT16 = 0xA5;
  private static final int INT64 = 0xA7;
  private static final int INT64_ARRAY = 0x8D;

  static {
    var header = new QueueHeader();
    header.write();
    BYTES = header.out.position();
    CONTENT =
        Arena.global()
            .allocate(BYTES)
            .copyFrom(MemorySegment.ofBuffer(header.out.flip()))
            .asReadOnly();
  }

  private final ByteBuffer out = ByteBuffer.allocate(BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);

  private QueueHeader() {}

  /// Writes the header into a file, page by page as [NativeFile#zero] does.
  static void write(NativeFile file) {
    for (long page = 0; page < BYTES; page += NativeFile.PAGE_BYTES) {
      MemorySegment piece = CONTENT.asSlice(page, Math.min(NativeFile.PAGE_BYTES, BYTES - page));
      file.write(piece, page);
    }
  }

  private void write() {
    int header = begin("header");
    int store = nested("SCQStore");
    field("writePosition");
    array(2, 2);
    field("indexing");
    int indexing = nested("SCQSIndexing");
    field("indexCount");
    out.put((byte) UINT16).putShort((short) INDEX_COUNT);
    field("indexSpacing");
    out.put((byte) UINT16).putShort((short) INDEX_SPACING);
    field("index2Index");
    int index2Index = int64();
    field("lastIndex");
    int64();
    endNested(indexing);
    field("dataFormat");
    out.put((byte) UINT8).put((byte) 1);
    endNested(store);
    end(header);
    out.putLong(index2Index, out.position());

    int indexes = begin("index2index");
    int offset = array(INDEX_COUNT, 1);
    end(indexes);
    out.putLong(offset, out.position());

    int index = begin("index");
    array(INDEX_COUNT, 0);
    end(index);
  }

  /// Begins an excerpt of metadata.
  ///
  /// @return its place, for [#end]
  private int begin(String name) {
    int at = out.position();
    out.putInt(0).put((byte) EVENT_NAME).put((byte) name.length());
    text(name);
    return at;
  }

  private void end(int at) {
    out.putInt(at, METADATA | (out.position() - at - Integer.BYTES));
    out.position((out.position() + Integer.BYTES - 1) & -Integer.BYTES);
  }

  /// Begins a value with fields of its own.
  ///
  /// @return its place, for [#endNested]
  private int nested(String type) {
    out.put((byte) TYPE).put((byte) type.length());
    text(type);
    int at = out.position() + 1;
    out.put((byte) NESTED).putInt(0);
    return at;
  }

  private void endNested(int at) {
    out.putInt(at, out.position() - at - Integer.BYTES);
  }

  private void field(String name) {
    out.put((byte) (FIELD + name.length()));
    text(name);
  }

  private void text(String ascii) {
    out.put(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  /// @return offset of the value, which is zero
  private int int64() {
    pad();
    out.put((byte) INT64).putLong(0);
    return out.position() - Long.BYTES;
  }

  /// An array of zeros.
  ///
  /// @param used how many of its slots count
  /// @return offset of the first slot
  private int array(int slots, int used) {
    pad();
    out.put((byte) INT64_ARRAY).putLong(slots).putLong(used);
    int first = out.position();
    out.position(first + slots * Long.BYTES);
    return first;
  }

  /// Lets the next value begin at a multiple of eight, after its code.
  private void pad() {
    int count = -(out.position() + 1) & (Long.BYTES - 1);
    if (count < 1 + Integer.BYTES) {
      for (int i = 0; i < count; i++) {
        out.put((byte) PADDING);
      }
    } else {
      int more = count - 1 - Integer.BYTES;
      out.put((byte) LONG_PADDING).putInt(more).position(out.position() + more);
    }
  }
}
