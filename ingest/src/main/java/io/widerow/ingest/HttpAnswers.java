package io.widerow.ingest;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/// Builds the JSON answers that several endpoints share.
final class HttpAnswers {
  private static final int LISTED_MAX = 10_000;
  private static final int RETRY_SECONDS_MAX = 5;

  private HttpAnswers() {}

  static HttpResponse json(HttpStatus status, String json) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(status).contentType(MediaType.JSON_UTF_8);
    if (status.code() == 503 || status.code() == 429 || status.code() == 507) {
      int seconds = ThreadLocalRandom.current().nextInt(1, RETRY_SECONDS_MAX + 1);
      headers.addInt(HttpHeaderNames.RETRY_AFTER, seconds); // random, to spread the retries
    }
    return HttpResponse.of(headers.build(), HttpData.ofUtf8(json));
  }

  static HttpResponse error(HttpStatus status, String why) {
    return json(
        status, appendString(new StringBuilder("{\"error\":"), why).append("}\n").toString());
  }

  /// `{"accepted":n,"rejected":[{"index":i,"reason":"..."}],"durability":"disk"}`. A repeat has
  /// accepted nothing, and says how many events are there already: `"accepted":0,"duplicate":n`.
  static HttpResponse stored(Outcome.Stored stored) {
    Refusals refused = stored.refused();
    StringBuilder json = new StringBuilder(128);
    json.append("{\"accepted\":").append(stored.accepted());
    if (stored.duplicates() > 0) {
      json.append(",\"duplicate\":").append(stored.duplicates());
    }
    json.append(",\"rejected\":[");
    int listed = Math.min(refused.listed(), LISTED_MAX);
    for (int i = 0; i < listed; i++) {
      json.append(i == 0 ? "{\"index\":" : ",{\"index\":").append(refused.index(i));
      appendString(json.append(",\"reason\":"), refused.reason(i)).append('}');
    }
    json.append("],\"durability\":\"");
    json.append(stored.durability().name().toLowerCase(Locale.ROOT)).append('"');
    if (refused.count() > listed) {
      json.append(",\"rejectedNotListed\":").append(refused.count() - listed);
    }
    boolean none = stored.accepted() + stored.duplicates() == 0 && refused.count() > 0;
    return json(none ? HttpStatus.BAD_REQUEST : HttpStatus.OK, json.append("}\n").toString());
  }

  static StringBuilder appendString(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f) {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"');
  }
}
