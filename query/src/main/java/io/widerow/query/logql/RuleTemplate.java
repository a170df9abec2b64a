package io.widerow.query.logql;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A template in a label or an annotation of an alert rule, as Prometheus expands it.
///
/// ```
///   {{ $labels.instance }} has {{ $value | humanizePercentage }} errors
/// ```
///
/// Sources: prometheus/prometheus `docs/configuration/template_reference.md`, `template/`.
///
/// - Threads: any; immutable.
public final class RuleTemplate {
  /// What is written before each template.
  private static final String NAMES =
      "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}"
          + "{{$externalURL := .ExternalURL}}{{$value := .Value}}";

  private static final int CHARS_MAX = 1 << 20; // of a result

  private final Template template;

  /// The data of one alert.
  ///
  /// @param labels of the sample
  /// @param millis time of the evaluation
  /// @param queries evaluates expressions in the template
  public record Data(
      Map<String, String> labels,
      double value,
      Map<String, String> externalLabels,
      String externalUrl,
      long millis,
      Queries queries) {
    public Data {
      labels = Map.copyOf(labels);
      externalLabels = Map.copyOf(externalLabels);
    }
  }

  /// A sample that a query in a template has found.
  public record Sample(Map<String, String> labels, double value) {
    public Sample {
      labels = Map.copyOf(labels);
    }
  }

  /// Evaluates an expression at the time of the rule.
  @FunctionalInterface
  public interface Queries {
    /// @throws RuntimeException when it has no result
    List<Sample> of(String expression);
  }

  /// Labels: one that is absent is an empty text.
  static final class Texts extends TreeMap<String, String> {
    private static final long serialVersionUID = 1L;

    Texts(Map<String, String> all) {
      super(all);
    }

    @Override
    public String get(Object name) {
      String value = super.get(name);
      return value == null ? "" : value;
    }
  }

  /// @throws IllegalArgumentException in Go's words when the text is no template
  public RuleTemplate(String text) {
    template = new TemplateParser(NAMES + text, RuleTemplateFunctions.LIBRARY).template();
  }

  /// The expanded text, or the error in place of it, as Prometheus puts it there.
  public String expand(Data data) {
    Map<String, Object> root = new TreeMap<>();
    root.put("Labels", new Texts(data.labels));
    root.put("ExternalLabels", new Texts(data.externalLabels));
    root.put("ExternalURL", data.externalUrl);
    root.put("Value", data.value);
    try {
      return TemplateRun.render(template, new Source(data), RuleTemplateFunctions.LIBRARY, root);
    } catch (TemplateRun.Failed | ArithmeticException failed) {
      return "<error expanding template: %s>".formatted(failed.getMessage());
    }
  }

  /// What the functions of a template read, in place of a line.
  ///
  /// @param data of the alert
  record Source(Data data) implements TemplateRun.Source {
    @Override
    public String label(String name) {
      return data.labels.getOrDefault(name, "");
    }

    @Override
    public Map<String, String> labels() {
      return data.labels;
    }

    @Override
    public String line() {
      return "";
    }

    @Override
    public long timeNanos() {
      return nowNanos();
    }

    @Override
    public long nowNanos() {
      return data.millis * 1_000_000;
    }

    @Override
    public void made(long chars) {
      if (chars > CHARS_MAX) {
        throw new ArithmeticException("a text of %d characters".formatted(chars));
      }
    }
  }
}
