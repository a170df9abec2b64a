package io.widerow.ingest.transform;

import static java.util.Objects.requireNonNull;

import io.widerow.event.EventBatch;
import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.receive.json.TextLinesDecoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/// What do rules cost, after the decoding of a line of an access log? None; some for another type;
/// one that finds no such name; an expression with and without a match; fields of a text in six
/// ways.
public class TransformsBench extends DecoderBench {
  @Param({
    "none",
    "otherType",
    "noSuchName",
    "noMatch",
    "address",
    "drop",
    "clf",
    "nginx",
    "pattern",
    "regexp",
    "grok",
    "sight"
  })
  private String rules = "none";

  private final EventBatch spare = new EventBatch(4 << 20, 64 << 20);
  private @Nullable TextLinesDecoder decoder;
  private @Nullable TransformRun run;

  @Override
  public String lines() throws IOException {
    decoder =
        new TextLinesDecoder(
            "web.access",
            TimePattern.of("clf", -1, ZoneOffset.UTC),
            new TextLinesDecoder.Start.EveryLine());
    String text =
        switch (rules) {
          case "otherType" -> "when type = \"app\" then redact body";
          case "noSuchName" -> "drop password, http.request.headers.*";
          case "noMatch" -> "redact body with /[\\w.]+@[\\w.]+\\.example/";
          case "address" -> "redact body with /^\\d+\\.\\d+\\.\\d+\\.\\d+/ -> \"-\"";
          case "drop" -> "drop body";
          case "clf" -> "parse as clf";
          case "nginx" -> "parse as nginx";
          case "pattern" ->
              "parse as pattern `<client> - <user> [<time>] \"<method> <path> <protocol>\" <status>"
                  + " <bytes> \"<referrer>\" \"<agent>\"`";
          case "regexp" ->
              "parse as regexp /^(?P<client>\\S+) \\S+ (?P<user>\\S+) \\[(?P<time>[^\\]]+)\\]"
                  + " \"(?P<method>\\S+) (?P<path>\\S+) [^\"]*\" (?P<status>\\d+) (?P<bytes>\\S+)/";
          case "grok" -> "parse as grok `%{COMBINEDAPACHELOG}`";
          case "sight" -> "parse by sight";
          default -> "";
        };
    try {
      run = text.isEmpty() ? null : new TransformRun(TransformSet.parse(text, 0));
    } catch (TransformMistake mistake) {
      throw new IllegalStateException(mistake);
    }
    return Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
        .limit(LINES)
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    requireNonNull(decoder).decode(body, 0, limit, batch);
    if (run != null) {
      run.apply(batch, spare);
      spare.clear();
    }
  }
}
