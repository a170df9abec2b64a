package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.QueryException;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Routes that list and change one part of a store, such as retention. They run on the server's
/// blocking executor. A bad request gets 400, a full disk 507, a store that cannot be written 503,
/// and a store without such a part 501.
///
/// - Threads: any event loop.
///
/// @param <T> the part of the store
///
/// @param path of all routes, or what they begin with
/// @param part null when the store has none
/// @param whyNone the sentence for that
record MaintenanceRoutes<T>(String path, Supplier<@Nullable T> part, String whyNone) {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// Answers one kind of request.
  interface Answer<T> {
    /// @throws IllegalArgumentException with a sentence for the one who asked
    HttpResponse of(T part, QueryParams given) throws RequestRefused;
  }

  /// Answers one kind of request with a text as its body.
  interface TextAnswer<T> {
    /// @throws IllegalArgumentException with a sentence for the one who asked
    HttpResponse of(T part, String text, QueryParams given) throws RequestRefused;
  }

  /// Answers one kind of request about something that has a name.
  interface NamedAnswer<T> {
    /// @throws IllegalArgumentException with a sentence for the one who asked
    HttpResponse of(T part, String name, QueryParams given) throws RequestRefused;
  }

  /// Routes of one part of a store on this machine.
  static <T> MaintenanceRoutes<T> of(
      String path, EventStore store, String whyNone, Function<EmbeddedStore, T> part) {
    return new MaintenanceRoutes<>(
        path, () -> store instanceof EmbeddedStore embedded ? part.apply(embedded) : null, whyNone);
  }

  /// @param below the rest of the path; empty for the path itself
  HttpRoute get(String below, Tokens.Scope scope, Answer<T> answer) {
    return HttpRoute.get(path + below, scope, (context, _) -> answer(context, answer));
  }

  /// PUT or DELETE of the path, for the scope admin.
  HttpRoute change(HttpMethod method, Answer<T> answer) {
    return new HttpRoute(
        path, Set.of(method), Tokens.Scope.ADMIN, (context, _) -> answer(context, answer));
  }

  /// An endpoint about one thing, which may take as long as it needs.
  ///
  /// @param below the rest of the path, with the thing's name in braces, such as `/{id}`
  HttpRoute one(HttpMethod method, String below, NamedAnswer<T> answer) {
    String variable = below.substring(below.indexOf('{') + 1, below.indexOf('}'));
    return new HttpRoute(
        path + below,
        Set.of(method),
        Tokens.Scope.ADMIN,
        (context, _) -> {
          context.clearRequestTimeout();
          String name = String.valueOf(context.pathParam(variable));
          return answer(context, (there, given) -> answer.of(there, name, given));
        });
  }

  /// POST for the scope admin, which may take as long as it needs.
  ///
  /// @param below the rest of the path; empty for the path itself
  HttpRoute work(String below, Answer<T> answer) {
    return HttpRoute.post(
        path + below,
        Tokens.Scope.ADMIN,
        (context, _) -> {
          context.clearRequestTimeout();
          return answer(context, answer);
        });
  }

  /// The same with a text of at most `bytesMax` as the body of the request.
  HttpRoute work(long bytesMax, TextAnswer<T> answer) {
    return HttpRoute.post(
        path,
        Tokens.Scope.ADMIN,
        (context, request) -> {
          context.clearRequestTimeout();
          context.setMaxRequestLength(bytesMax);
          return HttpResponse.of(
              request
                  .aggregate()
                  .thenApplyAsync(
                      whole -> {
                        String text = whole.content(StandardCharsets.UTF_8);
                        return answer(
                            context.queryParams(), (there, given) -> answer.of(there, text, given));
                      },
                      context.blockingTaskExecutor()));
        });
  }

  private HttpResponse answer(ServiceRequestContext context, Answer<T> answer) {
    return HttpResponse.of(
        CompletableFuture.supplyAsync(
            () -> answer(context.queryParams(), answer), context.blockingTaskExecutor()));
  }

  private HttpResponse answer(QueryParams given, Answer<T> answer) {
    T there = part.get();
    if (there == null) {
      return HttpResponses.error(HttpStatus.NOT_IMPLEMENTED, whyNone);
    }
    try {
      return answer.of(there, given);
    } catch (RequestRefused refused) {
      return HttpResponses.error(refused.status(), refused.reason());
    } catch (IllegalArgumentException | QueryException refused) {
      return HttpResponses.error(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    } catch (StorageException failure) {
      LOG.log(
          Level.WARNING,
          "{0} failed: {1}",
          new Object[] {path, String.valueOf(failure.getMessage())});
      HttpStatus status =
          failure instanceof StorageException.DiskFull
              ? HttpStatus.INSUFFICIENT_STORAGE
              : HttpStatus.SERVICE_UNAVAILABLE;
      return HttpResponses.error(status, String.valueOf(failure.getMessage()));
    }
  }

  static HttpResponse lines(StringBuilder lines) {
    return HttpResponses.lines(HttpData.ofUtf8(lines.toString()));
  }

  /// The answer to a DELETE.
  static HttpResponse unset(String name) {
    StringBuilder json = new StringBuilder("{\"unset\":");
    return HttpResponses.json(
        HttpStatus.OK, HttpResponses.appendString(json, name).append("}\n").toString());
  }
}
