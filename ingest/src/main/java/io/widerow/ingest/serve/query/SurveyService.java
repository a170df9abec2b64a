package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.LowPriorityThread;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.HeldMemory;
import io.widerow.query.fields.DiffRequest;
import io.widerow.query.fields.FieldStatisticsWarmer;
import io.widerow.query.fields.FieldsRequest;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.patterns.PatternsRequest;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.ResponseOptions;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyParameters;
import io.widerow.query.survey.SurveyRequest;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Surveys of a range, within a budget of time: `GET /v1/fields`, the fields of its events with
/// their values, and the differences of some events; `GET /v1/fields/{name}`, one field; `GET
/// /v1/diff`, the differences from an earlier range; `GET /v1/patterns`, the kinds of log lines.
/// The fields of sealed blocks are read ahead and cached for later queries.
///
/// - Threads: the connection's event loop; each survey runs on a thread, `widerow-survey-<n>`. A
///   reader that disconnects ends it. One more thread, of low priority, reads ahead.
final class SurveyService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 4;

  private final QueryResources resources;
  private final ReplyThreads threads;
  private final KnownFields known = new KnownFields();
  private final FieldStatisticsWarmer ahead;
  private final ScheduledExecutorService reading;

  SurveyService(QueryResources resources) {
    this.resources = resources;
    this.threads = ReplyThreads.computing("widerow-survey", ANSWERS_MAX, resources.stallSeconds());
    this.ahead = new FieldStatisticsWarmer(resources.store(), known);
    this.reading =
        Executors.newSingleThreadScheduledExecutor(LowPriorityThread.factory("widerow-fields"));
    if (resources.store().cluster() == null) { // a cluster's blocks are not here
      var _ = reading.scheduleWithFixedDelay(this::readAhead, 0, 1, TimeUnit.SECONDS);
    }
  }

  private void readAhead() {
    try {
      ahead.look();
    } catch (RuntimeException failure) { // otherwise it is never called again
      LOG.log(Level.WARNING, "reading fields ahead: " + failure.getMessage(), failure);
    }
  }

  /// Returns the counted fields of sealed blocks, for other services.
  KnownFields known() {
    return known;
  }

  /// Ends reading ahead. The store may be closed afterwards.
  void stop() {
    ahead.stop();
    reading.close();
  }

  /// Parses the parameters of a request.
  @FunctionalInterface
  private interface Parser {
    SurveyRequest parse(Map<String, List<String>> given, long nowNanos);
  }

  public List<HttpRoute> routes() {
    return List.of(
        route("/v1/fields", (given, now) -> FieldsRequest.parse(given, null, now).with(known)),
        QueryErrors.get(
            "/v1/fields/{name}",
            (context, _) ->
                answer(
                    context,
                    (given, now) ->
                        FieldsRequest.parse(given, context.pathParam("name"), now).with(known))),
        route("/v1/diff", (given, now) -> DiffRequest.parse(given, now).with(known)),
        route("/v1/patterns", PatternsRequest::parse));
  }

  private HttpRoute route(String path, Parser parser) {
    return QueryErrors.get(path, (context, _) -> answer(context, parser));
  }

  private HttpResponse answer(ServiceRequestContext context, Parser parser) {
    long now = resources.epochNanos();
    Map<String, List<String>> given = QueryService.values(context);
    SurveyRequest asked = parser.parse(given, now);
    String field = context.pathParam("name");
    if (field != null) {
      given.put("field", List.of(field));
    }
    return threads.answer(context, QueryErrors.refusing(reply -> run(asked, given, now, reply)));
  }

  /// @param given parameters that name fields, and of which events
  /// @param now the origin of relative times in them
  private void run(SurveyRequest asked, Map<String, List<String>> given, long now, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = resources.store().view();
        HeldMemory held = new HeldMemory(resources.memory());
        Survey survey = asked.open(view, resources.memory())) {
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      var _ = reply.response().whenComplete().whenComplete((_, _) -> survey.cancel());
      survey.write(sink);
      FieldCheck.putLine(SurveyParameters.warnings(view, given, now), sink);
      ResponseHeadersBuilder headers =
          ResponseHeaders.builder(HttpStatus.OK).contentType(HttpResponses.LINES);
      ResponseOptions.damage(survey.unread(), sink);
      String damage = ResponseOptions.damage(survey.unread());
      if (damage != null) {
        headers.set(QueryService.DAMAGE, damage);
      }
      reply.begin(headers.build());
      reply.end(sink.bytes(), sink.length());
    }
  }
}
