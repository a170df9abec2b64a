package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryException;
import io.widerow.query.filter.FilterParser;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each format finds the fields of the lines that its program writes. Method: lines of the
/// programs' manuals, and the fields that these name.
class TextFormatsTest {
  private static void check(String format, String text, String fields) {
    assertEquals(fields, String.valueOf(Parsed.fields(Parsed.format(format), text)), text);
  }

  private static void checkNot(String format, String text) {
    assertNull(Parsed.fields(Parsed.format(format), text), text);
  }

  @ParameterizedTest
  @CsvSource({
    "7, Long",
    "-7, Long",
    "0, Long",
    "9223372036854775807, Long",
    "-9223372036854775808, Long",
    "9223372036854775808, String",
    "007, String",
    "+7, String",
    "-0, String",
    "1.5, Double",
    "-0.25, Double",
    "1., String",
    ".5, String",
    "1e5, String",
    "1.5.2, String",
    "00.5, String",
    "true, Boolean",
    "false, Boolean",
    "True, String",
    "10.0.0.1, String",
    "-, String"
  })
  void theKindIsSeenByTheForm(String text, String kind) {
    var fields = Objects.requireNonNull(Parsed.fields(Parsed.format("logfmt"), "a=" + text));
    Object value = Objects.requireNonNull(fields.get("a"));
    assertEquals(kind, value.getClass().getSimpleName(), text);
    assertEquals(text, value.toString());
  }

  @Test
  void clf() {
    check(
        "clf",
        "1.2.3.4 - ann [17/May/2015:10:05:03 +0000] \"GET /a?b=c d HTTP/1.1\" 200 203",
        "{client=1.2.3.4, user=ann, time=17/May/2015:10:05:03 +0000, method=GET, path=/a?b=c d,"
            + " protocol=HTTP/1.1, status=200, bytes=203}");
    check(
        "clf",
        "a.example:80 ::1 - - [x] \"-\" 408 - \"-\" \"a \\\"b\\\"\"",
        "{vhost=a.example:80, client=::1, time=x, status=408, agent=a \\\"b\\\"}");
    check(
        "clf",
        "1.2.3.4 i u v [x] \"\\x16\\x03\" 400 0 \"\" \"\" \"9.9.9.9, 8.8.8.8\"",
        "{client=1.2.3.4, ident=i, user=u v, time=x, request=\\x16\\x03, status=400, bytes=0,"
            + " forwarded_for=9.9.9.9, 8.8.8.8}");
    checkNot("clf", "1.2.3.4 - - [x] \"GET / HTTP/1.1\" OK 5");
    checkNot("clf", "1.2.3.4 - - [x] \"GET / HTTP/1.1");
    checkNot("clf", "");
  }

  @Test
  void nginx() {
    check(
        "nginx",
        "2026/11/30 02:10:42 [error] 12#13: *14 open() \"/x\" failed (2: No such file),"
            + " client: 1.2.3.4, server: a.example, request: \"GET /x HTTP/1.1\","
            + " upstream: \"http://10.0.0.1:80/x\", host: \"a.example\", referrer: \"http://b/\"",
        "{time=2026/11/30 02:10:42, level=error, pid=12, tid=13, connection=14,"
            + " message=open() \"/x\" failed (2: No such file), client=1.2.3.4, server=a.example,"
            + " method=GET, path=/x, protocol=HTTP/1.1, upstream=http://10.0.0.1:80/x,"
            + " host=a.example, referrer=http://b/}");
    check(
        "nginx",
        "2026/11/30 02:10:42 [notice] 1#1: start worker process 29",
        "{time=2026/11/30 02:10:42, level=notice, pid=1, tid=1,"
            + " message=start worker process 29}");
    check(
        "nginx",
        "1.2.3.4 - - [x] \"GET / HTTP/2.0\" 301 5 \"-\" \"curl\" \"-\"",
        "{client=1.2.3.4, time=x, method=GET, path=/, protocol=HTTP/2.0, status=301, bytes=5,"
            + " agent=curl}");
    checkNot("nginx", "2026/11/30 02:10:42 [error] x#13: y");
  }

  @Test
  void haproxy() {
    check(
        "haproxy",
        "Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655]"
            + " http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {}"
            + " \"GET /index.html HTTP/1.1\"",
        "{client=10.0.1.2, port=33317, time=06/Feb/2009:12:14:14.655, frontend=http-in,"
            + " backend=static, server=srv1, TR=10, Tw=0, Tc=30, Tr=69, Ta=109, status=200,"
            + " bytes=2750, termination_state=----, actconn=1, feconn=1, beconn=1, srv_conn=1,"
            + " retries=0, srv_queue=0, backend_queue=0, request_headers=1wt.eu, method=GET,"
            + " path=/index.html, protocol=HTTP/1.1}");
    check(
        "haproxy",
        "10.0.1.2:33313 [06/Feb/2009:12:12:51.443] fnt bck/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0",
        "{client=10.0.1.2, port=33313, time=06/Feb/2009:12:12:51.443, frontend=fnt, backend=bck,"
            + " server=srv1, Tw=0, Tc=0, Tt=5007, bytes=212, termination_state=--, actconn=0,"
            + " feconn=0, beconn=0, srv_conn=0, retries=3, srv_queue=0, backend_queue=0}");
    check(
        "haproxy",
        "::1:5 [06/Feb/2009:12:12:51.443] f~ b/<NOSRV> -1/-1/-1/-1/+50 -1 +0 a=b - PR-- 1/1/1/1/0"
            + " 0/0 \"GET /cut",
        "{client=::1, port=5, time=06/Feb/2009:12:12:51.443, frontend=f~, backend=b,"
            + " server=<NOSRV>, TR=-1, Tw=-1, Tc=-1, Tr=-1, Ta=50, status=-1, bytes=+0,"
            + " request_cookie=a=b, termination_state=PR--, actconn=1, feconn=1, beconn=1,"
            + " srv_conn=1, retries=0, srv_queue=0, backend_queue=0, method=GET, path=/cut}");
    checkNot("haproxy", "10.0.1.2:1 [06/Feb/2009:12:12:51.443] fnt/1: Connection error");
  }

  @Test
  void postgresCsv() {
    check(
        "postgres csv",
        "2026-11-30 02:10:42.123 UTC,\"ann\",\"shop\",4711,\"10.0.0.1:5432\",65a.1,3,\"SELECT\","
            + "2026-11-30 02:00:00 UTC,3/4,0,ERROR,42703,\"column \"\"x\"\" does not\nexist\",,,,,,"
            + "\"select x\",8,,\"psql\",\"client backend\",,0",
        "{log_time=2026-11-30 02:10:42.123 UTC, user_name=ann, database_name=shop,"
            + " process_id=4711, connection_from=10.0.0.1:5432, session_id=65a.1,"
            + " session_line_num=3, command_tag=SELECT, session_start_time=2026-11-30 02:00:00 UTC,"
            + " virtual_transaction_id=3/4, transaction_id=0, severity=ERROR, sql_state_code=42703,"
            + " message=column \"x\" does not\nexist, query=select x, query_pos=8,"
            + " application_name=psql, backend_type=client backend, query_id=0}");
    var fields =
        Objects.requireNonNull(
            Parsed.fields(
                Parsed.format("postgres csv"),
                "2026-11-30 x,,,1,,1.5,1,,,,0,LOG,00000" + ",".repeat(10)));
    assertEquals("1.5", fields.get("session_id"), "no number");
    checkNot("postgres csv", "2026-11-30 a,b");
    checkNot("postgres csv", "2026-11-30 \"a," + ",".repeat(22) + "\"");
  }

  @Test
  void syslog() {
    check(
        "syslog",
        "<165>1 2003-10-11T22:14:15.003Z host app 8710 ID47 [ex@1 k=\"a \\\"b\\\" \\n\" n=\"5\"][y]"
            + " text",
        "{facility=20, severity=5, time=2003-10-11T22:14:15.003Z, host=host, app=app, pid=8710,"
            + " msgid=ID47, ex@1.k=a \"b\" \\n, ex@1.n=5, message=text}");
    check("syslog", "<0>1 - - - - - -", "{facility=0, severity=0}");
    check(
        "syslog",
        "Oct  1 22:14:15 host su[230]: text: more",
        "{time=Oct  1 22:14:15, host=host, pid=230, app=su, message=text: more}");
    check(
        "syslog",
        "<34>2026-11-28T16:00:00.123+01:00 host text without a tag",
        "{facility=4, severity=2, time=2026-11-28T16:00:00.123+01:00, host=host,"
            + " message=text without a tag}");
    check("syslog", "Oct 11 22:14:15 su: x", "{time=Oct 11 22:14:15, app=su, message=x}");
    checkNot("syslog", "<192>1 - - - - - -");
    checkNot("syslog", "Hello world");
  }

  @Test
  void json() {
    check(
        "json",
        " {\"a\":{\"b\":1,\"c\":{\"d\":\"x\"}},\"e\":[1,{\"f\":2}],\"g\":null,\"h\":1.5,\"i\":true,"
            + "\"j\":\"\\u00e9\\n\",\"k\":\"7\",\"a.b\":2,\"l\":1e400,\"m\":{}} ",
        "{a.b=1, a.c.d=x, e=[1,{\"f\":2}], h=1.5, i=true, j=\u00e9\n, k=7, l=1e400}");
    for (String bad : new String[] {"", "[1]", "7", "{\"a\":1", "{\"a\":1} x", "{\0a", "{'a':1}"}) {
      checkNot("json", bad);
    }
    checkNot("json", "{\"a\":".repeat(100) + "1" + "}".repeat(100));
  }

  @Test
  void logfmt() {
    check(
        "logfmt",
        "level=warn msg=\"a \\\"b\\\" \\u00e9\" took=1.5 n=7 flag empty= ok=true n=8 =x \"y\" z=\"",
        "{level=warn, msg=a \"b\" \u00e9, took=1.5, n=7, ok=true}");
    checkNot("logfmt", "no pair at all");
  }

  @Test
  void patternAndRegexpAndGrok() {
    check(
        "pattern \"<ip> - <_> [<ts>] <rest>\"", "1.2.3.4 - x [t] 5", "{ip=1.2.3.4, ts=t, rest=5}");
    check("pattern `é<a>ü`", "éxü", "{a=x}");
    checkNot("pattern `a<b>`", "xab");
    check("regexp /(?P<a>\\d+)\\/(?P<b>\\w*)/", "x 12/", "{a=12}");
    checkNot("regexp /(?P<a>\\d+)/", "x");
    check(
        "grok \"%{IP:client} %{WORD:method} %{NUMBER:took:float} %{NUMBER:code:string}\"",
        "10.0.0.1 GET 0.25 200", "{client=10.0.0.1, method=GET, took=0.25, code=200}");
    check("grok `%{DATA:[http][path]}$`", "/x", "{http.path=/x}");
    check(
        "grok '%{COMBINEDAPACHELOG}'",
        "1.2.3.4 - ann [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 203 \"-\" \"x\"",
        "{clientip=1.2.3.4, ident=-, auth=ann, timestamp=17/May/2015:10:05:03 +0000, verb=GET,"
            + " request=/a, httpversion=1.1, response=200, bytes=203, referrer=\"-\","
            + " agent=\"x\"}");
  }

  @Test
  void everyGrokPatternIsAnExpression() {
    for (String name : GrokText.patterns()) {
      assertTrue(Parsed.format("grok `%%{%s:x}`".formatted(name)).isVerbatim(), name);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "| parse as xml ! expected a format",
        "| parse body nginx ! expected as, and a format",
        "| parse ts as json ! ts is the event's own",
        "| parse as postgres ! expected csv after postgres",
        "| parse as pattern `x` ! at least one capture is required",
        "| parse as pattern `<a><b>` ! found consecutive capture",
        "| parse as regexp /x/ ! at least one named group is required",
        "| parse as regexp /(?P<a>x{1000}{1000})/ ! regular expressions of more than",
        "| parse as regexp /(?P<a>/ ! not an RE2 expression",
        "| parse as grok `%{NO:x}` ! no such grok pattern: NO",
        "| parse as grok `%{IP}` ! at least one field is required",
        "| parse as grok `%{IP:x:date}` ! the type of a field is int, float or string",
        "| parse as json a = 1 ! expected | or the end",
        "a = 1 | ! expected the name"
      })
  void refusals(String where, String why) {
    var refused =
        assertThrows(
            QueryException.Refused.class,
            () -> {
              var _ = FilterParser.parsePipeline(where, 0);
            });
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused.getMessage());
  }
}
