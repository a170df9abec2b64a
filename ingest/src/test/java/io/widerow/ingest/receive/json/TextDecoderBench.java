package io.widerow.ingest.receive.json;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/// Lines of a real access log, with their own time.
public class TextDecoderBench extends DecoderBench {
  private final TextLinesDecoder decoder =
      new TextLinesDecoder(
          "web.access", new TimePattern.Clf(), new TextLinesDecoder.Start.EveryLine());

  @Override
  public String lines() throws IOException {
    return Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
        .limit(LINES)
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
