package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// Builds responses that several endpoints share.
public final class HttpResponses {
  public static final MediaType LINES = MediaType.parse("application/x-ndjson");
  private static final int LISTED_MAX = 10_000;
  private static final int LISTED_OF_NONE_MAX = 100; // when nothing was stored
  private static final int RETRY_SECONDS_MAX = 5;

  private HttpResponses() {}

  public static HttpResponse json(HttpStatus status, String json) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(status).contentType(MediaType.JSON_UTF_8);
    addAdvice(headers);
    return HttpResponse.of(headers.build(), HttpData.ofUtf8(json));
  }

  /// Objects of JSON, one a line.
  public static HttpResponse lines(HttpData lines) {
    return HttpResponse.of(HttpStatus.OK, LINES, lines);
  }

  /// Plain text, for protocols whose errors are text.
  public static HttpResponse text(HttpStatus status, String text) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(status).contentType(MediaType.PLAIN_TEXT_UTF_8);
    addAdvice(headers);
    return HttpResponse.of(headers.build(), HttpData.ofUtf8(text));
  }

  /// Adds what goes with a status: how to authenticate, when to come back.
  public static void addAdvice(ResponseHeadersBuilder headers) {
    HttpStatus status = headers.status();
    if (status.code() == 401) {
      headers.add(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    if (status.code() == 503 || status.code() == 429 || status.code() == 507) {
      int seconds = ThreadLocalRandom.current().nextInt(1, RETRY_SECONDS_MAX + 1);
      headers.addInt(HttpHeaderNames.RETRY_AFTER, seconds); // random, to spread the retries
    }
  }

  public static HttpResponse error(HttpStatus status, String why) {
    return json(
        status, appendString(new StringBuilder("{\"error\":"), why).append("}\n").toString());
  }

  /// `{"accepted":n,"rejected":[{"index":i,"reason":"..."}],"durability":"disk"}`. A repeat has
  /// `"duplicate":n` after `"accepted":0`: events that were stored earlier. A sender of whom
  /// everything was refused has one mistake, not thousands, so that fewer reasons are listed.
  public static HttpResponse stored(BatchOutcome.Stored stored) {
    Refusals refused = stored.refused();
    StringBuilder json = new StringBuilder(128);
    json.append("{\"accepted\":").append(stored.accepted());
    if (stored.duplicates() > 0) {
      json.append(",\"duplicate\":").append(stored.duplicates());
    }
    json.append(",\"rejected\":[");
    int most = stored.stored() == 0 ? LISTED_OF_NONE_MAX : LISTED_MAX;
    int listed = Math.min(refused.listed(), most);
    for (int i = 0; i < listed; i++) {
      json.append(i == 0 ? "{\"index\":" : ",{\"index\":").append(refused.index(i));
      appendString(json.append(",\"reason\":"), refused.reason(i)).append('}');
    }
    json.append("],\"durability\":\"");
    json.append(stored.durability().name().toLowerCase(Locale.ROOT)).append('"');
    if (refused.count() > listed) {
      json.append(",\"rejectedNotListed\":").append(refused.count() - listed);
    }
    boolean none = stored.stored() == 0 && refused.count() > 0;
    return json(none ? HttpStatus.BAD_REQUEST : HttpStatus.OK, json.append("}\n").toString());
  }

  /// Appends a text as a string of JSON, and null as `null`.
  public static StringBuilder appendString(StringBuilder json, @Nullable String text) {
    if (text == null) {
      return json.append("null");
    }
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
