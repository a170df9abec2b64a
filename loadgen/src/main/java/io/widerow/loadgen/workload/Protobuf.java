package io.widerow.loadgen.workload;

/// A message in protobuf's encoding, with places for stamps.
///
/// ```
///  message:  field field ...
///  field:    number << 3 | wire type (varint), content
///  type:     0 varint, 1 eight bytes, 2 length (varint) and bytes
/// ```
///
/// Source: protobuf's page "Encoding". Fields are written in the order of the calls.
///
/// - Threads: one.
final class Protobuf {
  private static final int VARINT = 0;
  private static final int FIXED = 1;
  private static final int BYTES = 2;

  private final MarkedBytes out = new MarkedBytes();

  MarkedBytes bytes() {
    return out;
  }

  Protobuf text(int field, CharSequence marked, int event) {
    return bytes(field, new MarkedBytes().text(marked, event));
  }

  Protobuf message(int field, Protobuf inner) {
    return bytes(field, inner.out);
  }

  private Protobuf bytes(int field, MarkedBytes content) {
    tag(field, BYTES);
    varint(content.size());
    out.append(content);
    return this;
  }

  Protobuf varint(int field, Stamp stamp, int event) {
    tag(field, VARINT);
    out.stamp(stamp, event);
    return this;
  }

  Protobuf fixed(int field, Stamp stamp, int event) {
    tag(field, FIXED);
    out.stamp(stamp, event);
    return this;
  }

  private void tag(int field, int type) {
    varint((field << 3) | type);
  }

  private void varint(int number) {
    int rest = number;
    while (rest >= 0x80) {
      out.one((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.one(rest);
  }
}
