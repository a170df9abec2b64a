package io.widerow.cli.ship;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Fuzz targets of `widerow ship`: lines of containers and others, and the checkpoint.
public final class ShipFuzz {
  private static final long NOW = 1_790_000_000_000_000_000L;
  private static final FileLabels LABELS =
      FileLabels.of(Path.of("/var/log/a.log"), null, Map.of("k", "v"));
  private static final String[] LINES = {
    "2016-10-06T00:17:09.669794202Z stdout F whole",
    "2016-10-06T00:17:09.669794202Z stdout P part ",
    "2016-10-06T00:17:09.669794202Z stderr P part ",
    "2016-10-06T00:17:09.669794202Z stderr F:x tag",
    "{\"log\":\"x\\n\",\"stream\":\"stdout\",\"time\":\"2016-10-06T00:17:09Z\"}",
    "{\"log\":\"x\",\"stream\":\"stderr\",\"time\":\"2016-10-06T00:17:09Z\"}",
    "{\"log\":\"{\\\"a\\\":1}\\n\",\"attrs\":{\"t\":\"u\"},\"time\":\"2016-10-06T00:17:09Z\"}",
    "{\"ts\":1,\"body\":\"x\"}",
    "{}",
    "",
    "\r",
    "2026-01-02 03:04:05 begins",
    "1700000000 epoch",
    "value 1700000000",
    "  at a.b.C(D.java:1)",
    "a long line ".repeat(30),
    "\u00e9\ud83d\ude00".repeat(60),
  };

  private ShipFuzz() {}

  /// Lines of all forms, at random.
  static byte[] lines(SplittableRandom random, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(count); i >= 0; i--) {
      text.append(LINES[random.nextInt(LINES.length)]);
      text.append(i == 0 && random.nextBoolean() ? "" : "\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  public static List<byte[]> lineSeeds() {
    List<byte[]> seeds = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(7);
    for (String line : LINES) {
      seeds.add((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
    for (int i = 0; i < 20; i++) {
      seeds.add(lines(random, 20));
    }
    return seeds;
  }

  /// Any bytes become batches that cover them, each the same when it is made again.
  public static void lines(byte[] input) {
    requireSame(input, input.length);
  }

  static void requireSame(byte[] input, int length) {
    for (RecordFormat.Format format : RecordFormat.Format.values()) {
      requireSame(
          input,
          length,
          RecordFormat.of(format, null).withZone(ZoneOffset.UTC).withRecordBytesMax(128));
      if (format != RecordFormat.Format.json) {
        requireSame(
            input,
            length,
            RecordFormat.of(format, "time").withZone(ZoneOffset.UTC).withRecordBytesMax(128));
      }
    }
  }

  private static void requireSame(byte[] input, int length, RecordFormat rules) {
    RecordReader reader = new RecordReader(rules);
    int at = 0;
    long time = TimeParser.NONE;
    while (at < length) {
      int count = Math.min(rules.batchBytes(), length - at);
      boolean end = at + count == length;
      RecordReader.Made made = read(reader, input, at, count, time, false);
      if (made.consumed == 0) {
        made = read(reader, input, at, count, time, end);
      }
      if (made.consumed == 0) {
        throw new AssertionError("stuck at " + at + " with " + rules);
      }
      RecordReader.Made again = made(reader, input, at, made.consumed, time);
      String first = new String(made.json, StandardCharsets.ISO_8859_1);
      String second = new String(again.json, StandardCharsets.ISO_8859_1);
      if (again.consumed != made.consumed || !first.equals(second)) {
        throw new AssertionError("%s%nat %d: %s%nagain: %s".formatted(rules, at, first, second));
      }
      if (again.timeBefore != made.timeBefore || again.events != made.events) {
        throw new AssertionError("another state at " + at + " with " + rules);
      }
      at += made.consumed;
      time = made.timeBefore;
    }
  }

  private static RecordReader.Made read(
      RecordReader reader, byte[] input, int at, int count, long time, boolean flush) {
    byte[] bytes = Arrays.copyOfRange(input, at, at + count + Swar.SLACK_BYTES);
    Arrays.fill(bytes, count, bytes.length, (byte) '"'); // must not be read as content
    return reader.read(bytes, count, LABELS, time, NOW, flush);
  }

  private static RecordReader.Made made(
      RecordReader reader, byte[] input, int at, int count, long time) {
    byte[] bytes = Arrays.copyOfRange(input, at, at + count + Swar.SLACK_BYTES);
    Arrays.fill(bytes, count, bytes.length, (byte) '"');
    return reader.again(bytes, count, LABELS, time, NOW);
  }

  static Checkpoint checkpoint() {
    FileFingerprint first = FileFingerprint.of(new byte[] {1, 2}, 2);
    Checkpoint.Entry file =
        new Checkpoint.Entry(
            "/a b/é.log",
            "-",
            new FileIdentity(1, 2),
            3,
            first,
            7,
            "0a0b",
            TimeParser.NONE,
            9,
            1_700_000_000,
            false,
            new Checkpoint.UnderWay(9, NOW, "0".repeat(64)));
    Checkpoint.Entry ended =
        new Checkpoint.Entry(
            "/c",
            "/c",
            new FileIdentity(-1, 5),
            0,
            FileFingerprint.EMPTY,
            0,
            "",
            NOW,
            0,
            0,
            true,
            null);
    return new Checkpoint("salt", List.of("/a b/*.log", "-"), List.of(file, ended));
  }

  public static List<byte[]> checkpointSeeds() {
    return List.of(checkpoint().encode(), new Checkpoint("s", List.of(), List.of()).encode());
  }

  /// Any bytes are a checkpoint, which is written the same, or damaged. With its checksum set right
  /// nearly all are looked at line by line.
  public static void checkpoint(byte[] input) {
    requireReadOrDamaged(input);
    String text = new String(input, StandardCharsets.ISO_8859_1);
    int rest = text.indexOf('\n') + 1;
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(input, rest, input.length - rest);
    String head = "widerow-ship 1 %08x\n".formatted(crc.getValue());
    requireReadOrDamaged((head + text.substring(rest)).getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void requireReadOrDamaged(byte[] bytes) {
    try {
      Checkpoint read = Checkpoint.decode(bytes);
      if (!read.equals(Checkpoint.decode(read.encode()))) {
        throw new AssertionError("read again it is " + read);
      }
    } catch (Checkpoint.Damaged damaged) {
      if (damaged.getMessage() == null || damaged.offset > bytes.length) {
        throw new AssertionError("no reason", damaged);
      }
    }
  }
}
