package io.widerow.ingest.serve.query;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.serve.reply.SchedulerTicker;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.KnownFields;
import io.widerow.storage.EventStore;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// All services of Widerow's own query API.
public final class QueryServices {
  private final QueryService queries;
  private final StepService steps;
  private final SurveyService surveys;
  private final List<HttpRoute> others;
  private final SchedulerTicker.Watched writers;

  /// @param memory that all queries share
  /// @param config has the timeout for readers that take nothing
  /// @param intake its requests take precedence on event loops, and its lanes are told of
  public QueryServices(
      EventStore store,
      QueryMemory memory,
      DaemonConfig config,
      LongSupplier epochNanos,
      Intake intake) {
    QueryResources resources =
        new QueryResources(store, memory, config.limits().stallSeconds(), epochNanos);
    this.queries = new QueryService(resources, intake::isWriting);
    this.steps = new StepService(resources);
    this.surveys = new SurveyService(resources);
    this.writers = SchedulerTicker.OF_ANSWERS.watch(intake.lanes()::wroteLately);
    this.others =
        Stream.of(
                new ExportService(resources).routes(),
                new TypesService(resources).routes(),
                new PartitionsService(resources, intake.lanes().all()).routes(),
                new EventService(resources).routes())
            .flatMap(List::stream)
            .toList();
  }

  public List<HttpRoute> routes() {
    return Stream.of(queries.routes(), steps.routes(), surveys.routes(), others)
        .flatMap(List::stream)
        .toList();
  }

  /// Returns the counted fields of sealed blocks.
  public KnownFields known() {
    return surveys.known();
  }

  /// Queries that were answered on event loops.
  public long answeredHere() {
    return queries.answeredHere();
  }

  /// Queries that ended because their readers stalled.
  public long stalled() {
    return queries.stalled();
  }

  /// Ends running queries at their next piece, and tails soon, and refuses new queries.
  public void stop() {
    queries.stop();
    steps.stop();
    surveys.stop();
    writers.close();
  }
}
