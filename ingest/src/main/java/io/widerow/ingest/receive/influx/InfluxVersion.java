package io.widerow.ingest.receive.influx;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.http.HttpResponses;
import java.util.List;

/// The version of InfluxDB whose answers a client expects.
enum InfluxVersion {
  ONE,
  TWO,
  THREE;

  /// A refusal in the form of this version.
  HttpResponse error(HttpStatus status, String message) {
    if (this != TWO) {
      return HttpResponses.error(status, message);
    }
    String code =
        switch (status.code()) {
          case 400, 415 -> "invalid";
          case 413 -> "request too large";
          case 401 -> "unauthorized";
          case 403 -> "forbidden";
          default -> "unavailable";
        };
    StringBuilder json = new StringBuilder("{\"code\":\"").append(code).append("\",\"message\":");
    return HttpResponses.json(
        status, HttpResponses.appendString(json, message).append("}\n").toString());
  }

  /// The response of version 3 to a body with bad lines.
  ///
  /// @param stored whether the good lines are stored
  static HttpResponse badLines(
      boolean stored, List<LineProtocolDecoder.RefusedLine> lines, int count) {
    StringBuilder json = new StringBuilder("{\"error\":\"");
    json.append(stored ? "partial write of line protocol occurred" : "parsing failed for write_lp");
    json.append(stored ? "" : " endpoint").append("\",\"data\":[");
    String comma = "";
    for (LineProtocolDecoder.RefusedLine line : lines) {
      HttpResponses.appendString(json.append(comma).append("{\"original_line\":"), line.text());
      json.append(",\"line_number\":").append(line.number()).append(",\"error_message\":");
      HttpResponses.appendString(json, line.reason()).append('}');
      comma = ",";
    }
    json.append(']');
    if (count > lines.size()) {
      json.append(",\"notListed\":").append(count - lines.size());
    }
    return HttpResponses.json(HttpStatus.BAD_REQUEST, json.append("}\n").toString());
  }
}
