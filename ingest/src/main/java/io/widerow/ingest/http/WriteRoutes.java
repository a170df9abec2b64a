package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AsciiString;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.intake.Intake;
import io.widerow.storage.Durability;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Makes the routes of protocols that write over HTTP. This class has the common part: it refuses
/// requests from web pages and reads the durability that the sender asks for. [IntakeRequest] or
/// [StreamRequest] and the protocol do the rest.
///
/// - Threads: any event loop.
public final class WriteRoutes {
  /// Names the level that is asked for, and in responses the one that was reached.
  static final AsciiString DURABILITY = HttpHeaderNames.of("widerow-durability");

  /// Names the type of all events, as the parameter `type` does.
  private static final AsciiString TYPE = HttpHeaderNames.of("widerow-type");

  private static final String ON_ONE_MACHINE =
      "durability quorum needs a store on a cluster (serve --store); this store is on one machine,"
          + " where disk is the strongest";

  private final @Nullable Intake intake; // null when only the formats are wanted
  private final Durability durabilityDefault;
  private final RecordFormats formats;
  private final String protocol;

  /// @param formats gets the protocols, to decode records with them that come in another way
  public WriteRoutes(Intake intake, Durability durabilityDefault, RecordFormats formats) {
    this(intake, durabilityDefault, formats, "http");
  }

  /// Routes that take no request: only the formats get their protocols.
  public static WriteRoutes ofFormats(RecordFormats formats) {
    return new WriteRoutes(null, Durability.DISK, formats, "http");
  }

  private WriteRoutes(
      @Nullable Intake intake,
      Durability durabilityDefault,
      RecordFormats formats,
      String protocol) {
    this.formats = formats;
    this.intake = intake;
    this.durabilityDefault = durabilityDefault;
    this.protocol = protocol;
  }

  private Intake intake() {
    return Objects.requireNonNull(intake, "no requests");
  }

  /// The same for one protocol.
  ///
  /// @param name one lower-case word, under which its senders are listed
  public WriteRoutes named(String name) {
    return new WriteRoutes(intake, durabilityDefault, formats, name);
  }

  /// A path to which events are posted, with errors as JSON.
  ///
  /// @param protocols makes the protocol of each request
  public HttpRoute post(String path, WriteProtocol.Factory protocols) {
    return of(path, Set.of(HttpMethod.POST), ErrorRenderer.JSON, protocols);
  }

  /// A path to which events are posted.
  ///
  /// @param path see [HttpRoute]
  /// @param errors says why a request is refused before it has a protocol
  /// @param protocols makes the protocol of each request
  public HttpRoute of(
      String path, Set<HttpMethod> methods, ErrorRenderer errors, WriteProtocol.Factory protocols) {
    formats.add(path, protocols);
    return route(
        path,
        methods,
        errors,
        (context, request) -> {
          WriteProtocol answering = protocols.of(context, request);
          Durability level = durability(context, request, answering::durability);
          String shown = path.contains("{token}") ? path : context.path();
          String endpoint = endpoint(context, request, answering);
          IntakeRequest.Terms terms = new IntakeRequest.Terms(protocol, shown, endpoint, level);
          return IntakeRequest.take(intake(), context, request, answering, terms);
        });
  }

  /// A path to which bodies without an end in sight are posted.
  ///
  /// @param path see [HttpRoute]
  /// @param errors says why a request is refused before it has a protocol
  /// @param protocols makes the protocol of each request
  public HttpRoute stream(String path, ErrorRenderer errors, StreamProtocol.Factory protocols) {
    return route(
        path,
        Set.of(HttpMethod.POST),
        errors,
        (context, request) -> {
          StreamProtocol answering = protocols.of(context, request);
          Durability level = durability(context, request, answering::durability);
          StreamRequest.Terms terms = new StreamRequest.Terms(protocol, path, level);
          return StreamRequest.take(intake(), context, request, answering, terms);
        });
  }

  private HttpRoute route(
      String path, Set<HttpMethod> methods, ErrorRenderer errors, HttpService taker) {
    return new HttpRoute(
        path,
        methods,
        Tokens.Scope.INGEST,
        (context, request) -> {
          requireNoBrowser(request);
          return taker.serve(context, request);
        },
        (context, refused) -> {
          counted(context, refused);
          return errors.of(context, refused);
        });
  }

  /// Counts requests that are refused before the protocol handles them, such as a wrong token or a
  /// bad parameter.
  private void counted(ServiceRequestContext context, RequestRefused refused) {
    Access.SenderIdentity who = Access.sender(context);
    intake().senders().refused(protocol, who.sender(), who.agent(), 1, refused.reason());
  }

  /// The type that a sender wants for all events of a request: the parameter `type` or the header
  /// `widerow-type`. Null when it names none.
  public static @Nullable String type(ServiceRequestContext context, HttpRequest request) {
    String asked = context.queryParam("type");
    String named = asked != null ? asked : request.headers().get(TYPE);
    return named == null || named.isEmpty() ? null : named;
  }

  /// The part of a request that determines, in addition to the body and the daemon's transforms,
  /// which events the body becomes: its path, query and headers. The same body with another
  /// endpoint is not a retry. Absent parameters add nothing, because stores hold keys that were
  /// made so.
  private static String endpoint(
      ServiceRequestContext context, HttpRequest request, WriteProtocol protocol) {
    String endpoint = context.path() + "?" + context.query();
    String type = context.queryParam("type") == null ? type(context, request) : null;
    if (type != null) {
      endpoint += "\n" + TYPE + ": " + type;
    }
    String headers = protocol.decidingHeaders();
    return headers.isEmpty() ? endpoint : endpoint + "\n" + headers;
  }

  /// A web page of another site must not write through a user's browser.
  private static void requireNoBrowser(HttpRequest request) throws RequestRefused {
    if (request.headers().contains(HttpHeaderNames.ORIGIN)) {
      throw new RequestRefused(HttpStatus.FORBIDDEN, RequestRefused.BY_WEB_PAGE);
    }
  }

  private Durability durability(
      ServiceRequestContext context, HttpRequest request, UnaryOperator<Durability> unasked)
      throws RequestRefused {
    @Nullable String asked = context.queryParam("durability");
    if (asked == null) {
      asked = request.headers().get(DURABILITY);
    }
    return asked == null ? unasked.apply(durabilityDefault) : durability(asked);
  }

  private Durability durability(String asked) throws RequestRefused {
    return switch (asked.toLowerCase(Locale.ROOT)) {
      case "quorum" -> {
        if (!intake().lanes().hasQuorum()) {
          throw RequestRefused.bad(ON_ONE_MACHINE);
        }
        yield Durability.QUORUM;
      }
      case "disk" -> Durability.DISK;
      case "os" -> Durability.OS;
      case "memory" -> Durability.MEMORY;
      default ->
          throw RequestRefused.bad("durability must be quorum, disk, os or memory, got " + asked);
    };
  }
}
