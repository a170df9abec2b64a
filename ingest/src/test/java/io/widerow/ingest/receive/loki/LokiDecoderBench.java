package io.widerow.ingest.receive.loki;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.ProtobufReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/// Pushes of a real access log in one stream: its lines as they are, and its lines with the fields
/// of [io.widerow.ingest.receive.json.JsonDecoderBench] as structured metadata.
public class LokiDecoderBench extends DecoderBench {
  private static final long NANOS = 1_431_857_103_123_000_000L;
  private static final String[] FIELDS = {"client", "method", "path", "status", "bytes", "agent"};

  @Param({"protobuf:lines", "protobuf:fields", "json:lines", "json:fields"})
  private String form = "protobuf:lines";

  @Param({"true", "false"})
  private boolean levels = true;

  private @Nullable LokiProtobufDecoder protobuf;
  private @Nullable LokiJsonDecoder json;

  @Override
  public String lines() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    return lines.subList(0, LINES).stream().collect(Collectors.joining("\n"));
  }

  @Override
  public byte[] body() throws IOException {
    List<byte[]> entries = new ArrayList<>();
    StringBuilder values = new StringBuilder();
    for (String line : lines().split("\n", -1)) {
      String[] words = line.split(" ", 12);
      String[] found = {words[0], words[5].substring(1), words[6], words[8], words[9], words[11]};
      boolean fields = form.endsWith(":fields");
      List<String> metadata = new ArrayList<>();
      StringBuilder object = new StringBuilder();
      for (int i = 0; i < FIELDS.length && fields; i++) {
        metadata.add(FIELDS[i]);
        metadata.add(found[i]);
        object.append(i == 0 ? ",{" : ",").append(quoted(FIELDS[i])).append(':');
        object.append(quoted(found[i]));
      }
      String text = fields ? "" : line;
      long nanos = NANOS + entries.size();
      entries.add(LokiMessages.entry(nanos, text, metadata.toArray(String[]::new)));
      values.append(values.isEmpty() ? "[\"" : ",[\"").append(nanos).append("\",");
      values.append(quoted(text)).append(object).append(fields ? "}]" : "]");
    }
    if (form.startsWith("protobuf:")) {
      protobuf = new LokiProtobufDecoder(null, levels);
      return LokiMessages.stream("{job=\"web.access\"}", entries.toArray(byte[][]::new));
    }
    json = new LokiJsonDecoder(null, levels);
    return "{\"streams\":[{\"stream\":{\"job\":\"web.access\"},\"values\":[%s]}]}"
        .formatted(values)
        .getBytes(UTF_8);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    try {
      if (json == null) {
        requireNonNull(protobuf).decode(body, limit, batch);
      } else {
        json.decode(body, limit, batch);
      }
    } catch (ProtobufReader.Bad | JsonScanner.Bad bad) {
      throw new IllegalStateException(bad);
    }
  }
}
