package io.widerow.ingest.serve.page;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import java.util.List;
import java.util.Map;

/// The files of the explorer page, `/ui/`. They hold no data and need no token; what the page shows
/// it asks of the endpoints, with the token that its reader gives it.
///
/// Browsers ask each time whether a file has changed (`etag`), so that a page is never made of
/// files of two versions; but for fonts, whose names hold a hash. The policy lets the page run its
/// own scripts and ask its own daemon, nothing else: a stored text that became markup by a mistake
/// could still not run.
///
/// The first request makes the files: a start that waited for them would take a tenth longer.
///
/// - Threads: any event loop; the files are made and read on a thread for blocking tasks.
public final class PageService {
  private static final String HOME = "/ui/";
  private static final HttpHeaders POLICY =
      HttpHeaders.builder()
          .add(
              HttpHeaderNames.CONTENT_SECURITY_POLICY,
              "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
                  + " img-src 'self' data:; connect-src 'self'; base-uri 'none';"
                  + " form-action 'none'; frame-ancestors 'none';"
                  + " require-trusted-types-for 'script'; trusted-types 'none'")
          .add(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff")
          .add(HttpHeaderNames.REFERRER_POLICY, "no-referrer")
          .add(HttpHeaderNames.of("cross-origin-opener-policy"), "same-origin")
          .add(HttpHeaderNames.of("cross-origin-resource-policy"), "same-origin")
          .build();
  private static final String ALWAYS_ASK = "no-cache";
  private static final String NEVER_ASK = "public, max-age=31536000, immutable";

  /// Made by the first thread that asks for it.
  private static final class Made {
    static final Map<String, PageFile> FILES = PageFile.all();
  }

  private PageService() {}

  public static List<HttpRoute> routes() {
    return List.of(
        HttpRoute.probe("/ui", (_, _) -> redirect()),
        HttpRoute.probe(
            "prefix:" + HOME,
            (context, request) ->
                HttpResponse.of(() -> file(context, request), context.blockingTaskExecutor())));
  }

  private static HttpResponse redirect() {
    return HttpResponse.ofRedirect(HttpStatus.FOUND, HOME);
  }

  private static HttpResponse file(ServiceRequestContext context, HttpRequest request) {
    String path = context.path().substring(HOME.length());
    PageFile file = Made.FILES.get(path.isEmpty() ? "index.html" : path);
    if (file == null) {
      return HttpResponses.error(HttpStatus.NOT_FOUND, "no such file: " + context.path());
    }
    boolean known = file.etag().equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH));
    boolean packed =
        request.headers().get(HttpHeaderNames.ACCEPT_ENCODING, "").contains("gzip")
            && file.gzip().length < file.bytes().length;
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
            .add(POLICY)
            .add(HttpHeaderNames.CACHE_CONTROL, file.isImmutable() ? NEVER_ASK : ALWAYS_ASK)
            .add(HttpHeaderNames.ETAG, file.etag())
            .add(HttpHeaderNames.VARY, "accept-encoding");
    if (known) {
      return HttpResponse.of(headers.build());
    }
    headers.add(HttpHeaderNames.CONTENT_TYPE, file.contentType());
    if (packed) {
      headers.add(HttpHeaderNames.CONTENT_ENCODING, "gzip");
    }
    return HttpResponse.of(headers.build(), HttpData.wrap(packed ? file.gzip() : file.bytes()));
  }
}
