package io.widerow.cli.ship;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Lines of a Loki as a push for the daemon, which makes of them what it makes of every push.
///
/// - Threads: any; it never changes.
///
/// @param key its idempotency key, the same for the same lines of an import
/// @param count of lines
/// @param json the push; not copied
@SuppressWarnings("ArrayRecordComponent") // never compared
record LokiBatch(String key, int count, byte[] json) implements Delivery {
  private static final Pattern REFUSED =
      Pattern.compile("(\\d+) of \\d+ entries are refused(.*)", Pattern.DOTALL);

  static LokiBatch of(String key, List<LokiLine> lines) {
    Map<SortedMap<String, String>, List<LokiLine>> streams = new LinkedHashMap<>();
    lines.forEach(line -> streams.computeIfAbsent(line.labels(), _ -> new ArrayList<>()).add(line));
    JsonBuffer out = new JsonBuffer(1 << 16);
    out.put("{\"streams\":[");
    String comma = "";
    for (Map.Entry<SortedMap<String, String>, List<LokiLine>> stream : streams.entrySet()) {
      out.put(comma + "{\"stream\":");
      object(stream.getKey(), out);
      out.put(",\"values\":[");
      comma = "";
      for (LokiLine line : stream.getValue()) {
        out.put(comma + "[\"" + line.nanos() + "\",");
        out.putString(line.line());
        if (!line.metadata().isEmpty()) {
          out.put(",");
          object(line.metadata(), out);
        }
        out.put("]");
        comma = ",";
      }
      out.put("]}");
      comma = ",";
    }
    out.put("]}");
    return new LokiBatch(key, lines.size(), out.copy(out.length()));
  }

  private static void object(Map<String, String> members, JsonBuffer out) {
    String comma = "{";
    for (Map.Entry<String, String> member : members.entrySet()) {
      out.put(comma);
      out.putString(member.getKey());
      out.put(":");
      out.putString(member.getValue());
      comma = ",";
    }
    out.put(members.isEmpty() ? "{}" : "}");
  }

  @Override
  public String path() {
    return "/loki/api/v1/push";
  }

  @Override
  public String mediaType() {
    return "application/json";
  }

  @Override
  public String parameters() {
    return "";
  }

  @Override
  public @Nullable BatchResponse response(int status, String body) {
    if (status == 204) {
      return new BatchResponse(count, 0, 0, List.of());
    }
    Matcher refused = REFUSED.matcher(body.strip());
    if (status != 400 || !refused.matches()) {
      return null;
    }
    long number = Long.parseLong(refused.group(1));
    List<BatchResponse.Refusal> first = new ArrayList<>();
    first.add(new BatchResponse.Refusal(0, body.strip()));
    return new BatchResponse(count - number, 0, number, first);
  }

  @Override
  public long fileBytes() {
    return json.length;
  }

  @Override
  public String place(int index) {
    int end = Math.min(json.length, 200);
    return "of the push " + new String(json, 0, end, StandardCharsets.UTF_8) + "...";
  }
}
