package io.widerow.ingest.receive.otlp;

import com.google.protobuf.util.JsonFormat;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.annotations.Param;

/// OTLP with the fields of a real access log, the same as the bench of JSON lines has.
public class OtlpBench extends DecoderBench {
  private static final long TIME = 1_431_857_103_123_000_000L;

  @Param({"protobuf", "json"})
  public String form = "";

  @Override
  public String lines() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    return String.join("\n", lines.subList(0, LINES));
  }

  @Override
  public byte[] body() throws IOException {
    ScopeLogs.Builder logs = ScopeLogs.newBuilder();
    for (String line : lines().split("\n", -1)) {
      String[] words = line.split(" ", 12);
      LogRecord.Builder record = LogRecord.newBuilder().setTimeUnixNano(TIME);
      text(record, "client", words[0]);
      text(record, "method", words[5].substring(1));
      text(record, "path", words[6].replace("\\", "").replace("\"", ""));
      whole(record, "status", words[8]);
      if (!words[9].equals("-")) {
        whole(record, "bytes", words[9]);
      }
      text(record, "agent", words[11].replace("\\", "").replace("\"", ""));
      logs.addLogRecords(record);
    }
    Resource.Builder resource = Resource.newBuilder();
    resource.addAttributes(
        KeyValue.newBuilder()
            .setKey("service.name")
            .setValue(AnyValue.newBuilder().setStringValue("web.access")));
    ExportLogsServiceRequest request =
        ExportLogsServiceRequest.newBuilder()
            .addResourceLogs(ResourceLogs.newBuilder().setResource(resource).addScopeLogs(logs))
            .build();
    return form.equals("protobuf")
        ? request.toByteArray()
        : JsonFormat.printer()
            .omittingInsignificantWhitespace()
            .print(request)
            .getBytes(StandardCharsets.UTF_8);
  }

  private static void text(LogRecord.Builder record, String name, String value) {
    record.addAttributes(
        KeyValue.newBuilder().setKey(name).setValue(AnyValue.newBuilder().setStringValue(value)));
  }

  private static void whole(LogRecord.Builder record, String name, String value) {
    record.addAttributes(
        KeyValue.newBuilder()
            .setKey(name)
            .setValue(AnyValue.newBuilder().setIntValue(Long.parseLong(value))));
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    try {
      if (form.equals("protobuf")) {
        new LogDecoder(null).decode(body, limit, batch);
      } else {
        new LogDecoder(null).decodeJson(body, limit, batch);
      }
    } catch (ProtobufReader.Bad | BadField bad) {
      throw new IllegalStateException(bad);
    }
  }
}
