package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.widerow.query.QueryException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: templates have the results of Go's `text/template` with Loki's functions, within the limit
/// of a text. Method: tables of templates with the text, the refusal or the failure that Go gives.
@Timeout(60)
class TemplateTest {
  private static final long TIME = 1_767_225_600_123_456_789L; // 2026-01-01T00:00:00.123456789Z

  private static final long ALLOCATED_MAX = 64 << 20;
  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean(); // of this virtual machine

  private static final class Line implements TemplateRun.Source {
    private static final int TEXT_MAX = 1 << 20;

    @Override
    public @Nullable String label(String name) {
      return labels().get(name);
    }

    @Override
    public Map<String, String> labels() {
      return new TreeMap<>(
          Map.of(
              "method",
              "get",
              "status",
              "500",
              "took",
              "1.5s",
              "size",
              "2KB",
              "json",
              "{\"a\":[1,2.5,\"x\"],\"b\":{\"c\":true},\"n\":null}",
              "path",
              "/api/user/42",
              "empty",
              "",
              "name",
              "Max Müller",
              "n",
              "7"));
    }

    @Override
    public String line() {
      return "the line";
    }

    @Override
    public long timeNanos() {
      return TIME;
    }

    @Override
    public long nowNanos() {
      return TIME;
    }

    @Override
    public void made(long chars) {
      if (chars > TEXT_MAX) {
        throw new QueryException.OverBudget("bytes", TEXT_MAX, chars, "format less");
      }
    }
  }

  private static String render(String template) throws TemplateRun.Failed {
    return TemplateRun.render(Template.parse(template), new Line());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '~',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          plain => plain
          {{.method}} {{ .status }} => get 500
          {{.absent}}x => x
          [{{- .method -}} ] => [get]
          a {{- /* note */ -}} b => ab
          {{__line__}} {{ __line__ }} => the line the line
          {{.method | ToUpper}} => GET
          {{.method | upper | printf "%s!" }} => GET!
          {{ToLower "ABC"}} => abc
          {{title "max of it"}} => Max Of It
          {{Replace .path "/" "-" 1}} => -api/user/42
          {{replace "/" "-" .path}} => -api-user-42
          {{Trim "xxaxx" "x"}}{{TrimLeft "xxa" "x"}}{{TrimRight "axx" "x"}} => aaa
          {{TrimPrefix .path "/api"}} {{TrimSuffix .path "42"}} => /user/42 /api/user/
          {{trimPrefix "/api" .path}} {{trimSuffix "42" .path}} => /user/42 /api/user/
          {{trimAll "$" "$5.00$"}}{{trim "  a "}}{{TrimSpace " b "}} => 5.00ab
          {{trunc 5 .name}} {{trunc -3 .name}} => Max M ler
          {{substr 4 6 .name}} {{substr 4 -1 .name}} => Mü Müller
          {{alignLeft 5 .method}}. {{alignRight 5 .method}} {{alignRight 2 .method}} => \
          get  .   get et
          {{repeat 3 "ab"}} => ababab
          {{indent 2 "a"}} {{nindent 1 "b" | len}} => a 3
          {{b64enc "hi"}} {{b64dec "aGk="}} => aGk= hi
          {{urlencode "a b&c"}} {{urldecode "a+b%26c"}} => a+b%26c a b&c
          {{contains "user" .path}} {{hasPrefix "/a" .path}} {{hasSuffix "x" .path}} => \
          true true false
          {{regexReplaceAll `(\\d+)` .path "<$1>"}} => /api/user/<42>
          {{regexReplaceAll "(?P<x>[a-z]+)/" .path "${x}_"}} => /api_user_42
          {{regexReplaceAllLiteral `\\d` .path "$1"}} => /api/user/$1$1
          {{count "/" .path}} => 3
          {{default "-" .empty}}{{default "-" .absent}}{{.method | default "-"}} => --get
          {{if eq .status "500"}}bad{{else}}good{{end}} => bad
          {{if ne .status "500"}}a{{else if .empty}}b{{else if gt 3 2}}c{{else}}d{{end}} => c
          {{if and .method .empty}}x{{end}}{{if or .empty .method}}y{{end}}{{if not \
          .empty}}z{{end}} => \
          yz
          {{if eq .method "put" "get"}}one{{end}} => one
          {{and .method .status}} {{or .empty "x"}} => 500 x
          {{lt 1 2}} {{le 2 2}} {{gt "b" "a"}} {{ge 1.5 2.5}} => true true true false
          {{with .method}}<{{.}}>{{end}}{{with .empty}}x{{else}}none{{end}} => <get>none
          {{$x := .method}}{{$x}}{{$x = "put"}}{{$x}}{{$.status}} => getput500
          {{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}} => 2
          {{range (fromJson .json).a}}[{{.}}]{{end}} => [1][2.5][x]
          {{range $i, $e := (fromJson .json).a}}{{$i}}={{$e}} {{end}} => 0=1 1=2.5 2=x
          {{range $k, $v := fromJson .json}}{{$k}}:{{$v}};{{end}} => \
          a:[1 2.5 x];b:map[c:true];n:<no value>;
          {{range (fromJson "[]")}}x{{else}}none{{end}} => none
          {{$j := fromJson .json}}{{$j.b.c}} {{index $j "a" 0}} {{index $j.a 2}} => true 1 x
          {{fromJson "nope"}} => <no value>
          {{len .method}} {{len (fromJson .json).a}} {{len "ü"}} => 3 3 2
          {{index . "method"}} {{index $ "status"}} => get 500
          {{print "a" 1 2 "b"}} {{print 1 2}} => a1 2b 1 2
          {{printf "%-5s|%5s|%05d|%.2f|%q|%x|%t|%v" "a" "b" 42 3.14159 "c\\"" 255 true 1.5}} => \
          a    |    b|00042|3.14|"c\\""|ff|true|1.5
          {{printf "%s %d" "a"}} => a %!d(MISSING)
          {{printf "%s" "a" "b"}} => a%!(EXTRA string=b)
          {{printf "%d" "a"}} => %!d(string=a)
          {{printf "%+d %6.1f %%" 5 2.25}} => +5    2.2 %
          {{printf "%3c|" 'x'}} =>   x|
          {{add 1 2 .n}} {{sub 9 2}} {{mul 2 3 4}} {{div 7 2}} {{mod 7 4}} => 10 7 24 3 3
          {{max 1 9 3}} {{min 4 2}} {{maxf 1.5 2}} {{minf 1.5 2}} => 9 2 2 1.5
          {{addf 1.5 2}} {{subf 2 0.5}} {{mulf 1.5 2}} {{divf 3 2}} => 3.5 1.5 3 1.5
          {{ceil 1.2}} {{floor "1.8"}} {{round 1.256 2}} {{int "42"}} {{float64 "1.5"}} => \
          2 1 1.26 42 1.5
          {{bytes .size}} {{duration .took}} {{duration_seconds .took}} => 2000 1.5 1.5
          {{mulf 1e21 1}} {{mulf 1e-7 1}} {{mulf 123456789 10}} => 1e+21 1e-07 1234567890
          {{date "2006-01-02T15:04:05.000Z07:00" __timestamp__}} => 2026-01-01T00:00:00.123Z
          {{date "Mon Jan _2 3:04PM 06" now}} => Thu Jan  1 12:00AM 26
          {{unixEpoch __timestamp__}} {{unixEpochMillis now}} {{unixEpochNanos now}} => \
          1767225600 1767225600123 1767225600123456789
          {{toDate "2006-01-02" "2026-03-05" | date "02.01.2006"}} => 05.03.2026
          {{toDateInZone "2006-01-02 15:04" "Europe/Berlin" "2026-07-01 02:00" | unixEpoch}} => \
          1782864000
          {{unixToTime "1767225600123" | date "15:04:05.000"}} => 00:00:00.123
          {{`raw \\n`}} {{"tab\\tx"}} {{"}}"}} => raw \\n tab	x }}
          {{(print "a" "b") | ToUpper}} => AB
          {{true}} {{1}} {{-2}} {{0x10}} {{1.50}} => true 1 -2 16 1.5
          """)
  void templatesHaveTheResultsOfGo(String template, String text) throws TemplateRun.Failed {
    assertEquals(text, render(template).strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '~',
      textBlock =
          """
          {{ => unclosed action
          {{nosuch .x}} => function "nosuch" not defined
          {{if .x}} => unexpected EOF in {{if}}
          {{range .x}}{{else}} => unexpected EOF in {{range}}
          {{end}} => unexpected {{end}}
          {{.x|}} => missing value for command
          {{$x}} => undefined variable "$x"
          {{define "x"}} => unexpected EOF in {{define}}
          {{(.x}} => unclosed left paren
          {{/* x => unclosed comment
          {{}} => missing value for command
          {{"\\q"}} => invalid syntax
          {{ ? }} => unexpected "?" in action
          """)
  void whatGoDoesNotParseIsRefused(String template, String told) {
    String of = template;
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Template.parse(of), of);
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(told), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '~',
      textBlock =
          """
          {{ToUpper 5}} => wrong type for value; expected string; got int
          {{ToUpper}} => wrong number of args
          {{div 1 0}} => integer divide by zero
          {{.method.x}} => can't evaluate field x
          {{"a" "b"}} => can't give argument to non-function
          {{eq .status 500}} => incompatible types for comparison
          {{duration "1d"}} => unknown unit "d" in duration "1d"
          {{regexReplaceAll "(" .method "x"}} => missing closing )
          {{index .method 1}} => can't index
          {{range .method}}{{end}} => range can't iterate over get
          """)
  void whatDoesNotFitTheLineFails(String template, String told) {
    TemplateRun.Failed failed =
        assertThrows(TemplateRun.Failed.class, () -> render(template), template);
    assertTrue(String.valueOf(failed.getMessage()).contains(told), failed.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{repeat 1000000000 \"x\"}}",
        "{{repeat 9000000000000000000 \"xy\"}}",
        "{{indent 1000000000 \"x\"}}",
        "{{nindent 2000000 \"x\"}}",
        "{{alignLeft 1000000000 .method}}",
        "{{alignRight 2000000000 .method}}",
        "{{printf \"%999999999d\" 1}}",
        "{{printf \"%.999999999f\" 1.5}}",
        "{{$x := repeat 1000 \"x\"}}{{replace \"x\" (repeat 2000 \"y\") $x}}",
        "{{Replace (repeat 2000 \"x\") \"\" (repeat 2000 \"y\") -1}}",
        "{{regexReplaceAll \"x\" (repeat 2000 \"x\") (repeat 2000 \"y\")}}",
        "{{regexReplaceAllLiteral \"x\" (repeat 2000 \"x\") (repeat 2000 \"y\")}}",
        "{{range 90000}}{{$.json}}{{end}}",
        "{{$x := repeat 9999 \"x\"}}{{print MANY}}",
        "{{$x := repeat 9999 \"x\"}}{{println MANY}}",
        "{{$x := repeat 9999 \"x\"}}{{printf \"\" MANY}}",
        "{{$x := repeat 9999 \"x\"}}{{printf \"%d\" $x MANY}}",
        "{{$x := repeat 9999 \"x\"}}{{printf (repeat 500 \"%s\") MANY}}",
        "{{$x := repeat 9999 \"x\"}}{{printf (repeat 500 \"%q\") MANY}}",
        "{{repeat 400000 \"ä\" | urlencode}}",
        "{{urlencode (urlencode (urlencode (repeat 100000 \" x%\")))}}",
        "{{repeat 900000 \"x\" | b64enc}}",
        "{{b64enc (b64enc (b64enc (b64enc (repeat 400000 \"x\"))))}}",
        "{{regexReplaceAll \"(.*)\" (repeat 20000 \"x\") (repeat 200 \"$1\")}}",
        "{{ToUpper (repeat 1048577 \"x\")}}"
      })
  void textsAreBoundedBeforeTheyAreMade(String template) {
    String many = template.replace("MANY", "$x ".repeat(500));
    long before = THREADS.getCurrentThreadAllocatedBytes();
    assertThrows(QueryException.OverBudget.class, () -> render(many), template);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertTrue(allocated < ALLOCATED_MAX, () -> template + " allocated " + allocated + " bytes");
  }

  @Test
  void aTextOfThousandsOfCharactersIsReplaced() throws TemplateRun.Failed {
    String text = "{{$x := repeat 20000 \"ab\"}}";
    assertEquals("<a>b".repeat(20_000), render(text + "{{regexReplaceAll \"(a)\" $x \"<$1>\"}}"));
    assertEquals("-b".repeat(20_000), render(text + "{{regexReplaceAllLiteral \"a\" $x \"-\"}}"));
  }

  /// Work that makes no text has an end too: steps, and texts that are read.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{range 1000}}{{range 1000}}{{end}}{{end}}",
        "{{range 9000000000000000000}}{{end}}",
        "{{range 90000}}{{$n := count \"a+b\" $x}}{{end}}",
        "{{range 90000}}{{$n := count (repeat 2000 \"a\") \"a\"}}{{end}}",
        "{{range 90000}}{{$n := len $x}}{{end}}",
        "{{range 90000}}{{$n := trunc 999999 $x}}{{end}}",
        "{{range 90000}}{{$n := eq $x (print $x)}}{{end}}",
        "{{range 90000}}{{if contains \"b\" $x}}{{end}}{{end}}",
        "{{range 90000}}{{$n := lower $x}}{{end}}"
      })
  void workHasAnEnd(String template) {
    String of = "{{$x := repeat 1000000 \"a\"}}" + template;
    TemplateRun.TooLong failed =
        assertThrows(TemplateRun.TooLong.class, () -> render(of), template);
    assertTrue(String.valueOf(failed.getMessage()).contains("100000 steps"));
  }

  @Test
  void layoutsHaveAnEnd() {
    TemplateRun.Failed failed =
        assertThrows(TemplateRun.Failed.class, () -> render("{{date (repeat 900000 \"x\") now}}"));
    assertTrue(String.valueOf(failed.getMessage()).contains("layout of 900000 characters"));
  }

  @Test
  void nestingHasAnEnd() {
    for (String deep :
        new String[] {
          "{{if true}}".repeat(1_000), "{{" + "(".repeat(1_000) + "}}", "x".repeat(70_000)
        }) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> Template.parse(deep));
      assertTrue(String.valueOf(refused.getMessage()).startsWith("template "), deep);
    }
  }
}
