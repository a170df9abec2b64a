package io.widerow.ingest.receive.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static io.widerow.ingest.decode.ProtobufBytes.varint;
import static io.widerow.ingest.receive.prometheus.Messages.fixed32;
import static io.widerow.ingest.receive.prometheus.Messages.fraction;
import static io.widerow.ingest.receive.prometheus.Messages.label;
import static io.widerow.ingest.receive.prometheus.Messages.labels;
import static io.widerow.ingest.receive.prometheus.Messages.sample;

import java.util.ArrayList;
import java.util.List;

/// Series that must be refused, and requests that must be refused as a whole.
final class RemoteWriteCases {
  private static final byte[] NAME = labels("__name__", "bad");
  private static final byte[] SAMPLE = sample(1, 1_000);

  private RemoteWriteCases() {}

  /// Something bad: the content of a series, or of a request.
  static final class Case {
    private final String name;
    private final byte[] content;

    Case(String name, byte[] content) {
      this.name = name;
      this.content = content;
    }

    byte[] content() {
      return content;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static byte[] bytes(int... values) {
    byte[] all = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      all[i] = (byte) values[i];
    }
    return all;
  }

  /// A tag of a wire type.
  private static byte[] tag(int field, int wireType) {
    return varint((long) field << 3 | wireType);
  }

  /// Series of version 1.0.
  static List<Case> ofOne() {
    List<Case> all = new ArrayList<>();
    add(all, "no labels", SAMPLE);
    add(all, "no name", labels("a", "b"), SAMPLE);
    add(all, "an empty name", labels("__name__", ""), SAMPLE);
    add(all, "the name twice", NAME, NAME, SAMPLE);
    add(all, "a label twice", NAME, labels("a", "b", "a", "c"), SAMPLE);
    add(all, "a label twice, apart", NAME, labels("b", "1", "a", "2", "b", "1"), SAMPLE);
    add(all, "a label twice of many", NAME, many(40), labels("l7", "x"), SAMPLE);
    add(all, "a label twice around the sample", NAME, labels("a", "b"), SAMPLE, label("a", "c"));
    add(all, "a label without a name", NAME, message(1, text(2, "v")), SAMPLE);
    add(all, "a label with an empty name", NAME, label("", "v"), SAMPLE);
    add(all, "an empty label", NAME, message(1), SAMPLE);
    add(all, "a label that is cut", NAME, bytes(0x0a, 9, 0x0a, 1, 'a', 0x12, 40, 'b'), SAMPLE);
    add(all, "a label longer than its series", NAME, SAMPLE, bytes(0x0a, 99, 1));
    add(all, "a label that is a number", NAME, number(1, 5), SAMPLE);
    add(all, "a label of eight bytes", NAME, fixed64(1, 5), SAMPLE);
    add(all, "a label of four bytes", NAME, fixed32(1, 5), SAMPLE);
    add(all, "a name that is a number", NAME, message(1, number(1, 5), text(2, "v")), SAMPLE);
    add(all, "a text that is a number", NAME, message(1, text(1, "a"), number(2, 5)), SAMPLE);
    add(all, "field 0 in a label", NAME, message(1, text(1, "a"), bytes(0, 0)), SAMPLE);
    add(all, "a bad label apart", NAME, SAMPLE, message(1, number(1, 5)));
    add(all, "labels of a mebibyte", NAME, label("a", "v".repeat(1 << 20)), SAMPLE);
    addItems(all, NAME, 4);
    add(all, "field 0", NAME, SAMPLE, bytes(0, 0));
    add(all, "wire type 6", NAME, SAMPLE, tag(9, 6));
    add(all, "wire type 7", NAME, SAMPLE, tag(9, 7));
    add(all, "a group without an end", NAME, SAMPLE, tag(9, 3));
    add(all, "the end of another group", NAME, SAMPLE, tag(9, 3), tag(8, 4));
    add(all, "an exemplar that is a number", NAME, SAMPLE, number(3, 1));
    add(all, "a tag without an end", NAME, SAMPLE, bytes(0x80));
    return all;
  }

  /// Series of version 2.0, whose texts are among the symbols.
  static List<Case> ofTwo(Messages.Symbols symbols) {
    byte[] name = symbols.labels("__name__", "bad");
    int known = symbols.of("bad");
    List<Case> all = new ArrayList<>();
    add(all, "no references", SAMPLE);
    add(all, "too many references", message(1, new byte[5_000]), SAMPLE);
    add(all, "far too many references", message(1, new byte[600_000]), SAMPLE);
    add(
        all,
        "a histogram of too many numbers",
        name,
        message(3, message(12, new byte[600_000]), number(15, 1_000)));
    add(all, "no name", symbols.labels("a", "b"), SAMPLE);
    add(all, "an empty name", symbols.labels("__name__", ""), SAMPLE);
    add(all, "the name twice", symbols.labels("__name__", "bad", "__name__", "bad"), SAMPLE);
    add(all, "a label twice", symbols.labels("__name__", "bad", "a", "b", "a", "c"), SAMPLE);
    add(all, "one reference", message(1, varint(known)), SAMPLE);
    add(all, "three references", symbols.labels("__name__", "bad", "a"), SAMPLE);
    add(all, "an empty label", symbols.labels("__name__", "bad", "", ""), SAMPLE);
    add(all, "a reference out of range", message(1, varint(known), varint(1 << 20)), SAMPLE);
    add(all, "a reference of 32 bits", message(1, varint(known), varint(0xffff_ffffL)), SAMPLE);
    add(all, "a reference of 64 bits", message(1, varint(known), varint(-1)), SAMPLE);
    add(all, "a reference that is cut", message(1, varint(known), bytes(0x80)), SAMPLE);
    add(all, "a reference of four bytes", fixed32(1, known), SAMPLE);
    add(
        all,
        "a reference of eleven bytes",
        message(1, bytes(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)),
        SAMPLE);
    add(all, "an odd one that is not packed", name, number(1, known), SAMPLE);
    add(all, "a start that is a text", name, SAMPLE, text(6, "x"));
    addItems(all, name, 3);
    add(all, "field 0", name, SAMPLE, bytes(0, 0));
    add(all, "wire type 7", name, SAMPLE, tag(9, 7));
    return all;
  }

  /// Series of version 2.0 with a bad description, which costs no sample.
  static List<Case> badlyDescribed(Messages.Symbols symbols) {
    byte[] name = symbols.labels("__name__", "good");
    List<Case> all = new ArrayList<>();
    add(all, "help out of range", name, SAMPLE, message(5, number(3, 1 << 20)));
    add(all, "a unit out of range", name, SAMPLE, message(5, number(4, -1)));
    add(all, "help that is a text", name, SAMPLE, message(5, text(3, "help")));
    add(all, "a description that is a number", name, SAMPLE, number(5, 1));
    add(all, "a description that is cut", name, SAMPLE, message(5, bytes(0x18, 0x80)));
    return all;
  }

  private static byte[] many(int count) {
    byte[][] all = new byte[count][];
    for (int i = 0; i < count; i++) {
      all[i] = label("l" + i, "v");
    }
    return join(all);
  }

  private static void add(List<Case> all, String name, byte[]... content) {
    all.add(new Case(name, join(content)));
  }

  /// Bad samples and histograms of a good series.
  private static void addItems(List<Case> all, byte[] name, int histogram) {
    byte[] time = number(2, 1_000);
    add(all, "a sample that is a number", name, number(2, 5));
    add(all, "a sample of eight bytes", name, fixed64(2, 5));
    add(all, "a sample of four bytes", name, fixed32(2, 5));
    add(all, "a value that is a number", name, message(2, number(1, 5), time));
    add(all, "a value of four bytes", name, message(2, fixed32(1, 5), time));
    add(all, "a value that is a text", name, message(2, text(1, "5"), time));
    add(all, "a value that is cut", name, message(2, bytes(0x09, 1, 2, 3, 4)));
    add(all, "a time of eight bytes", name, message(2, fraction(1, 1), fixed64(2, 5)));
    add(all, "a time that is a text", name, message(2, fraction(1, 1), text(2, "5")));
    add(all, "a time that is cut", name, message(2, fraction(1, 1), bytes(0x10, 0x80)));
    add(all, "field 0 in a sample", name, message(2, bytes(0, 0)));
    add(all, "wire type 6 in a sample", name, message(2, tag(9, 6)));
    add(all, "a group in a sample", name, message(2, tag(9, 3)));
    byte[] at = number(15, 1_000);
    add(all, "a histogram that is a number", name, number(histogram, 5));
    add(all, "a count that is a text", name, message(histogram, text(1, "x"), at));
    add(all, "a sum that is a number", name, message(histogram, number(3, 1), at));
    add(all, "a schema of eight bytes", name, message(histogram, fixed64(4, 1), at));
    add(all, "deltas that are cut", name, message(histogram, message(12, bytes(0x80)), at));
    add(all, "counts of seven bytes", name, message(histogram, message(13, new byte[7]), at));
    add(all, "counts that are numbers", name, message(histogram, number(13, 1), at));
    add(all, "a span that is a number", name, message(histogram, number(11, 1), at));
    add(all, "a span that is cut", name, message(histogram, message(8, bytes(0x08)), at));
    add(all, "custom values that are cut", name, message(histogram, message(16, bytes(1)), at));
    add(all, "a hint that is a text", name, message(histogram, text(14, "x"), at));
  }

  /// Requests of both versions that do not hold together.
  static List<Case> whole(boolean two) {
    int series = two ? 5 : 1;
    List<Case> all = new ArrayList<>();
    add(all, "no message at all", bytes('h', 'e', 'l', 'l', 'o'));
    add(all, "field 0", bytes(0, 0));
    add(all, "a series that is a number", number(series, 1));
    add(all, "a series that is cut", bytes(series << 3 | 2, 9, 1));
    add(all, "a length without an end", bytes(series << 3 | 2, 0x80));
    add(all, "a length of 2^63", join(tag(series, 2), varint(Long.MIN_VALUE)));
    add(all, "a tag without an end", bytes(0xff, 0xff));
    add(all, "wire type 6", tag(9, 6));
    add(all, "wire type 7", tag(9, 7));
    add(all, "a group without an end", tag(9, 3));
    add(all, "the end of a group", tag(9, 4));
    add(all, "only fields of another message", text(7, "x"));
    if (two) {
      Messages.Symbols symbols = new Messages.Symbols();
      byte[] good = Messages.seriesTwo(symbols.labels("__name__", "good"), SAMPLE);
      add(all, "the other message", Messages.series(NAME, SAMPLE));
      add(all, "a symbol that is a number", number(4, 1));
      add(all, "a first symbol that is not empty", text(4, "x"));
      add(all, "a good series before the cut", symbols.table(), good, bytes(0x2a, 9));
    } else {
      Messages.Symbols symbols = new Messages.Symbols();
      byte[] good = Messages.seriesTwo(symbols.labels("__name__", "good"), SAMPLE);
      add(all, "the other message", symbols.table(), good);
      add(all, "a description that is a number", number(3, 1));
      add(all, "a good series before the cut", Messages.series(NAME, SAMPLE), bytes(0x0a, 9));
    }
    return all;
  }
}
