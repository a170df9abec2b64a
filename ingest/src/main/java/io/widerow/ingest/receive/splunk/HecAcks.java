package io.widerow.ingest.receive.splunk;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.lane.BatchOutcome;
import java.nio.charset.StandardCharsets;

/// `POST /services/collector/ack`: whether events are stored that were sent with a channel. A
/// client gets the id of its events only after they are stored. So every valid id is `true`.
///
/// - Threads: one request.
final class HecAcks implements WriteProtocol {
  private static final byte[] ACKS = "acks".getBytes(StandardCharsets.US_ASCII);
  private static final String WRONG = "must be {\"acks\":[0,1,...]}";

  private final StringBuilder answer = new StringBuilder("{\"acks\":{");
  private boolean asked;

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    AttributeTape tape = new AttributeTape(new AttributeLevels(""));
    JsonScanner json = new JsonScanner(body, 0, length, false);
    tape.begin(body);
    try {
      new JsonAttributes(tape).object(json, this::member);
      if (!asked) {
        throw new JsonScanner.Bad("no acks");
      }
    } catch (JsonScanner.Bad bad) {
      throw RequestRefused.bad("%s at byte %d: %s".formatted(bad.getMessage(), json.at, WRONG));
    }
    answer.append("}}\n");
  }

  private boolean member(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    if (!member.isNamed(json, ACKS)) {
      return false;
    }
    json.expect('[');
    asked = true;
    String comma = "";
    while (json.peek() != ']') {
      if (!comma.isEmpty()) {
        json.expect(',');
      }
      json.requireNumber(json.peek());
      json.number();
      if (!json.whole) {
        throw new JsonScanner.Bad(WRONG);
      }
      answer.append(comma).append('"').append(json.wholeValue).append("\":true");
      comma = ",";
    }
    json.at++;
    return true;
  }

  @Override
  public HttpResponse answer(BatchOutcome outcome) {
    return HttpResponses.json(HttpStatus.OK, answer.toString());
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    return answer(stored);
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return HecProtocol.of(refused, 4);
  }
}
