package io.widerow.ingest.receive.json;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// JSON lines with the fields of a real access log.
public class JsonDecoderBench extends DecoderBench {
  private final JsonLinesDecoder decoder = new JsonLinesDecoder("");

  @Override
  public String lines() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    StringBuilder json = new StringBuilder();
    for (String line : lines.subList(0, LINES)) {
      String[] words = line.split(" ", 12);
      json.append("{\"ts\":\"2015-05-17T10:05:03.123Z\",\"type\":\"web.access\",\"client\":\"");
      json.append(words[0]).append("\",\"method\":").append(words[5]).append("\",\"path\":\"");
      json.append(words[6].replace("\\", "").replace("\"", ""))
          .append("\",\"status\":")
          .append(words[8]);
      json.append(",\"bytes\":").append(words[9].equals("-") ? "null" : words[9]);
      json.append(",\"agent\":").append(words[11].replace("\\", "")).append("}\n");
    }
    return json.toString();
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
