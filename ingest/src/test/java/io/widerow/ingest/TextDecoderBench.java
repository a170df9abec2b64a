package io.widerow.ingest;

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
  String lines() throws IOException {
    return Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
        .limit(LINES)
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Override
  void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
