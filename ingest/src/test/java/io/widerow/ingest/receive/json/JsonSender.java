package io.widerow.ingest.receive.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Sends random JSON lines of a few shapes, in turn or not. Most are good; others have members in
/// another order, or twice, or are damaged.
final class JsonSender {
  private static final List<String> NAMES =
      List.of(
          "ts",
          "ts",
          "time",
          "timestamp",
          "when",
          "type",
          "type",
          "body",
          "message",
          "msg",
          "log",
          "what",
          "_id",
          "_key",
          "id",
          "attributes.ts",
          "o",
          "p",
          "a",
          "b",
          "c",
          "status",
          "é",
          "\\u0061",
          "\\ud800",
          "Records",
          "$bytes",
          "a.b",
          "o.a",
          "");

  private static final List<String> TEXTS =
      List.of(
          "\"x\"",
          "\"\"",
          "\"a longer text that goes over some words\"",
          "\"a\\\"b\\\\c\\/\\n\"",
          "\"line\\n\"",
          "\"\\u00e9\\ud83d\\ude00\"",
          "\"\\ud83d\"",
          "\"\\ude00x\"",
          "\"é€😀\"",
          "\"\\x\"",
          "\"\\u12\"",
          "\"tab\t\"",
          "\"b12ef090-0d11-11ec-8100-000000000001\"");

  private static final List<String> TIMES =
      List.of(
          "1700000000",
          "1700000000123",
          "1.7e9",
          "1700000000.25",
          "\"2026-11-20T19:15:00Z\"",
          "\"2026-11-20 19:15:00,5\"",
          "\"17/May/2015:10:05:03 +0000\"",
          "\"1700000000\"",
          "17",
          "-1",
          "\"soon\"",
          "0",
          "\"2026\"",
          "\" 0 \"",
          "9999999999999999999",
          "\"2026-11-20T19:15:00\\u005a\"");

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-0",
          "7",
          "-12",
          "3.25",
          "-0.5e3",
          "1E+2",
          "1e400",
          "01",
          "1.",
          ".5",
          "+1",
          "-",
          "9223372036854775807",
          "-9223372036854775808",
          "9223372036854775808",
          "18446744073709551616",
          "123456789012345678901234567890",
          "0.1234567890123456789");

  private static final List<String> OTHERS =
      List.of(
          "null",
          "null",
          "true",
          "false",
          "nul",
          "[]",
          "[1, \"a\\n\", {\"b\":[]}]",
          "[\"\\ud800\"]",
          "{}",
          "{\"a\":1}",
          "{\"b\":\"x\",\"c\":{\"d\":null}}",
          "{\"$bytes\":\"AAE=\"}",
          "[1",
          "{");

  private record Shape(List<String> members, String colon, String comma) {}

  private final SplittableRandom random;
  private final List<Shape> shapes = new ArrayList<>();
  private final boolean inTurn;
  private final int oddEvery; // one of so many lines is not good
  private int sent;

  JsonSender(SplittableRandom random) {
    this.random = random;
    inTurn = random.nextBoolean();
    oddEvery = List.of(1, 3, 20, 1_000_000).get(random.nextInt(4));
    int count = List.of(1, 2, 4, 12).get(random.nextInt(4));
    for (int i = 0; i < count; i++) {
      shapes.add(i > 0 && random.nextBoolean() ? alike(shapes.get(i - 1)) : shape());
    }
  }

  /// So many lines.
  byte[] body(int lines) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < lines; i++) {
      int which = inTurn ? sent % shapes.size() : random.nextInt(shapes.size());
      Shape shape = shapes.get(which);
      boolean odd = random.nextInt(oddEvery) == 0;
      String mark = odd && random.nextInt(8) == 0 ? "\ufeff" : "";
      byte[] line = (mark + line(shape, odd)).getBytes(StandardCharsets.UTF_8);
      out.writeBytes(odd && random.nextBoolean() ? damaged(line) : line);
      boolean end = i == lines - 1 && random.nextBoolean();
      String newline = odd ? pick(List.of("\n", "\r\n", " \n\n", "}\n")) : "\n";
      out.writeBytes((end ? "" : newline).getBytes(StandardCharsets.UTF_8));
      sent++;
    }
    return out.toByteArray();
  }

  private Shape shape() {
    List<String> members = new ArrayList<>();
    int count = random.nextInt(20) == 0 ? 70 : random.nextInt(8);
    for (int i = 0; i < count; i++) {
      members.add(count > 8 ? "m" + i : pick(NAMES));
    }
    return random.nextBoolean()
        ? new Shape(members, ":", ",")
        : new Shape(members, pick(List.of(": ", " :", ":\t")), pick(List.of(", ", " ,")));
  }

  /// A shape that begins as another one does.
  private Shape alike(Shape other) {
    List<String> members = new ArrayList<>(other.members);
    if (!members.isEmpty() && random.nextBoolean()) {
      members.removeLast();
    }
    members.add(pick(NAMES));
    return new Shape(members, other.colon, other.comma);
  }

  private String line(Shape shape, boolean odd) {
    List<String> members = new ArrayList<>(shape.members);
    if (odd && !members.isEmpty()) {
      String moved = members.remove(random.nextInt(members.size()));
      members.add(random.nextInt(members.size() + 1), moved);
      if (random.nextInt(3) == 0) {
        members.add(moved);
      }
    }
    StringBuilder line = new StringBuilder("{");
    for (String member : members) {
      line.append(line.length() == 1 ? "" : shape.comma);
      line.append('"').append(member).append('"').append(shape.colon).append(value(member, odd));
    }
    return line.append('}').toString();
  }

  private String value(String member, boolean odd) {
    if (odd && random.nextInt(3) == 0) {
      return pick(List.of(TEXTS, TIMES, NUMBERS, OTHERS).get(random.nextInt(4)));
    }
    return switch (member) {
      case "ts", "time", "timestamp", "when" ->
          random.nextBoolean() ? time() : TIMES.get(random.nextInt(8));
      case "type", "body", "message", "msg", "log", "what" -> TEXTS.get(random.nextInt(6));
      case "_id" -> TEXTS.getLast();
      case "_key" -> TEXTS.getFirst();
      case "o" -> "{\"a\":" + NUMBERS.get(random.nextInt(6)) + ",\"b\":" + pick(TEXTS) + "}";
      case "p" -> "{\"q\":{\"r\":" + NUMBERS.get(random.nextInt(6)) + "},\"s\":{}}";
      default ->
          switch (random.nextInt(4)) {
            case 0 -> "null";
            case 1 -> TEXTS.get(random.nextInt(6));
            case 2 -> pick(List.of("true", "false", "[1,\"a\"]"));
            default -> NUMBERS.get(random.nextInt(6));
          };
    };
  }

  /// A time of one of two minutes, or of one that is hardly a time.
  private String time() {
    String second = pick(List.of("00", "07", "59", "60", "61", "5", "-1", "5x"));
    String fraction =
        pick(List.of("", "", ".", ".5", ".123", ".123456789", ".1234567890", ",5", ".1x"));
    String zone = pick(List.of("Z", "Z", "Z", "z", " Z", "", "+01:00", "ZZ"));
    String minute = pick(List.of("2026-11-20T19:15:", "2026-11-20T19:16:", "1999-11-20T19:15:"));
    return '"' + minute + second + fraction + zone + '"';
  }

  /// A copy that is cut, or has other bytes in it.
  private byte[] damaged(byte[] line) {
    byte[] copy = line.clone();
    switch (random.nextInt(3)) {
      case 0 -> {
        return Arrays.copyOf(copy, random.nextInt(copy.length));
      }
      case 1 -> copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
      default -> copy[random.nextInt(copy.length)] = (byte) (0x80 | random.nextInt(128));
    }
    return copy;
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
