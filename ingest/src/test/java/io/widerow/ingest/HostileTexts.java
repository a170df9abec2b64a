package io.widerow.ingest;

import java.util.Random;
import java.util.function.Supplier;

/// What hostile queries are made of: numbers, names and regular expressions that ask for much.
///
/// - Threads: one.
class HostileTexts {
  final Random random;

  HostileTexts(Random random) {
    this.random = random;
  }

  @SafeVarargs
  final <T> T one(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  @SafeVarargs
  final String made(Supplier<String>... choices) {
    return choices[random.nextInt(choices.length)].get();
  }

  boolean seldom() {
    return random.nextInt(8) == 0;
  }

  int some(int most) {
    return 1 + random.nextInt(most);
  }

  /// A few, or once in a while as many as fit into a query.
  int many(int few, int most) {
    return seldom() ? most : some(few);
  }

  String repeated(String separator, int count, Supplier<String> part) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < count; i++) {
      all.append(i == 0 ? "" : separator).append(part.get());
    }
    return all.toString();
  }

  static String nested(String open, int depth, String inner, String close) {
    return open.repeat(depth) + inner + close.repeat(depth);
  }

  String huge() {
    return one(
        "1",
        "10",
        "100",
        "1000",
        "5000",
        "100000",
        "1000000",
        "0",
        "999999999",
        "2147483648",
        "9223372036854775807",
        "-1",
        "1e308",
        "NaN",
        "0.000000001",
        "99999999999999999999999999");
  }

  String duration() {
    return one("1ns", "1us", "1ms", "1s", "5s", "1m", "1h", "5d", "49y", "1000000y", "0s", "7ns");
  }

  String start() {
    return one(
        "",
        "0",
        Long.toString(HostileQueries.NOW_SECONDS - 3_600),
        Long.toString(HostileQueries.NOW_SECONDS - 60));
  }

  String end() {
    return one(
        Long.toString(HostileQueries.NOW_SECONDS), Long.toString(HostileQueries.NOW_SECONDS + 600));
  }

  String label() {
    return one(
        "service_name",
        "host",
        "uid",
        "level",
        "k1",
        "k77",
        "a",
        "b",
        "msg",
        "x",
        "n",
        "detected_level",
        "__error__",
        "__error_details__",
        "r_e_q",
        "job");
  }

  String type() {
    return one("small", "big", "deep", "flat", "array", "wide", "ids", "t17", "*", "t*", "no");
  }

  // ---- expressions of RE2

  String regex() {
    return made(
        () -> ".*",
        () -> "(a{1000}){1000}",
        () -> repeated("", some(200), () -> "(a*)*"),
        () -> "((((a{1,9}){1,9}){1,9}){1,9}){1,9}",
        () -> "[\\p{L}\\p{N}]{1000}",
        () -> "(" + repeated("|", many(20, 700), () -> "x" + some(99)) + ")",
        () -> "x{1000}{2}",
        () -> "(".repeat(900) + "a" + ")".repeat(900),
        () -> "(?i)" + "z".repeat(many(50, 2_900)),
        () -> "(?P<a>.*)(?P<b>.*)(?P<n>.*)",
        () -> "(?P<msg>.{0,1000}){1,2}",
        () -> "(.+)+(.+)+(.+)+$",
        () -> "\\x{10ffff}*");
  }
}
