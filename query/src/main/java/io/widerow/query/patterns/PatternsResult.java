package io.widerow.query.patterns;

import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.Json;
import java.util.List;
import java.util.Locale;

/// Writes the patterns of a [PatternsScan] as JSON lines:
///
/// ```
/// {"events":10000,"lines":10000,"patterns":12,"exact":true}
/// {"pattern":"user <_> logged in","type":"app","count":212,"share":0.0212,"first":"2016-12-19T..",
///  "last":"2016-12-19T..","id":"a3b70f20-..","sample":"user ann logged in"}
/// ```
final class PatternsResult {
  private PatternsResult() {}

  static void write(PatternsRequest asked, PatternsScan scan, OutputBuffer out) {
    double read = scan.run();
    PatternCounts counts = scan.counts();
    List<Pattern> patterns = counts.patterns();
    out.put("{\"events\":%d,\"lines\":%d".formatted(scan.events(), counts.lines()));
    out.put(",\"patterns\":" + patterns.size());
    if (counts.others() > 0) {
      out.put(",\"others\":" + counts.others());
    }
    out.put(Json.exact(read, scan.damage()) + "}\n");
    patterns.stream().limit(asked.limit()).forEach(pattern -> write(pattern, counts.lines(), out));
  }

  private static void write(Pattern pattern, long lines, OutputBuffer out) {
    out.put("{\"pattern\":" + Json.string(pattern.shape()));
    out.put(",\"type\":" + Json.string(pattern.type()));
    out.put(",\"count\":" + pattern.lines());
    out.put(String.format(Locale.ROOT, ",\"share\":%.4f", (double) pattern.lines() / lines));
    out.put(",\"first\":\"" + Json.time(pattern.firstNanos()));
    out.put("\",\"last\":\"" + Json.time(pattern.lastNanos()));
    out.put("\",\"id\":\"" + pattern.firstId());
    out.put("\",\"sample\":" + Json.string(pattern.sample()) + "}\n");
  }
}
