package io.widerow.storage.objects;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The files of a store at one moment, an object `checkpoints/<epoch>/<seq>.wc`: JSON lines, which
/// FORMAT-OBJECTS.md describes. With the frames that follow it is a whole store.
///
/// @param nanos the wall clock just after the moment, nanoseconds since the Unix epoch
/// @param changes count of the changes in it that no journal has
/// @param journal number of the first object of the epoch that may have a frame after `sealed`
/// @param sealed LSNs up to which the files have everything: by lane, then of the tables
record Checkpoint(
    int epoch,
    long seq,
    long nanos,
    long changes,
    long journal,
    List<Long> sealed,
    List<Entry> files) {
  static final String DIRECTORY = "checkpoints/";
  static final int FORMAT = 1;
  private static final Pattern NAME =
      Pattern.compile("checkpoints/([0-9a-f]{8})/([0-9a-f]{16})\\.wc");
  private static final Pattern HEAD =
      Pattern.compile(
          "\\{\"widerow\":\"checkpoint\",\"format\":(\\d{1,9}),\"epoch\":(\\d{1,9}),"
              + "\"seq\":(\\d{1,18}),\"at\":\"[^\"]*\",\"nanos\":(-?\\d{1,19}),"
              + "\"changes\":(\\d{1,18}),\"journal\":(\\d{1,18}),\"sealed\":\\[([-0-9,]*)],"
              + "\"files\":(\\d{1,9})}");
  private static final Pattern FILE =
      Pattern.compile(
          "\\{\"file\":\"([A-Za-z0-9._/-]+)\",\"bytes\":(\\d{1,18}),"
              + "\"sha256\":\"([0-9a-f]{64})\"}");

  /// A file of the store.
  ///
  /// @param path in the directory of the store
  record Entry(String path, long bytes, String sha256) {
    private static final int NAME_DIGITS = 16;

    /// Name of the object that has its bytes: two histories of a store cannot collide.
    String object() {
      int slash = path.lastIndexOf('/');
      int dot = path.lastIndexOf('.');
      String mark = "-" + sha256.substring(0, NAME_DIGITS);
      String directory = slash < 0 ? "state/" : "";
      return dot > slash
          ? directory + path.substring(0, dot) + mark + path.substring(dot)
          : directory + path + mark;
    }
  }

  Checkpoint {
    sealed = List.copyOf(sealed);
    files = List.copyOf(files);
  }

  static String name(int epoch, long seq) {
    return String.format(Locale.ROOT, "%s%08x/%016x.wc", DIRECTORY, epoch, seq);
  }

  String name() {
    return name(epoch, seq);
  }

  static boolean isName(String object) {
    return NAME.matcher(object).matches();
  }

  /// Epoch in the name of an object.
  static int epochOf(String object) {
    Matcher name = NAME.matcher(object);
    if (!name.matches()) {
      throw new IllegalArgumentException("no checkpoint: " + object);
    }
    return Integer.parseInt(name.group(1), 16);
  }

  String at() {
    return Times.text(nanos);
  }

  /// Bytes of its files.
  long bytes() {
    return files.stream().mapToLong(Entry::bytes).sum();
  }

  byte[] toBytes() {
    StringBuilder lines = new StringBuilder();
    lines.append(
        "{\"widerow\":\"checkpoint\",\"format\":%d,\"epoch\":%d,\"seq\":%d,\"at\":\"%s\","
            .formatted(FORMAT, epoch, seq, at()));
    lines.append("\"nanos\":%d,\"changes\":%d,\"journal\":%d,".formatted(nanos, changes, journal));
    lines.append(
        "\"sealed\":[%s],\"files\":%d}\n"
            .formatted(
                sealed.stream().map(String::valueOf).collect(Collectors.joining(",")),
                files.size()));
    for (Entry file : files) {
      lines.append(
          "{\"file\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\"}\n"
              .formatted(file.path(), file.bytes(), file.sha256()));
    }
    return CheckedLines.toBytes(lines);
  }

  /// Reads an object.
  ///
  /// @param object its name
  /// @throws ObjectsException.Damaged when it is not the one that was put there
  static Checkpoint read(String object, byte[] bytes) {
    List<String> lines = CheckedLines.read(object, bytes);
    Matcher head = HEAD.matcher(lines.isEmpty() ? "" : lines.getFirst());
    if (!head.matches() || Integer.parseInt(head.group(1)) != FORMAT) {
      throw new ObjectsException.Damaged(object, "not a checkpoint of format " + FORMAT);
    }
    List<Entry> files = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      Matcher file = FILE.matcher(line);
      if (!file.matches() || !isInside(file.group(1))) {
        throw new ObjectsException.Damaged(object, "a line that names no file");
      }
      files.add(new Entry(file.group(1), Long.parseLong(file.group(2)), file.group(3)));
    }
    var read =
        new Checkpoint(
            Integer.parseInt(head.group(2)),
            Long.parseLong(head.group(3)),
            Long.parseLong(head.group(4)),
            Long.parseLong(head.group(5)),
            Long.parseLong(head.group(6)),
            Arrays.stream(head.group(7).split(",", -1)).map(Long::valueOf).toList(),
            files);
    if (!read.name().equals(object) || files.size() != Integer.parseInt(head.group(8))) {
      throw new ObjectsException.Damaged(
          object, "it is %s, with %s files".formatted(read.name(), head.group(8)));
    }
    return read;
  }

  private static boolean isInside(String path) {
    return Arrays.stream(path.split("/", -1))
        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
  }

  /// Instants as text.
  static final class Times {
    private static final long SECOND = 1_000_000_000L;

    private Times() {}

    static String text(long nanos) {
      return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND), Math.floorMod(nanos, SECOND))
          .toString();
    }
  }
}
