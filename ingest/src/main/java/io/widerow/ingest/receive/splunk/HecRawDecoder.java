package io.widerow.ingest.receive.splunk;

import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decodes the lines of `/services/collector/raw`: each is the text of one event. What all have in
/// common is in the parameters: `time`, `host`, `source`, `sourcetype`, `index`. Blank lines do not
/// count.
///
/// - Threads: one.
final class HecRawDecoder {
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
  private static final List<String> COMMON = List.of("host", "source", "index");

  private final AttributeTape tape = new AttributeTape(new AttributeLevels(""));
  private final int bodyName = tape.constant(BODY);
  private final byte[] type;
  private final String time;
  private final SenderTime given = new SenderTime();
  private final int[] common = new int[2 * COMMON.size()]; // names and values in the scratch
  private final byte[][] commonValues = new byte[COMMON.size()][];

  /// @param wantedType of all events; null for the parameter `sourcetype`
  HecRawDecoder(QueryParams parameters, @Nullable String wantedType) {
    String named = wantedType != null ? wantedType : parameters.get("sourcetype", "");
    type = named.isEmpty() ? HecDecoder.DEFAULT_TYPE : named.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < commonValues.length; i++) {
      commonValues[i] = parameters.get(COMMON.get(i), "").getBytes(StandardCharsets.UTF_8);
      common[2 * i] = tape.constant(COMMON.get(i).getBytes(StandardCharsets.US_ASCII));
      common[2 * i + 1] = tape.constant(commonValues[i]);
    }
    time = parameters.get("time", "");
  }

  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    for (int at = offset; at < limit; ) {
      int newline = Swar.newline(body, at, limit);
      int end = newline > at && body[newline - 1] == '\r' ? newline - 1 : newline;
      if (end > at) {
        line(body, at, end, batch);
      }
      at = newline + 1;
    }
  }

  private void line(byte[] body, int offset, int end, IncomingBatch batch) {
    tape.begin(body);
    tape.name(true, bodyName, BODY.length);
    tape.string(false, offset, end - offset);
    for (int i = 0; i < commonValues.length; i++) {
      if (commonValues[i].length > 0) {
        tape.name(true, common[2 * i], COMMON.get(i).length());
        tape.string(true, common[2 * i + 1], commonValues[i].length);
      }
    }
    given.clear();
    if (!time.isEmpty()) {
      given.text(time, batch.wallNanos);
    }
    long nanos = given.take(batch, tape);
    batch.events.begin(type, 0, type.length, nanos);
    tape.writeTo(batch.events);
    boolean _ = batch.end(tape, type, 0, type.length);
  }
}
