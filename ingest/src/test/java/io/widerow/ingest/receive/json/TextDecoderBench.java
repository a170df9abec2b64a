package io.widerow.ingest.receive.json;

import static java.util.Objects.requireNonNull;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/// Lines of a real access log, with their own time: in a named form, and found by sight.
public class TextDecoderBench extends DecoderBench {
  @Param({"clf", "auto"})
  private String ts = "clf";

  private @Nullable TextLinesDecoder decoder;

  @Override
  public String lines() throws IOException {
    decoder =
        new TextLinesDecoder(
            "web.access",
            TimePattern.of(ts, -1, ZoneOffset.UTC),
            new TextLinesDecoder.Start.EveryLine());
    return Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
        .limit(LINES)
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    requireNonNull(decoder).decode(body, 0, limit, batch);
  }
}
