package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.Token;
import io.widerow.query.forward.ForwardPosition;
import io.widerow.query.forward.ForwardProvider;
import io.widerow.query.forward.Forwarding;
import io.widerow.query.forward.KafkaAddress;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.Tail;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `widerow tail --to`: sends the events to a topic of Kafka, each at least once, and keeps the
/// acknowledged position in a file.
///
/// - Threads: one, and the thread that prints the position at the end.
final class TailForward {
  private final TailCommand asked;
  private final String to;
  private final Shell shell;

  TailForward(TailCommand asked, String to, Shell shell) {
    this.asked = asked;
    this.to = to;
    this.shell = shell;
  }

  int call() {
    requireAlone();
    long everyNanos = asked.everyNanos();
    long lagNanos = asked.lagNanos();
    Map<String, List<String>> given = asked.parameters();
    long nowNanos = ShownTimes.nowNanos();
    RangeQuery query = QueryParameters.parse(given, nowNanos).query(); // may refuse
    Token start = asked.start(nowNanos);
    KafkaAddress target;
    ForwardProvider provider;
    try {
      target = KafkaAddress.parse("to", to, Set.of());
      target.access().checkFiles("to: ");
      provider = ForwardProvider.found();
      provider.open(target).close(); // may refuse properties
    } catch (IllegalArgumentException wrong) {
      String why = String.valueOf(wrong.getMessage());
      throw new QueryException.Refused("to", why.replaceFirst("^to:? ", ""));
    }
    Path file = asked.state == null ? Path.of("widerow-tail-" + target.topic()) : asked.state;
    DaemonAddress address = asked.daemon.address(shell);
    try (Forwarding forwarding =
        new Forwarding(
            () -> provider.open(target),
            (writer, out, from, sent) ->
                new Tail(
                    new Tail.Plan(given, lagNanos, asked.limit - sent),
                    parameters -> asked.ask(parameters, address),
                    writer,
                    out,
                    shell.err(),
                    from == null ? start : Token.parse(from.token()),
                    from == null ? null : from.arrived(),
                    nowNanos),
            shell.writer(OutputFormat.json, false, ZoneOffset.UTC, query.fields()),
            file)) {
      Thread hook =
          Thread.ofPlatform().name("widerow-stop").unstarted(() -> tell(forwarding, target, file));
      Runtime.getRuntime().addShutdownHook(hook);
      Follow.until(forwarding::poll, everyNanos, "no event is skipped", shell);
    }
    return ExitCode.OK.number;
  }

  private void requireAlone() {
    if (asked.stats != null || asked.by != null) {
      throw new QueryException.Refused("to", "not together with stats: it sends events");
    }
    if (asked.last != null || asked.after != null) {
      throw new QueryException.Refused(
          "to", "not together with last or after: --state has the position");
    }
    if (asked.output.isGiven()) {
      throw new QueryException.Refused(
          "to", "not together with output, csv-safe or token: records are JSON");
    }
  }

  private void tell(Forwarding forwarding, KafkaAddress target, Path file) {
    ForwardPosition position = forwarding.acknowledged();
    shell
        .err()
        .println(
            "%d events sent to %s; the position is in %s%s"
                .formatted(
                    forwarding.events(),
                    target,
                    file,
                    position == null ? "" : ": " + position.token()));
  }
}
