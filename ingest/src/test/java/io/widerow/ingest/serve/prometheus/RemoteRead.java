package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.xerial.snappy.Snappy;

/// For tests: writes questions of remote read and reads answers with libraries that are not ours;
/// the decoder of chunks is its own, from the description of the format.
final class RemoteRead {
  static final String TYPE = "application/x-protobuf";
  static final long STALE = 0x7ff0_0000_0000_0002L;

  private RemoteRead() {}

  /// A series as it was answered.
  record Series(Map<String, String> labels, List<Sample> samples) {}

  /// @param bits of the value, a double
  record Sample(long millis, long bits) {}

  static byte[] matcher(int type, String name, String value) {
    return message(3, type == 0 ? new byte[0] : number(1, type), text(2, name), text(3, value));
  }

  static byte[] hints(long start, long end) {
    return message(4, number(1, 15_000), text(2, "rate"), number(3, start), number(4, end));
  }

  /// A query, with matchers and hints.
  static byte[] query(long start, long end, byte[]... parts) {
    return message(1, number(1, start), number(2, end), join(parts));
  }

  /// A request for samples.
  static byte[] request(byte[]... queries) {
    return packed(join(queries));
  }

  /// A request for chunks, or samples if there are none.
  static byte[] chunkRequest(byte[]... queries) {
    return packed(join(join(queries), message(2, new byte[] {1, 0})));
  }

  static byte[] packed(byte[] body) {
    try {
      return Snappy.compress(body);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /// Takes a field of a message.
  private interface Field {
    /// False to pass over it.
    boolean read(int number, CodedInputStream in) throws IOException;
  }

  /// Reads the samples of a message.
  private interface Samples {
    boolean addTo(List<Sample> samples, byte[] message) throws IOException;
  }

  private static void each(byte[] message, Field field) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (!field.read(WireFormat.getTagFieldNumber(tag), in)) {
        throw new IOException("unknown field of tag " + tag);
      }
    }
  }

  /// The results of an answer with samples, one for each query.
  static List<List<Series>> samples(byte[] body) throws IOException {
    List<List<Series>> results = new ArrayList<>();
    each(
        Snappy.uncompress(body),
        (_, in) -> {
          List<Series> result = new ArrayList<>();
          each(
              in.readByteArray(),
              (_, of) -> result.add(series(of.readByteArray(), (to, one) -> to.add(sample(one)))));
          return results.add(result);
        });
    return results;
  }

  private static Series series(byte[] message, Samples read) throws IOException {
    Map<String, String> labels = new LinkedHashMap<>();
    List<Sample> samples = new ArrayList<>();
    each(
        message,
        (field, in) ->
            field == 1
                ? label(in.readByteArray(), labels)
                : field == 2 && read.addTo(samples, in.readByteArray()));
    return new Series(labels, samples);
  }

  private static boolean label(byte[] message, Map<String, String> to) throws IOException {
    String[] both = {"", ""};
    each(
        message,
        (field, in) -> {
          both[field - 1] = in.readStringRequireUtf8();
          return true;
        });
    return to.put(both[0], both[1]) == null;
  }

  private static Sample sample(byte[] message) throws IOException {
    long[] both = new long[2];
    each(
        message,
        (field, in) -> {
          both[field - 1] = field == 1 ? in.readRawLittleEndian64() : in.readInt64();
          return true;
        });
    return new Sample(both[1], both[0]);
  }

  /// The results of a streamed answer.
  ///
  /// @param queries how many were asked
  static List<List<Series>> chunks(byte[] body, int queries) throws IOException {
    List<List<Series>> results = new ArrayList<>();
    for (int i = 0; i < queries; i++) {
      results.add(new ArrayList<>());
    }
    ByteBuffer in = ByteBuffer.wrap(body);
    while (in.hasRemaining()) {
      int length = 0;
      for (int shift = 0, part = 0x80; (part & 0x80) != 0; shift += 7) {
        part = in.get();
        length |= (part & 0x7f) << shift;
      }
      long sum = Integer.toUnsignedLong(in.getInt());
      byte[] frame = new byte[length];
      in.get(frame);
      CRC32C crc = new CRC32C();
      crc.update(frame);
      assertEquals(sum, crc.getValue());
      assertTrue(length <= (1 << 20) + 1_000, "a frame of " + length);
      frame(frame, results);
    }
    return results;
  }

  private static void frame(byte[] frame, List<List<Series>> results) throws IOException {
    List<Series> all = new ArrayList<>();
    int[] query = new int[1];
    each(
        frame,
        (field, in) -> {
          if (field == 2) {
            query[0] = in.readInt32();
            return true;
          }
          return all.add(series(in.readByteArray(), RemoteRead::chunk));
        });
    List<Series> result = results.get(query[0]);
    assertEquals(1, all.size(), "series of a frame");
    Series more = all.getFirst();
    if (!result.isEmpty() && result.getLast().labels().equals(more.labels())) {
      result.getLast().samples().addAll(more.samples());
    } else {
      result.add(more);
    }
  }

  private static boolean chunk(List<Sample> samples, byte[] message) throws IOException {
    long[] times = new long[4];
    int before = samples.size();
    each(
        message,
        (field, in) -> {
          if (field == 4) {
            new Bits(in.readByteArray()).addTo(samples);
          } else {
            times[field] = in.readInt64();
          }
          return true;
        });
    assertEquals(1, times[3], "the encoding is XOR");
    assertEquals(samples.get(before).millis(), times[1]);
    assertEquals(samples.getLast().millis(), times[2]);
    assertTrue(samples.size() - before <= 120, "at most 120 samples");
    return true;
  }

  /// A chunk, read bit by bit from its text.
  private static final class Bits {
    private final StringBuilder text = new StringBuilder();
    private int at;

    Bits(byte[] chunk) {
      for (byte each : chunk) {
        text.append(Integer.toBinaryString((each & 0xff) | 0x100), 1, 9);
      }
    }

    private long take(int count) {
      at += count;
      return count == 0 ? 0 : Long.parseUnsignedLong(text.substring(at - count, at), 2);
    }

    private long uvarint() {
      long number = 0;
      int shift = 0;
      long part = 0x80;
      while (part >= 0x80) {
        part = take(8);
        number |= (part & 0x7f) << shift;
        shift += 7;
      }
      return number;
    }

    void addTo(List<Sample> samples) {
      long count = take(16);
      long zigzag = uvarint();
      long time = (zigzag >>> 1) ^ -(zigzag & 1);
      long value = take(64);
      samples.add(new Sample(time, value));
      long delta = 0;
      int leading = 0;
      int significant = 0;
      for (long i = 1; i < count; i++) {
        delta = i == 1 ? uvarint() : delta + change();
        time += delta;
        if (take(1) == 1) {
          if (take(1) == 1) {
            leading = (int) take(5);
            significant = (int) take(6);
            significant = significant == 0 ? 64 : significant;
          }
          value ^= take(significant) << (64 - leading - significant);
        }
        samples.add(new Sample(time, value));
      }
    }

    private long change() {
      for (int size : new int[] {0, 14, 17, 20}) {
        if (take(1) == 0) {
          long raw = take(size);
          return size > 0 && raw > 1L << (size - 1) ? raw - (1L << size) : raw;
        }
      }
      return take(64);
    }
  }
}
