package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/// A validator of untrusted records of [EventLayout]. It checks lengths, type, id, shard and the
/// order of attributes, so that later readers need no checks.
///
/// - Threads: one.
public final class RecordCheck {
  private final byte[] type = new byte[EventLayout.TYPE_BYTES_MAX];

  /// True when a complete, valid record is at `offset`. Reads nothing after the segment.
  public boolean isRecord(MemorySegment events, long offset) {
    long left = events.byteSize() - offset;
    if (left < EventLayout.HEADER_BYTES) {
      return false;
    }
    int length = EventLayout.length(events, offset);
    return length > EventLayout.HEADER_BYTES
        && length <= EventLayout.EVENT_BYTES_MAX
        && EventLayout.alignedLength(length) <= left
        && EventLayout.shard(events, offset) < EventLayout.SHARD_LIMIT
        && EventLayout.attributes(events, offset) <= EventLayout.ATTRIBUTES_MAX
        && TimeUuid.isEventTime(EventLayout.idTime(events, offset))
        && TimeUuid.isTail(EventLayout.idTail(events, offset))
        && hasType(events, offset, length)
        && hasAttributes(events, offset, offset + length);
  }

  private boolean hasType(MemorySegment events, long offset, int length) {
    int bytes = EventLayout.typeBytes(events, offset);
    if (bytes < 1
        || bytes > EventLayout.TYPE_BYTES_MAX
        || EventLayout.HEADER_BYTES + 1 + bytes > length) {
      return false;
    }
    MemorySegment.copy(events, JAVA_BYTE, EventLayout.typeOffset(offset), type, 0, bytes);
    return Utf8.isValid(type, 0, bytes);
  }

  private static boolean hasAttributes(MemorySegment events, long offset, long limit) {
    long at = EventLayout.attributesOffset(events, offset);
    long before = -1;
    for (int left = EventLayout.attributes(events, offset); left > 0; left--) {
      if (!hasAttribute(events, at, limit) || (before >= 0 && !isBehind(events, before, at))) {
        return false;
      }
      before = at;
      at = EventLayout.nextAttribute(events, at);
    }
    return at == limit;
  }

  private static boolean hasAttribute(MemorySegment events, long at, long limit) {
    if (limit - at < 2) {
      return false;
    }
    int code = events.get(JAVA_BYTE, at);
    long value = EventLayout.valueOffset(events, at);
    long left = limit - value;
    if (!AttributeKind.isKind(code) || EventLayout.nameBytes(events, at) < 1 || left < 1) {
      return false;
    }
    return switch (AttributeKind.of(code)) {
      case LONG, DOUBLE -> left >= Long.BYTES;
      case BOOLEAN -> true;
      case STRING, BYTES -> {
        int bytes = left < Integer.BYTES ? -1 : events.get(EventLayout.INT_ANYWHERE, value);
        yield bytes >= 0 && bytes <= left - Integer.BYTES;
      }
    };
  }

  /// True when the name of the attribute at `b` is greater than that of the attribute at `a`.
  private static boolean isBehind(MemorySegment events, long a, long b) {
    long nameA = EventLayout.nameOffset(a);
    long nameB = EventLayout.nameOffset(b);
    int bytesA = EventLayout.nameBytes(events, a);
    int bytesB = EventLayout.nameBytes(events, b);
    int common = Math.min(bytesA, bytesB);
    for (int i = 0; i < common; i++) {
      int order =
          Byte.compareUnsigned(events.get(JAVA_BYTE, nameA + i), events.get(JAVA_BYTE, nameB + i));
      if (order != 0) {
        return order < 0;
      }
    }
    return bytesA < bytesB;
  }
}
