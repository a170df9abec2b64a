package io.widerow.loadgen.workload;

import java.util.List;

/// A batch as a PackedForward message of Fluent Forward, in msgpack:
///
/// ```
///  93                                    array of 3
///     tag                                string: the type
///     c6 <length> entries                binary: 92 d7 00 <EventTime> 81 a7 message <string>
///     82 a4 size <count>                 map of 2
///        a5 chunk d9 20 <32 bytes>       the last bytes of the batch
/// ```
///
/// The chunk is made of the first event's number and time, so no two batches share one. Sources:
/// "Forward Protocol Specification v1" of fluent/fluentd, `spec.md` of msgpack/msgpack.
public final class FluentForm {
  /// Length of a chunk, the end of each batch.
  public static final int CHUNK_BYTES = Stamp.SEQUENCE.width + Stamp.EPOCH_NANOS.width;

  private FluentForm() {}

  static MarkedBytes packed(List<Sample> batch) {
    MarkedBytes entries = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      entries.one(0x92).one(0xd7).one(0).stamp(Stamp.EVENT_TIME, i);
      entries.one(0x81).append(string("message", i));
      entries.append(string(Encoder.message(batch.get(i)), i));
    }
    MarkedBytes out = new MarkedBytes().one(0x93).append(string(batch.get(0).type(), 0));
    number(out.one(0xc6), entries.size()).append(entries);
    number(out.one(0x82).append(string("size", 0)).one(0xce), batch.size());
    out.append(string("chunk", 0)).one(0xd9).one(CHUNK_BYTES);
    return out.stamp(Stamp.SEQUENCE, 0).stamp(Stamp.EPOCH_NANOS, 0);
  }

  private static MarkedBytes number(MarkedBytes out, int number) {
    return out.one(number >> 24).one(number >> 16).one(number >> 8).one(number);
  }

  private static MarkedBytes string(String marked, int event) {
    MarkedBytes content = new MarkedBytes().text(marked, event);
    int size = content.size();
    MarkedBytes out = new MarkedBytes();
    if (size < 32) {
      out.one(0xa0 | size);
    } else if (size < (1 << 8)) {
      out.one(0xd9).one(size);
    } else if (size < (1 << 16)) {
      out.one(0xda).one(size >> 8).one(size);
    } else {
      number(out.one(0xdb), size);
    }
    return out.append(content);
  }
}
