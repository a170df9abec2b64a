package io.widerow.ingest.serve.status;

import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.transform.TransformFile;

/// The transforms in `/v1/status` and in `/metrics`: counts since the start, and those of each rule
/// since the file was loaded.
final class TransformReport {
  private static final String BY_RULE = "widerow_transforms_rule_events_total";

  private TransformReport() {}

  /// Appends the members of an object.
  static void append(StringBuilder json, TransformFile transforms) {
    HttpResponses.appendString(json.append("\"file\":"), transforms.file().toString());
    json.append(",\"transforms\":").append(transforms.rules());
    json.append(",\"changed\":").append(transforms.changed());
    json.append(",\"dropped\":").append(transforms.dropped());
    json.append(",\"refused\":").append(transforms.refused());
    String comma = ",\"rules\":[";
    for (TransformFile.OfRule rule : transforms.byRule()) {
      json.append(comma).append("{\"line\":").append(rule.line());
      json.append(",\"changed\":").append(rule.changed());
      json.append(",\"failed\":").append(rule.failed()).append('}');
      comma = ",";
    }
    json.append(comma.equals(",") ? "]" : "");
    String problem = transforms.problem();
    if (problem != null) {
      HttpResponses.appendString(json.append(",\"problem\":"), problem);
    }
  }

  /// Rules of one line, such as `rename a -> b, c -> d`, count together.
  static void appendMetrics(MetricText text, TransformFile transforms) {
    text.head(
        BY_RULE, "counter", "Events that the rules of a line changed, and at which they failed.");
    long changed = 0;
    long failed = 0;
    int line = 0;
    for (TransformFile.OfRule rule : transforms.byRule()) {
      if (rule.line() != line) {
        append(text, line, changed, failed);
        changed = 0;
        failed = 0;
        line = rule.line();
      }
      changed += rule.changed();
      failed += rule.failed();
    }
    append(text, line, changed, failed);
  }

  private static void append(MetricText text, int line, long changed, long failed) {
    if (line > 0) {
      text.line(BY_RULE + "{line=\"" + line + "\",result=\"changed\"}", changed);
      text.line(BY_RULE + "{line=\"" + line + "\",result=\"failed\"}", failed);
    }
  }
}
