package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: templates of alert rules expand as those of Prometheus. Method: examples of its
/// `template/template_test.go` and of its documentation.
class RuleTemplateTest {
  private static String expand(String template, double value) {
    RuleTemplate.Data data =
        new RuleTemplate.Data(
            Map.of("job", "api", "instance", "web1.example.com:9100"),
            value,
            Map.of("zone", "eu"),
            "http://w/base",
            1_500_000_000_000L,
            text ->
                List.of(
                    new RuleTemplate.Sample(Map.of("n", "b"), 2),
                    new RuleTemplate.Sample(Map.of("n", "a"), 1)));
    return new RuleTemplate(template).expand(data);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '^',
      value = {
        "{{ $labels.job }}: {{ $value }} ; 1.5 ; api: 1.5",
        "{{ .Labels.none }}x{{ $externalLabels.zone }} ; 0 ; xeu",
        "{{ externalURL }} {{ pathPrefix }} ; 0 ; http://w/base /base",
        "{{ humanize $value }} ; 1234567 ; 1.235M",
        "{{ humanize $value }} ; 0.1234 ; 123.4m",
        "{{ humanize1024 $value }} ; 1048576 ; 1Mi",
        "{{ humanizeDuration $value }} ; 93784 ; 1d 2h 3m 4s",
        "{{ humanizeDuration $value }} ; 61 ; 1m 1s",
        "{{ humanizeDuration $value }} ; 0.1 ; 100ms",
        "{{ $value | humanizePercentage }} ; 0.05123 ; 5.123%",
        "{{ humanizeTimestamp $value }} ; 1435065584.128 ; 2015-06-23 13:19:44.128 +0000 UTC",
        "{{ stripPort $labels.instance }} ; 0 ; web1.example.com",
        "{{ stripDomain $labels.instance }} ; 0 ; web1:9100",
        "{{ range query `x` }}{{ .Labels.n }}={{ .Value }} {{ end }}. ; 0 ; b=2 a=1 .",
        "{{ range query `x` | sortByLabel `n` }}{{ .Labels.n }}{{ end }} ; 0 ; ab",
        "{{ query `x` | first | value }} {{ query `x` | first | label `n` }} ; 0 ; 2 b",
        "{{ reReplaceAll `(a)b` `${1}c` `xaby` }} ; 0 ; xacy",
        "{{ if match `a.i` $labels.job }}yes{{ end }} ; 0 ; yes",
        "{{ printf `%.2f` $value }} ; 3.14159 ; 3.14",
        "{{ $labels.job | toUpper | title }} ; 0 ; API",
        "{{ define `t` }}{{ .arg0 }}-{{ .arg1 }}{{ end }}{{ template `t` args `a` $value }} ; 1 ;"
            + " a-1",
        "{{ define `t` }}<{{ $ }}>{{ end }}{{ range query `x` }}{{ template `t` .Value }}{{ end }}"
            + " ; 0 ; <2><1>",
        "{{ define `t` }}a{{ end }}{{ define `t` }}b{{ end }}{{ template `t` }} ; 0 ; b",
        "{{ block `t` $labels.job }}({{ . }}){{ end }}{{ template `t` 3 }} ; 0 ; (api)(3)",
        "{{ range query `x` }}{{ .Value }}{{ break }}{{ end }}. ; 0 ; 2.",
        "{{ range query `x` }}{{ if eq .Labels.n `b` }}{{ continue }}{{ end }}{{ .Value }}{{ end }}"
            + " ; 0 ; 1",
        "{{ toDuration 3661.5 }} {{ toDuration `0.25` }} ; 0 ; 1h1m1.5s 250ms",
        "{{ slice `abcdef` 1 3 }} {{ js `it's` }} ; 0 ; bc it\\'s",
        "{{ urlQueryEscape `a b&c` }} ; 0 ; a+b%26c"
      })
  void templatesExpandAsThoseOfPrometheus(String template, double value, String text) {
    assertEquals(text, expand(template, value));
  }

  @Test
  void anErrorIsTheText() {
    assertEquals(
        "<error expanding template: error calling humanize:"
            + " strconv.ParseFloat: parsing \"x\": invalid syntax>",
        expand("{{ humanize `x` }}", 0));
    assertThrows(IllegalArgumentException.class, () -> new RuleTemplate("{{ nothing }}"));
    assertThrows(IllegalArgumentException.class, () -> new RuleTemplate("{{ $none }}"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new RuleTemplate("{{ define `t` }}{{ $labels.job }}{{ end }}"));
    assertThrows(IllegalArgumentException.class, () -> new RuleTemplate("{{ break }}"));
    assertEquals("a&lt;b&#34;", expand("{{ html `a<b\"` }}", 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new RuleTemplate("{{ if true }}{{ define `t` }}{{ end }}{{ end }}"));
    assertEquals(
        "<error expanding template: template \"t\" not defined>", expand("{{ template `t` }}", 0));
    assertEquals(
        "<error expanding template: exceeded maximum template depth (500)>",
        expand("{{ define `t` }}{{ template `t` }}{{ end }}{{ template `t` }}", 0));
  }
}
