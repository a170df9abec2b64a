package io.widerow.ingest.transform;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventView;
import io.widerow.event.RecordView;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.query.NameText;
import io.widerow.query.output.OutputBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// Shows what each rule of a file does to a sample.
public final class TransformTrial {
  private static final long BATCH_BYTES_MAX = 16 << 20;

  private TransformTrial() {}

  /// A rule, and the event after it.
  ///
  /// @param line of the rule in the file, from 1; 0 for the sample as it came
  /// @param effect `sample`; of a rule `passed` when its condition does not keep the event, `same`,
  ///   `changed`, `dropped`, or `failed` when it could not do its work; `refused` when the event
  ///   cannot be stored
  /// @param event as an object of JSON; the reason when it is refused
  public record Step(int line, String effect, String event) {}

  /// Runs the rules on each event of a sample.
  ///
  /// @param set the rules
  /// @param sample adds the events to a batch
  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  public static List<Step> run(TransformSet set, Consumer<IncomingBatch> sample, long nowNanos) {
    List<Step> steps = new ArrayList<>();
    try (EventBatch events = new EventBatch(1 << 12, BATCH_BYTES_MAX);
        EventBatch spare = new EventBatch(1 << 12, BATCH_BYTES_MAX)) {
      IncomingBatch batch = new IncomingBatch(events, nowNanos);
      sample.accept(batch);
      if (events.count() > 0) {
        String first = json(new RecordView().show(events.memory(), 0));
        steps.add(new Step(0, "sample", first));
      }
      TransformRun run = new TransformRun(set);
      run.watch((rule, effect, event) ->
          steps.add(
              new Step(
                  set.rules().get(rule).line(),
                  effect.name().toLowerCase(Locale.ROOT),
                  json(event))));
      run.apply(batch, spare);
      for (int i = 0; i < batch.refused.listed(); i++) {
        steps.add(new Step(0, "refused", batch.refused.reason(i)));
      }
    }
    return steps;
  }

  /// The steps as lines of JSON.
  ///
  /// @param text of the file, whose lines are shown with their steps
  public static String lines(List<Step> steps, String text) {
    List<String> lines = text.lines().toList();
    OutputBuffer out = new OutputBuffer(1 << 10);
    for (Step step : steps) {
      out.put("{\"line\":" + step.line());
      if (step.line() > 0) {
        out.put(",\"rule\":\"");
        out.putJson(lines.get(step.line() - 1).strip());
        out.put("\"");
      }
      out.put(",\"effect\":\"" + step.effect());
      if (step.effect().equals("refused")) {
        out.put("\",\"reason\":\"");
        out.putJson(step.event());
        out.put("\"}\n");
      } else {
        out.put("\",\"event\":" + step.event() + "}\n");
      }
    }
    return out.toString();
  }

  private static String json(EventView event) {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put("{\"type\":\"");
    out.putJson(event.type());
    out.put("\"");
    event.forEach(
        new AttributeValue(),
        (name, value) -> {
          out.put(",\"");
          out.putJson(NameText.shown(name.toString()));
          boolean isText =
              value.kind().isText()
                  || (value.kind() == AttributeKind.DOUBLE && !Double.isFinite(value.asDouble()));
          out.put(isText ? "\":\"" : "\":");
          if (isText) {
            out.putJson(value.toString());
            out.put("\"");
          } else {
            out.put(value.toString());
          }
        });
    out.put("}");
    return out.toString();
  }
}
