package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.Target;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The target's answer to one batch.
///
/// @param accepted number of events that it accepted, now or, for a repeat, earlier
/// @param failure why not all were accepted, or null
/// @param body the response's text when it says more than success
public record Reply(int accepted, @Nullable Failure failure, String body) {
  public static Reply accepted(int events) {
    return new Reply(events, null, "");
  }

  public static Reply failed(Failure failure, String body) {
    return new Reply(0, failure, body);
  }

  /// The same with a failure when nothing else failed: the header `widerow-durability` of a
  /// response names a level below the one that was asked for. The events are accepted.
  Reply atLevel(@Nullable String named) {
    return named == null || failure != null
        ? this
        : new Reply(accepted, Failure.WEAKER, "kept at the level " + named + "; " + body);
  }

  /// How answers are read into text: those of protobuf byte for byte.
  static Charset charset(Target target) {
    return target == Target.OTLP || target == Target.OTLP_METRICS
        ? StandardCharsets.ISO_8859_1
        : StandardCharsets.UTF_8;
  }

  /// Reads the answer to a write of `events` events in the form that the target's protocol has.
  static Reply of(Target target, int status, String body, int events) {
    if (status == 200 || status == 202 || status == 204) {
      int accepted =
          switch (target) {
            case OTLP, OTLP_GRPC, OTLP_METRICS -> events - rejected(body);
            case OTLP_JSON -> events - number(body, "\"rejectedLogRecords\":", 0);
            case BULK -> events - count(body, "\"error\":");
            // A repeat was stored when the batch was first sent.
            default -> number(body, "\"accepted\":", events) + number(body, "\"duplicate\":", 0);
          };
      return new Reply(accepted, accepted < events ? Failure.REJECTED : null, body);
    }
    if (status == 400 && body.contains("partial write")) {
      return new Reply(
          Math.max(0, events - number(body, "dropped=", events)), Failure.REJECTED, body);
    }
    return failed(Failure.ofStatus(status), body);
  }

  /// The count in a `partial_success` of OTLP: field 1 with a message, whose field 1 is a varint.
  private static int rejected(String body) {
    if (body.length() < 4 || body.charAt(0) != 0x0a) {
      return 0;
    }
    int at = body.charAt(1) < 0x80 ? 2 : 3; // after the length, which is below 16 KiB
    if (body.charAt(at++) != 0x08) {
      return 0; // a warning
    }
    int rejected = 0;
    for (int shift = 0; at < body.length() && shift < Integer.SIZE; shift += 7) {
      char next = body.charAt(at++);
      rejected |= (next & 0x7f) << shift;
      if (next < 0x80) {
        break;
      }
    }
    return rejected;
  }

  private static int count(String body, String what) {
    int count = 0;
    for (int at = body.indexOf(what); at >= 0; at = body.indexOf(what, at + what.length())) {
      count++;
    }
    return count;
  }

  /// The integer that follows `name`, perhaps in quotes, or `otherwise`.
  private static int number(String body, String name, int otherwise) {
    int found = body.indexOf(name);
    if (found < 0) {
      return otherwise;
    }
    int number = 0;
    int from = found + name.length();
    for (int i = from; i < body.length(); i++) {
      char c = body.charAt(i);
      if (c == '"' && i == from) {
        continue;
      }
      if (c < '0' || c > '9') {
        break;
      }
      number = number * 10 + (c - '0');
    }
    return number;
  }
}
