package io.widerow.query.forward;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A topic to send to, whom to trust among its brokers, and the credentials for them:
/// `kafka:HOST:PORT[,HOST:PORT...]/TOPIC[?NAME=VALUE&...]`.
///
/// @param brokers `HOST:PORT` each
/// @param access from the parameters of its names
/// @param others the parameters that the reader of the address takes
/// @param text as it was given; it has no secrets
public record KafkaAddress(
    List<String> brokers,
    String topic,
    KafkaAccess access,
    Map<String, String> others,
    String text) {
  private static final String INSECURE = "insecure";
  private static final Pattern FORM =
      Pattern.compile("kafka:([^/?]+)/([a-zA-Z0-9._-]{1,249})(?:\\?(.*))?");
  private static final Pattern BROKER =
      Pattern.compile("(\\[[0-9a-fA-F:]+]|[^\\[\\]:/@]+):(\\d{1,5})");

  public KafkaAddress {
    brokers = List.copyOf(brokers);
    others = Map.copyOf(others);
  }

  /// @param name of the option or key, for errors
  /// @param further names of parameters, in addition to those of the access
  /// @throws IllegalArgumentException with the name and the bad part in it
  public static KafkaAddress parse(String name, String text, Set<String> further) {
    if (text.replaceFirst("\\?.*", "").indexOf('@') >= 0) {
      throw new IllegalArgumentException(
          name + ": a password belongs into a file: use ?user=NAME&password-file=FILE");
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "%s must be kafka:HOST:PORT/TOPIC, got %s".formatted(name, text));
    }
    List<String> brokers = brokers(name, form.group(1));
    Map<String, String> given = parameters(name, form.group(3) == null ? "" : form.group(3));
    String insecure = given.getOrDefault(INSECURE, "false");
    Map<String, String> access = new HashMap<>();
    Map<String, String> others = new HashMap<>();
    given.forEach((parameter, value) -> {
      if (KafkaAccess.NAMES.contains(parameter) || parameter.startsWith(KafkaAccess.PROPERTY)) {
        access.put(parameter, value);
      } else if (further.contains(parameter)) {
        others.put(parameter, value);
      } else if (!parameter.equals(INSECURE)) {
        throw new IllegalArgumentException(
            "%s: %s: no such parameter; there are %s"
                .formatted(name, parameter, String.join(", ", names(further))));
      }
    });
    if (!insecure.equals("true") && !insecure.equals("false")) {
      throw new IllegalArgumentException(
          "%s: insecure must be true or false, got %s".formatted(name, insecure));
    }
    KafkaAccess parts = KafkaAccess.of(access);
    parts.check(name + ": ");
    if (insecure.equals("false") && !parts.isTls() && !KafkaAccess.isLocal(brokers)) {
      throw new IllegalArgumentException(
          "%s: %s is not on this machine; without TLS (ca=FILE) that needs insecure=true"
              .formatted(name, form.group(1)));
    }
    return new KafkaAddress(brokers, form.group(2), parts, others, text);
  }

  private static List<String> names(Set<String> further) {
    Map<String, String> sorted = new TreeMap<>();
    KafkaAccess.NAMES.forEach(each -> sorted.put(each, each));
    further.forEach(each -> sorted.put(each, each));
    sorted.put(INSECURE, INSECURE);
    sorted.put(KafkaAccess.PROPERTY, KafkaAccess.PROPERTY + "PROPERTY");
    return List.copyOf(sorted.values());
  }

  /// Reads `HOST:PORT[,HOST:PORT...]`.
  ///
  /// @param name of the option or key, for errors
  /// @throws IllegalArgumentException with the name and the bad part in it
  public static List<String> brokers(String name, String text) {
    List<String> brokers = List.of(text.split(",", -1));
    for (String broker : brokers) {
      if (!BROKER.matcher(broker).matches()) {
        throw new IllegalArgumentException(
            "%s: HOST:PORT expected, got '%s'".formatted(name, broker));
      }
    }
    return brokers;
  }

  /// Reads `NAME=VALUE[&NAME=VALUE...]`, with percent-encoded values, in their order.
  ///
  /// @param name of the option or key, for errors
  /// @throws IllegalArgumentException with the name and the bad part in it
  public static Map<String, String> parameters(String name, String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split("&", -1)) {
      int equals = each.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            "%s: parameters are NAME=VALUE, got '%s'".formatted(name, each));
      }
      String key = each.substring(0, equals);
      String value = URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8);
      if (parameters.put(key, value) != null) {
        throw new IllegalArgumentException("%s: %s is there twice".formatted(name, key));
      }
    }
    return parameters;
  }

  /// Where it is, without parameters.
  @Override
  public String toString() {
    return "kafka:" + String.join(",", brokers) + "/" + topic;
  }
}
