package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: grok finds what java-grok finds, except where PARSE.md lists a difference. Method: the
/// patterns that both have, and expressions as people write them, over lines of logs. java-grok
/// 0.1.9 (`io.krakens:java-grok`, with commons-lang3) is read from the class path
/// `-Djavagrok=JAR:JAR`, its lines from the logs of this repository and `-Dloghub=DIR`, a checkout
/// of loghub.
class JavaGrokTest {
  private static final int LINES_A_FILE = 200;

  /// Listed in PARSE.md, and what is made of them.
  private static final Set<String> DIFFERENT =
      Set.of(
          "HOSTPORT",
          "LOGLEVEL",
          "PROG",
          "SYSLOGPROG",
          "SYSLOGBASE",
          "TZ",
          "URIPROTO",
          "URI",
          "IPV6");

  private static final List<String> WRITTEN =
      List.of(
          "%{COMBINEDAPACHELOG}",
          "%{COMMONAPACHELOG}",
          "%{SYSLOGTIMESTAMP:t} %{SYSLOGHOST:h} %{DATA:program}(?:\\[%{POSINT:pid}\\])?:"
              + " %{GREEDYDATA:m}",
          "%{TIMESTAMP_ISO8601:t} %{NOTSPACE:l} %{GREEDYDATA:m}",
          "%{IP:ip}.*port %{INT:port}",
          "^\\[%{DATA:a}\\] %{WORD:b}(?: %{NUMBER:n})?");

  /// java-grok, which is not on the class path of the tests.
  private record Other(Object compiler, Class<?> type) {
    static Other load(String jars) throws ReflectiveOperationException {
      URL[] urls =
          Stream.of(jars.split(File.pathSeparator, -1)).map(JavaGrokTest::url).toArray(URL[]::new);
      Class<?> type =
          new URLClassLoader(urls).loadClass("io.krakens.grok.api.GrokCompiler"); // to the end
      Object compiler = type.getMethod("newInstance").invoke(null);
      type.getMethod("registerDefaultPatterns").invoke(compiler);
      return new Other(compiler, type);
    }

    Set<String> patterns() throws ReflectiveOperationException {
      Map<?, ?> all = (Map<?, ?>) type.getMethod("getPatternDefinitions").invoke(compiler);
      Set<String> names = new TreeSet<>();
      all.keySet().forEach(name -> names.add(String.valueOf(name)));
      return names;
    }

    Object compile(String grok) throws ReflectiveOperationException {
      return type.getMethod("compile", String.class, boolean.class).invoke(compiler, grok, true);
    }

    static Map<String, String> fields(Object grok, String line)
        throws ReflectiveOperationException {
      Object match = grok.getClass().getMethod("match", CharSequence.class).invoke(grok, line);
      Map<?, ?> found = (Map<?, ?>) match.getClass().getMethod("captureFlattened").invoke(match);
      Map<String, String> fields = new TreeMap<>();
      found.forEach((name, value) -> {
        if (value != null && !value.toString().isEmpty()) {
          fields.put(String.valueOf(name), plain(value.toString()));
        }
      });
      return fields;
    }
  }

  private static URL url(String jar) {
    try {
      return Path.of(jar).toUri().toURL();
    } catch (MalformedURLException bad) {
      throw new AssertionError(jar, bad);
    }
  }

  /// java-grok leaves out the quotes around a value, and Widerow the zeros after a decimal.
  private static String plain(String value) {
    int last = value.length() - 1;
    boolean quoted =
        last > 0 && "\"'".indexOf(value.charAt(0)) >= 0 && value.charAt(0) == value.charAt(last);
    String bare = quoted ? value.substring(1, last) : value;
    return bare.matches("-?\\d{1,15}\\.\\d+") ? String.valueOf(Double.parseDouble(bare)) : bare;
  }

  private static List<String> lines() throws IOException {
    List<Path> files = new ArrayList<>();
    List<String> directories = new ArrayList<>(List.of("../loadgen/logs"));
    String loghub = System.getProperty("loghub");
    if (loghub != null) {
      directories.add(loghub);
    }
    for (String directory : directories) {
      try (Stream<Path> all = Files.walk(Path.of(directory))) {
        all.filter(file -> file.toString().endsWith(".log")).sorted().forEach(files::add);
      }
    }
    List<String> lines = new ArrayList<>();
    for (Path file : files) {
      try (Stream<String> all = Files.lines(file, StandardCharsets.ISO_8859_1)) {
        all.limit(LINES_A_FILE).forEach(lines::add);
      }
    }
    return lines;
  }

  private static Map<String, String> fields(TextFormat format, String line) {
    Map<String, Object> found = Parsed.fields(format, line);
    Map<String, String> fields = new TreeMap<>();
    if (found != null) {
      found.forEach((name, value) -> fields.put(name, plain(value.toString())));
    }
    return fields;
  }

  @Test
  void findsWhatJavaGrokFinds() throws IOException, ReflectiveOperationException {
    String jars = System.getProperty("javagrok");
    assumeTrue(jars != null, "-Djavagrok=JAR:JAR names java-grok and commons-lang3");
    Other other = Other.load(jars);
    List<String> expressions = new ArrayList<>(WRITTEN);
    for (String name : other.patterns()) {
      if (GrokText.patterns().contains(name) && !DIFFERENT.contains(name)) {
        expressions.add("%{" + name + ":x}");
      }
    }
    assertTrue(expressions.size() > 50, expressions.toString());
    List<String> lines = lines();
    for (String expression : expressions) {
      Object theirs = other.compile(expression);
      TextFormat ours = Parsed.format("grok `" + expression + "`");
      for (String line : lines) {
        assertEquals(Other.fields(theirs, line), fields(ours, line), expression + " in " + line);
      }
    }
  }
}
