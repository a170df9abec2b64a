package io.widerow.ingest.receive.json;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.annotations.Param;

/// JSON lines of a real access log, in several forms.
///
/// - `fields`: six fields in addition to time and type; one of them is null in some lines
/// - `body`: the whole line in one string
/// - `turns`: four types in turn, each with other fields
/// - `strange`: `fields`, with the members of each line in another order
public class JsonDecoderBench extends DecoderBench {
  private static final String START = "{\"ts\":\"2015-05-17T10:05:03.123Z\",\"type\":\"web.";

  private final JsonLinesDecoder decoder = new JsonLinesDecoder("");

  @Param({"fields", "body", "turns", "strange"})
  public String form = "fields";

  @Override
  public String lines() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    StringBuilder json = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      String line = lines.get(i);
      String[] words = line.split(" ", 12);
      String[] fields = {
        "\"client\":\"" + words[0] + '"',
        "\"method\":" + words[5] + '"',
        "\"path\":\"" + words[6].replace("\\", "").replace("\"", "") + '"',
        "\"status\":" + words[8],
        "\"bytes\":" + (words[9].equals("-") ? "null" : words[9]),
        "\"agent\":" + words[11].replace("\\", "")
      };
      json.append(START).append(form.equals("turns") ? "" + i % 4 : "access").append("\",");
      switch (form) {
        case "fields" -> json.append(String.join(",", fields));
        case "body" ->
            json.append("\"body\":\"")
                .append(line.replace("\\", "\\\\").replace("\"", "\\\""))
                .append('"');
        case "turns" -> {
          fields[i % 4] = "\"turn\":" + i + ",\"seconds\":0." + i;
          json.append(String.join(",", fields));
        }
        default -> {
          for (int field = 0; field < fields.length; field++) {
            int other = (field * 7 + i * 31) % fields.length;
            String kept = fields[field];
            fields[field] = fields[other];
            fields[other] = kept;
          }
          json.append(String.join(",", fields));
        }
      }
      json.append("}\n");
    }
    return json.toString();
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
