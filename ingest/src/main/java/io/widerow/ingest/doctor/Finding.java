package io.widerow.ingest.doctor;

import io.widerow.ingest.http.HttpResponses;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A problem that an operator should check.
///
/// @param code its name, which stays the same
/// @param subject a type, a partition, a sender, a lane, a file; or `store`
/// @param value the measured value; null when it is not a number
/// @param limit above which it is a finding; null when there is none
/// @param sentence describes the problem
/// @param act the recommended action
public record Finding(
    String code,
    Severity severity,
    String subject,
    @Nullable Double value,
    @Nullable Double limit,
    String sentence,
    String act) {
  private static final int DIGITS = 6;

  /// The worst one first; of equals the one that exceeds its limit most.
  public static final Comparator<Finding> WORST_FIRST =
      Comparator.comparing(Finding::severity)
          .thenComparing(Comparator.comparingDouble(Finding::excess).reversed())
          .thenComparing(Finding::code)
          .thenComparing(Finding::subject);

  /// The severity, the worst first.
  public enum Severity {
    /// Events are refused, lost or hidden, or will be.
    BAD,
    /// It has a cost, or becomes bad if it continues.
    WARN,
    /// Worth knowing.
    INFO;

    private final String text = name().toLowerCase(Locale.ROOT);

    /// Its name in answers and metrics.
    public String text() {
      return text;
    }
  }

  /// A finding that is no matter of numbers.
  static Finding of(String code, Severity severity, String subject, String sentence, String act) {
    return new Finding(code, severity, subject, null, null, sentence, act);
  }

  /// The ratio of value and limit, above 1; the maximum for a finding without numbers.
  private double excess() {
    Double measured = value;
    Double allowed = limit;
    if (measured == null || allowed == null) {
      return Double.MAX_VALUE;
    }
    double least = 1e-9;
    double share = Math.max(Math.abs(measured), least) / Math.max(Math.abs(allowed), least);
    return Math.max(share, 1 / share); // some limits are exceeded below
  }

  /// Appends it as a JSON object.
  public StringBuilder append(StringBuilder json) {
    HttpResponses.appendString(json.append("{\"code\":"), code);
    json.append(",\"severity\":\"").append(severity.text);
    HttpResponses.appendString(json.append("\",\"subject\":"), subject);
    json.append(",\"value\":").append(number(value));
    json.append(",\"limit\":").append(number(limit));
    HttpResponses.appendString(json.append(",\"sentence\":"), sentence);
    return HttpResponses.appendString(json.append(",\"do\":"), act).append('}');
  }

  /// Appends the member `"findings"`.
  public static StringBuilder appendAll(StringBuilder json, Iterable<Finding> findings) {
    json.append("\"findings\":[");
    String comma = "";
    for (Finding finding : findings) {
      finding.append(json.append(comma));
      comma = ",";
    }
    return json.append(']');
  }

  private static String number(@Nullable Double number) {
    if (number == null) {
      return "null";
    }
    return BigDecimal.valueOf(number)
        .round(new MathContext(DIGITS))
        .stripTrailingZeros()
        .toPlainString();
  }
}
