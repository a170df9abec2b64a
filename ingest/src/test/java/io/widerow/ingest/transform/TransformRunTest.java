package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The effect of transforms on events, and the batch's notes of dropped ones.
class TransformRunTest {
  private static void assertBecomes(String rules, String line, String... expected) {
    assertEquals(List.of(expected), Transformed.of(rules, line).events());
  }

  private static Object hashOf(String rules, String line, String name) {
    return Objects.requireNonNull(
        Transformed.of(rules, line).stored().getFirst().attributes().get(name), name);
  }

  @Test
  void attributesAreDroppedByNameAndGlob() {
    assertBecomes(
        "drop password, http.request.headers.*, *token",
        "{\"password\":\"x\",\"http\":{\"request\":{\"headers\":{\"a\":1,\"b\":2},\"m\":3}},"
            + "\"token\":4,\"my_token\":5,\"tokens\":6,\"z\":true}",
        "t{http.request.m=3, tokens=6, z=true}");
    assertBecomes("drop a*b*c", "{\"abc\":1,\"axbxc\":2,\"abcb\":3,\"aXbcbc\":4}", "t{abcb=3}");
    assertBecomes("drop *", "{\"a\":1,\"b\":2}", "t{}");
    assertBecomes("drop `a*`", "{\"a\":1,\"a*\":2,\"ab\":3}", "t{a=1, ab=3}");
  }

  @Test
  void anAttributeNamedAsTheEventsOwnIsMeantByItsPrefix() {
    assertBecomes("drop attributes.id", "{\"id\":1,\"a\":2}", "t{a=2}");
    assertBecomes("drop `id`", "{\"id\":1,\"a\":2}", "t{a=2}");
    assertBecomes("rename a -> attributes.id", "{\"a\":2}", "t{id=2}");
  }

  @Test
  void anAttributeIsRenamedAndKeepsItsKindAndTheOrderOfNames() {
    assertBecomes(
        "rename user_id -> aaa.id, z -> b",
        "{\"m\":1,\"user_id\":7,\"z\":2.5}",
        "t{aaa.id=7, b=2.5, m=1}");
    assertBecomes("rename x -> y", "{\"m\":1}", "t{m=1}");
  }

  @Test
  void aNameThatIsTakenGetsANumber() {
    assertBecomes("rename a -> b", "{\"a\":1,\"b\":2}", "t{b=2, b_2=1}");
    assertBecomes("rename a -> b", "{\"a\":1,\"b\":2,\"b_2\":3}", "t{b=2, b_2=3, b_3=1}");
    assertBecomes("rename a -> c, b -> c", "{\"a\":1,\"b\":2}", "t{c=1, c_2=2}");
    assertBecomes("rename a -> b, b -> a", "{\"a\":1,\"b\":2}", "t{a=2, b_2=1}");
  }

  @Test
  void aValueIsRedactedWhole() {
    assertBecomes(
        "redact a, b, c -> \"-\"\nredact d",
        "{\"a\":\"x\",\"b\":7,\"c\":true,\"d\":1.5,\"e\":\"x\"}",
        "t{a=-, b=-, c=-, d=[redacted], e=x}");
  }

  @Test
  void whatMatchesIsRedacted() {
    assertBecomes(
        "redact email, body with /[\\w.]+@[\\w.]+/ -> \"<email>\"",
        "{\"email\":\"a.b@c.de\",\"body\":\"é from a@b.c to d@e.f.\",\"x\":\"a@b.c\"}",
        "t{body=é from <email> to <email>, email=<email>, x=a@b.c}");
    assertBecomes("redact a with /b*/", "{\"a\":\"abbc\"}", "t{a=a[redacted]c}");
    assertBecomes("redact a with /^/", "{\"a\":\"abc\"}", "t{a=abc}");
    assertBecomes("redact a with /b.*/ -> ''", "{\"a\":\"abc\"}", "t{a=a}");
    assertBecomes("redact a with /x\\/y/ -> \"$$1\\n\"", "{\"a\":\"x/y\"}", "t{a=$1\n}");
  }

  @Test
  void groupsOfAMatchMayStay() {
    assertBecomes(
        "redact * with /\\b(\\d{4})\\d{8}(\\d{4})\\b/ -> \"$1********$2\"",
        "{\"body\":\"card 4111111111111111.\",\"n\":4111111111111111,\"m\":12,\"l\":[1,\"4111"
            + "111111111111\"]}",
        "t{body=card 4111********1111., l=[1,\"4111********1111\"], m=12, n=4111********1111}");
    assertBecomes("redact a with /x(y)?/ -> \"<$1>\"", "{\"a\":\"x xy\"}", "t{a=<> <y>}");
  }

  @Test
  void aNumberIsMatchedAsItsText() {
    assertBecomes(
        "redact a, b, c with /5/ -> \"\"",
        "{\"a\":151,\"b\":1.5,\"c\":false}",
        "t{a=11, b=1., c=false}");
  }

  @Test
  void equalValuesHaveEqualDigests() {
    String rules = Transformed.KEY + "hash a, b";
    Object ofText = hashOf(rules, "{\"a\":\"10.0.0.1\"}", "a");
    assertEquals(ofText, hashOf(rules, "{\"b\":\"10.0.0.1\"}", "b"));
    assertEquals(hashOf(rules, "{\"a\":\"7\"}", "a"), hashOf(rules, "{\"a\":7}", "a"));
    assertNotEquals(ofText, hashOf(rules, "{\"a\":\"10.0.0.2\"}", "a"));
    assertNotEquals(
        ofText, hashOf("key 'another key, a long one'\nhash a", "{\"a\":\"10.0.0.1\"}", "a"));
    assertTrue(String.valueOf(ofText).matches("[0-9a-f]{32}"), String.valueOf(ofText));
  }

  /// The expected digits are the first half of `openssl dgst -sha256 -hmac 0123456789abcdef`.
  @Test
  void aDigestIsTheFirstHalfOfAnHmac() {
    byte[] hex =
        new KeyedHash("0123456789abcdef".getBytes(StandardCharsets.US_ASCII))
            .of("10.0.0.1".getBytes(StandardCharsets.US_ASCII));
    assertEquals("a21b5a555b15e7c012d03a49068c435f", new String(hex, StandardCharsets.US_ASCII));
  }

  @Test
  void aFilterDecidesWhichEvents() {
    assertBecomes(
        "when type ~ \"^nginx\" and status >= 500 then drop a",
        """
        {"type":"nginx.x","status":500,"a":1}
        {"type":"nginx","status":200,"a":2}
        {"type":"app","status":500,"a":3}
        """,
        "nginx.x{status=500}",
        "nginx{a=2, status=200}",
        "app{a=3, status=500}");
    assertBecomes("when a = \"x then y\" then drop a", "{\"a\":\"x then y\"}", "t{}");
    assertBecomes("when * then drop a # comment", "{\"a\":1}", "t{}");
  }

  @Test
  void eachRuleSeesWhatThoseBeforeHaveLeft() {
    assertBecomes(
        "rename a -> b\nwhen b = 1 then drop c\nwhen a exists then drop event\nredact b -> \"x\"",
        "{\"a\":1,\"c\":2}",
        "t{b=x}");
  }

  @Test
  void whatIsDroppedLeavesTheIndexesOfOthersRight() {
    String body =
        "{\"level\":\"debug\"}\nbad\n{\"n\":1}\n{\"level\":\"debug\"}\n{\"n\":2}\nbad\n{\"n\":3}\n";
    Transformed ruled = Transformed.of("when level = \"debug\" then drop event", body);
    assertEquals(List.of("t{n=1}", "t{n=2}", "t{n=3}"), ruled.events());
    assertEquals(List.of(2, 4, 6), ruled.indexes());
    assertEquals(2, ruled.dropped());
    assertEquals(List.of("1 not a JSON object", "5 not a JSON object"), ruled.refused());
  }

  @Test
  void anEventThatBecomesTooLargeIsRefused() {
    String body =
        "bad\n{\"n\":1}\n{\"a\":\""
            + "x".repeat(500)
            + "\"}\nbad\n{\"level\":\"debug\"}\n{\"n\":2}\n";
    Transformed ruled =
        Transformed.of(
            "redact a with /x/ -> \"12345\"\nwhen level exists then drop event", body, 1_024);
    assertEquals(List.of("t{n=1}", "t{n=2}"), ruled.events());
    assertEquals(List.of(1, 5), ruled.indexes());
    assertEquals(
        List.of(
            "0 not a JSON object",
            "2 the rules have made the event larger than the limit",
            "3 not a JSON object"),
        ruled.refused());
  }

  @Test
  void reasonsAreScrubbedToo() {
    assertEquals(
        List.of("0 not a <kind> object"),
        Transformed.of("when type = \"x\" then redact z with /JSON/ -> \"<kind>\"", "bad\n")
            .refused());
  }

  @Test
  void anOwnIdAndItsTimeStay() {
    String id = "b12ef090-0d11-11ec-8100-000000000001";
    Transformed ruled = Transformed.of("rename a -> b", "{\"_id\":\"" + id + "\",\"a\":1}\n");
    EventId own = ruled.stored().getFirst().ownId();
    assertNotNull(own);
    assertEquals(id, own.toString());
    assertEquals(List.of("t{b=1}"), ruled.events());
  }

  /// Nothing is copied when no rule changes anything.
  @ParameterizedTest
  @CsvSource({
    "drop b, true",
    "when type = \"u\" then drop a, true",
    "redact a with /zzz/, true",
    "redact a with /@/, true",
    "rename b -> c, true",
    "drop a, false"
  })
  void whatNoRuleIsAboutPassesUntouched(String rules, boolean same) {
    Transformed ruled = Transformed.of(rules, "{\"a\":\"x\"}\n{\"a\":\"y\"}\n");
    assertEquals(same, ruled.same());
    assertEquals(same ? 0 : 2, ruled.changed());
  }

  @Test
  void manyTypesAreTakenWithTheSameRun() throws TransformMistake {
    TransformRun run = new TransformRun(TransformSet.parse("when type ~ \"7$\" then drop a", 0));
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      body.append("{\"type\":\"t").append(i).append("\",\"a\":1}\n");
    }
    Transformed ruled =
        Transformed.of(run, body.toString().getBytes(StandardCharsets.US_ASCII), 1 << 20);
    assertEquals(10_000, ruled.stored().size());
    assertEquals(1_000, ruled.changed());
    for (var event : ruled.stored()) {
      assertEquals(!event.type().endsWith("7"), event.attributes().containsKey("a"));
    }
    assertFalse(ruled.same());
  }

  @ParameterizedTest
  @CsvSource({
    "[\\w.]+@[\\w.]+, @",
    "password=\\S+, =",
    "abc, a",
    "a|b@, none",
    "(a@)?b, b",
    "a@*b, a",
    "a@{0}b, a",
    "x{2}@, @",
    "(?i)a@, none",
    "\\Qa@\\E, none",
    "[[:alpha:]]@, none",
    "[]@]b, b",
    "\\p{L}@, none",
    "(x|@)y, y",
    "\\@+, @",
    "\\d\\-\\d, -",
    "é@, @",
  })
  void theByteThatEachMatchHasIsFound(String regex, String expected) {
    int found = RequiredByte.of(regex);
    assertEquals(expected, found < 0 ? "none" : Character.toString(found));
  }
}
