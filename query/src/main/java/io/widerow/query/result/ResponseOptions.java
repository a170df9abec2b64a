package io.widerow.query.result;

import io.widerow.query.QueryException;
import io.widerow.query.RangeReader;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.ScanWatch;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Options of an HTTP response in addition to the events.
///
/// @param explain whether its last line has the read statistics
/// @param plan whether that is its only line, and nothing is read
/// @param progress whether some lines report the progress
/// @param level whether each event has its level, see [io.widerow.event.Level]
/// @param download name of the file in which a browser keeps it; null for none
/// @param coldBudget bytes of cold segments that may be fetched; null for the usual limit
public record ResponseOptions(
    boolean explain,
    boolean plan,
    boolean progress,
    boolean level,
    @Nullable String download,
    @Nullable Long coldBudget) {
  static final ResponseOptions NONE = new ResponseOptions(false, false, false, false, null, null);

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._ -]{0,99}");
  private static final Pattern BYTES = Pattern.compile("\\d{1,18}");

  /// @throws QueryException.Refused when a value makes no sense
  static ResponseOptions parse(Map<String, List<String>> given, QueryParameters.Format format) {
    String download = RequestParameters.single(given, "download");
    if (download != null && !NAME.matcher(download).matches()) {
      throw new QueryException.Refused(
          "download",
          "a file's name of up to 100 letters, digits, '.', '_', '-' and spaces, got " + download);
    }
    boolean plan = "plan".equals(RequestParameters.single(given, "explain"));
    ResponseOptions extras =
        new ResponseOptions(
            plan || flag(given, "explain"),
            plan,
            flag(given, "progress"),
            flag(given, "level"),
            download,
            coldBudget(RequestParameters.single(given, "cold-budget")));
    if (extras.level && (format != QueryParameters.Format.JSON || showsNoEvents(given))) {
      throw new QueryException.Refused(
          "level", "is of whole events in JSON; not together with csv, fields and stats");
    }
    if (format != QueryParameters.Format.JSON && (extras.explain || extras.progress)) {
      throw new QueryException.Refused(
          extras.explain ? "explain" : "progress", "is a line of JSON; not together with csv");
    }
    return extras;
  }

  private static @Nullable Long coldBudget(@Nullable String text) {
    if (text != null && !BYTES.matcher(text).matches()) {
      throw new QueryException.Refused(
          "cold-budget", "must be a number of bytes that may be fetched, got " + text);
    }
    return text == null ? null : Long.valueOf(text);
  }

  private static boolean showsNoEvents(Map<String, List<String>> given) {
    return given.containsKey("stats") || given.containsKey("fields");
  }

  private static boolean flag(Map<String, List<String>> given, String name) {
    String value = RequestParameters.single(given, name);
    if (value == null || value.equals("0") || value.equals("false")) {
      return false;
    }
    if (value.equals("1") || value.equals("true")) {
      return true;
    }
    String values = name.equals("explain") ? "1, 0 or plan" : "1 or 0";
    throw new QueryException.Refused(name, "must be %s, got %s".formatted(values, value));
  }

  /// The value of the header `widerow-damage`; null when aggregates lack no damaged part.
  public static @Nullable String damage(RangeReader reader) {
    return damage(reader.unread());
  }

  /// The same of any answer.
  ///
  /// @param unread the damaged parts that it lacks
  public static @Nullable String damage(List<ScanWatch.Unread> unread) {
    return unread.isEmpty() ? null : UnreadText.header(unread);
  }

  /// Writes the last lines of a result: the damaged parts that it lacks.
  public static void damage(List<ScanWatch.Unread> unread, OutputBuffer out) {
    UnreadText.lines(unread, out);
  }

  /// Writes how far a result is.
  ///
  /// @param events how many were looked at
  /// @param all how many there are, about
  public static void putProgress(long events, long all, OutputBuffer out) {
    long share = all <= 0 ? 0 : Math.clamp(100 * events / all, 0, 99);
    out.put("{\"progress\":0.%02d,\"events\":%d}%n".formatted(share, events));
  }
}
