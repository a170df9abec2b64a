package io.widerow.ingest.transform;

import com.google.re2j.Pattern;
import io.widerow.event.EventLayout;
import io.widerow.ingest.Decoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Fuzz target of the rules: whatever the file, it is refused with a line, or its rules make of
/// events what they say. Input is a rule file, an empty line, and JSON lines.
public final class TransformsFuzz {
  private TransformsFuzz() {}

  public static List<byte[]> seeds() {
    String events =
        """


        {"a":"x@y.z 5","b":7,"c":{"d":[1,"x@y"]},"e":true}
        bad
        {"type":"u","a":1.5,"level":"debug"}
        """;
    List<byte[]> seeds = new ArrayList<>();
    for (String rules :
        List.of(
            "drop a, c.*",
            "rename a -> b, c.d -> a",
            "redact a, c.* with /[\\w.]+@[\\w.]+/ -> \"<$$>\"",
            "redact * with /(x)@(y)?/ -> \"$2$1\"\nredact e",
            "key \"0123456789abcdef\"\nhash a, b",
            "when level = \"debug\" and type ~ \"u\" then drop event",
            "parse a as logfmt\nparse as json overwrite\nset z = 1, a = \"x\", y = true, x = 0.5",
            "copy a -> b, b -> q\nmove to type \"v\"\nwhen type = \"v\" then sample 50%",
            "parse a as pattern \"<u>@<v>\"\nparse a as grok `%{WORD:w}`\nsample 1% by b",
            "when not (b in (1, 7) or a contains \"z\") then drop `a`, * # all")) {
      seeds.add((rules + events).getBytes(StandardCharsets.UTF_8));
    }
    return seeds;
  }

  public static void rules(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\n\n");
    int limit = end < 0 ? input.length : end;
    TransformSet set;
    try {
      String file = new String(input, 0, limit, StandardCharsets.UTF_8);
      set = TransformSet.parse(file, Decoding.ARRIVAL_NANOS);
    } catch (TransformMistake refused) {
      if (!String.valueOf(refused.getMessage()).matches("line \\d+: .*")) {
        throw new AssertionError(refused);
      }
      return; // the documented refusal
    }
    byte[] body = Arrays.copyOfRange(input, limit, input.length);
    Transformed before =
        Transformed.of(
            new TransformRun(new TransformSet(List.of(), set.key(), Map.of())), body, max());
    Transformed after = Transformed.of(new TransformRun(set), body, max());
    int came = before.stored().size() + before.refused().size();
    if (came != after.stored().size() + after.refused().size() + after.dropped()) {
      throw new AssertionError("an event is neither stored nor refused nor dropped");
    }
    if (after.indexes().size() != after.stored().size()) {
      throw new AssertionError("an event without its index");
    }
    boolean moves = set.rules().stream().anyMatch(r -> r.action() instanceof Action.MoveToType);
    boolean adds = set.rules().stream().anyMatch(TransformsFuzz::adds);
    for (int i = 0; i < after.stored().size(); i++) {
      int place = before.indexes().indexOf(after.indexes().get(i));
      var source = before.stored().get(place);
      var event = after.stored().get(i);
      if (source.timeNanos() != event.timeNanos()
          || (!moves && !source.type().equals(event.type()))
          || !Objects.equals(source.ownId(), event.ownId())
          || (!adds && source.attributes().size() < event.attributes().size())) {
        throw new AssertionError(source + " becomes " + event);
      }
    }
    for (Transform rule : set.rules()) {
      if (rule.action() instanceof Action.Redact redact && redact.pattern() != null) {
        requiredByteIsRequired(redact.pattern(), before);
      }
    }
  }

  private static boolean adds(Transform rule) {
    return rule.action() instanceof Action.Parse
        || rule.action() instanceof Action.SetValue
        || rule.action() instanceof Action.Copy;
  }

  private static int max() {
    return EventLayout.EVENT_BYTES_MAX;
  }

  /// A text without the byte has no match, but of nothing.
  private static void requiredByteIsRequired(Pattern pattern, Transformed events) {
    int required = RequiredByte.of(pattern.pattern());
    for (var event : events.stored()) {
      for (Map.Entry<String, Object> entry : event.attributes().entrySet()) {
        String value = String.valueOf(entry.getValue());
        if (required >= 0 && value.indexOf(required) < 0 && pattern.matcher(value).find()) {
          throw new AssertionError(pattern + " finds something in " + value);
        }
      }
    }
  }
}
