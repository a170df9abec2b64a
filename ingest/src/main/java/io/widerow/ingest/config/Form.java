package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.event.LayoutOverride;
import io.widerow.storage.Durability;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.S3Options;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// The syntax of a key's values: how a text is read, and how a value is printed.
///
/// @param label for help, such as `HOST:PORT`
/// @param words all values, when they are few; for completion
public record Form<T>(
    String label, List<String> words, Reader<T> reader, Function<T, String> printer) {
  static final Form<Integer> NUMBER =
      new Form<>("N", List.of(), Form::number, value -> Integer.toString(value));

  static final Form<Long> LONG =
      new Form<>("N", List.of(), Form::whole, value -> Long.toString(value));

  static final Form<Optional<Long>> LONG_OR_NONE = optional("N", Form::whole, value -> "" + value);

  static final Form<Boolean> TRUTH =
      new Form<>(
          "true|false", List.of("true", "false"), Form::truth, value -> Boolean.toString(value));

  static final Form<String> TEXT = new Form<>("TEXT", List.of(), (_, text) -> text, text -> text);

  static final Form<List<String>> NAMES =
      new Form<>(
          "NAME,..",
          List.of(),
          (_, text) -> text.isEmpty() ? List.of() : List.of(text.split("\\s*,\\s*", -1)),
          names -> String.join(",", names));

  static final Form<List<String>> LABELS =
      new Form<>("NAME,..", List.of(), (_, text) -> LokiLabels.parse(text), LokiLabels::print);

  static final Form<ZoneId> ZONE = new Form<>("ZONE", List.of(), Form::zone, ZoneId::getId);

  static final Form<Optional<Path>> FILE = optional("FILE", Form::path, Path::toString);

  static final Form<Path> DIRECTORY = new Form<>("DIR", List.of(), Form::directory, Path::toString);

  static final Form<Optional<Path>> DIRECTORY_OR_NONE = optional("DIR", Form::path, Path::toString);

  static final Form<InetSocketAddress> ADDRESS =
      new Form<>("HOST:PORT", List.of(), Form::address, Form::print);

  static final Form<Optional<InetSocketAddress>> ADDRESS_OR_NONE =
      optional("HOST:PORT", Form::address, Form::print);

  static final Form<Age> AGE = new Form<>("AGE", List.of(), Age::parse, Age::toString);

  static final Form<Duration> DURATION =
      new Form<>("DURATION", List.of(), Form::duration, Age::text);

  /// A duration that may be `0s`.
  static final Form<Duration> GRACE = new Form<>("DURATION", List.of(), Age::parseGrace, Age::text);

  static final Form<Durability> DURABILITY =
      new Form<>(
          "LEVEL",
          Stream.of(Durability.values()).map(Form::word).toList().reversed(),
          Form::durability,
          Form::word);

  /// A number, or `auto`, which is [LayoutOverride#AUTO].
  static final Form<Integer> NUMBER_OR_AUTO =
      new Form<>(
          "N|auto",
          List.of("auto"),
          Form::numberOrAuto,
          value -> value == LayoutOverride.AUTO ? "auto" : Integer.toString(value));

  /// A number, or empty for `auto`.
  static final Form<Optional<Integer>> DAEMON =
      new Form<>(
          "N|auto",
          List.of("auto"),
          (key, text) -> text.equals("auto") ? Optional.empty() : Optional.of(number(key, text)),
          value -> value.map(number -> Integer.toString(number)).orElse("auto"));

  static final Form<Optional<String>> URI = optional("URI", (_, text) -> text, text -> text);

  static final Form<Optional<ObjectPlace>> PLACE =
      optional("URL", ObjectPlace::parse, ObjectPlace::url);

  static final Form<Optional<java.net.URI>> ENDPOINT =
      optional("URL", S3Options::endpoint, java.net.URI::toString);

  static final Form<Optional<KafkaOptions>> KAFKA =
      optional("HOST:PORT/TOPIC", KafkaOptions::parse, KafkaOptions::print);

  static final Form<Optional<ForwardOptions>> FORWARD =
      optional("kafka:HOST:PORT/TOPIC", ForwardOptions::parse, options -> options.to().text());

  /// Reads a text.
  @FunctionalInterface
  public interface Reader<T> {
    /// @throws IllegalArgumentException with the key and the text in it
    T read(String key, String text);
  }

  public Form {
    words = List.copyOf(words);
  }

  /// A value that is none when the text is empty.
  private static <T> Form<Optional<T>> optional(
      String label, Reader<T> reader, Function<T, String> printer) {
    return new Form<>(
        label,
        List.of(),
        (key, text) -> text.isEmpty() ? Optional.empty() : Optional.of(reader.read(key, text)),
        value -> value.map(printer).orElse(""));
  }

  /// One of a few words.
  static Form<String> word(String... words) {
    return new Form<>(
        String.join("|", words),
        List.of(words),
        (key, text) -> {
          require(
              Arrays.asList(words).contains(text),
              "%s must be %s, got %s".formatted(key, String.join(" or ", words), text));
          return text;
        },
        text -> text);
  }

  private static int number(String key, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "%s must be a number, got %s".formatted(key, text), notANumber);
    }
  }

  private static long whole(String key, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "%s must be a number, got %s".formatted(key, text), notANumber);
    }
  }

  private static int numberOrAuto(String key, String text) {
    if (text.isEmpty() || text.equals("auto")) {
      return LayoutOverride.AUTO;
    }
    int number = number(key, text);
    require(
        number != LayoutOverride.AUTO, "%s must be auto or positive, got %s".formatted(key, text));
    return number;
  }

  private static boolean truth(String key, String text) {
    require(
        text.equals("true") || text.equals("false"),
        "%s must be true or false, got %s".formatted(key, text));
    return text.equals("true");
  }

  private static ZoneId zone(String key, String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException noZone) {
      throw new IllegalArgumentException(
          "%s must be a time zone, got %s".formatted(key, text), noZone);
    }
  }

  private static Path path(String key, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException bad) {
      throw new IllegalArgumentException("%s: %s".formatted(key, bad.getMessage()), bad);
    }
  }

  private static Path directory(String key, String text) {
    require(!text.isEmpty(), key + ": a store needs a directory, got nothing");
    return path(key, text);
  }

  private static Duration duration(String key, String text) {
    Duration duration = Age.parse(key, text).duration();
    if (duration == null) {
      throw new IllegalArgumentException(key + " must not be forever");
    }
    return duration;
  }

  private static String word(Durability level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  private static Durability durability(String key, String text) {
    for (Durability level : Durability.values()) {
      if (word(level).equals(text)) {
        return level;
      }
    }
    throw new IllegalArgumentException(
        "%s must be quorum, disk, os or memory, got %s".formatted(key, text));
  }

  /// `host:port`, the host of an IPv6 address in brackets.
  private static InetSocketAddress address(String key, String text) {
    int colon = text.lastIndexOf(':');
    boolean hasPort = colon > 0 && text.substring(colon + 1).matches("\\d{1,5}");
    require(hasPort, "%s must be HOST:PORT, got %s".formatted(key, text));
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = number(key, text.substring(colon + 1));
    require(port >= 0 && port <= 65_535, "%s: no port %d".formatted(key, port));
    InetSocketAddress address = new InetSocketAddress(host, port);
    require(!address.isUnresolved(), "%s: no host %s".formatted(key, host));
    return address;
  }

  static String print(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    String text = host == null ? address.getHostString() : host.getHostAddress();
    return (text.indexOf(':') >= 0 ? "[" + text + "]" : text) + ":" + address.getPort();
  }
}
