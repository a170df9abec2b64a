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

/// Lines of real logs with their own times, in a named form and found by sight: an access log, with
/// the time in the middle, and a broker log, with the time at the front.
public class TextDecoderBench extends DecoderBench {
  @Param({"apache_access:clf", "apache_access:auto", "kafka_broker:log4j", "kafka_broker:auto"})
  private String log = "apache_access:clf";

  private @Nullable TextLinesDecoder decoder;

  @Override
  public String lines() throws IOException {
    decoder =
        new TextLinesDecoder(
            "web.access",
            TimePattern.of(log.substring(log.indexOf(':') + 1), -1, ZoneOffset.UTC),
            new TextLinesDecoder.Start.EveryLine());
    String file = log.substring(0, log.indexOf(':'));
    return Files.readAllLines(Path.of("../loadgen/logs/" + file + ".log")).stream()
        .filter(
            line -> line.length() > 11 && (line.charAt(0) == '[' || file.equals("apache_access")))
        .limit(LINES)
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    requireNonNull(decoder).decode(body, 0, limit, batch);
  }
}
