package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: addresses and patterns are found in lines as Loki finds them. Method: tables of lines.
class LineTestsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          3.180.71.3 | from 3.180.71.3 to | true
          3.180.71.3 | from 93.180.71.3 to | false
          3.180.71.3 | 3.180.71.31 | false
          10.0.0.0/8 | a=10.1.2.3, b=11.0.0.1 | true
          10.0.0.0/8 | 11.0.0.1:80 | false
          10.0.0.0/8 | [10.255.255.255]:80 | true
          0.0.0.0/0 | 255.1.1.1 | true
          192.168.0.1-192.168.0.9 | 192.168.0.9 | true
          192.168.0.1 - 192.168.0.9 | 192.168.0.10 | false
          ::1 | listen ::1 port | true
          2001:db8::/32 | client=2001:db8:ff::17 | true
          2001:db8::/32 | client=2001:db9::17 | false
          fe80::1-fe80::ff | fe80::7f | true
          ::ffff:1.2.3.4 | ::ffff:1.2.3.4 | true
          1.2.3.4 | 999.2.3.4 no address 1.2.3 | false
          1.2.3.4 | '' | false
          """)
  void wholeAddressesAreCompared(String addresses, String line, boolean found) {
    IpRange range = IpRange.parse(addresses);
    assertNotNull(range, addresses);
    assertEquals(found, range.isIn(line), addresses + " in " + line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "1.2.3",
        "1.2.3.256",
        "01.2.3.4",
        "1.2.3.4/33",
        "1.2.3.4/",
        "1:2",
        ":::",
        "2.2.2.2-1.1.1.1",
        "1.1.1.1-::1",
        "1::2::3",
        "::1/129"
      })
  void whatNamesNoAddressIsRefused(String addresses) {
    assertNull(IpRange.parse(addresses));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "<_> bar|foo bar|true",
        "<_> bar|foo bar baz|false",
        "<_> baz|foo bar baz|true",
        "foo <_>|foo bar baz|true",
        "foo <_>|foo |false",
        "<_> bar <_>| bar |false",
        "<_>bar<_>| bar |true",
        "bar|a foo bar|true",
        "bar|bar x|false",
        "GET <_> 200|GET /a 200|true",
        "GET <_> 200|GET  200|false",
        "<_>|x|true",
        "<_>|''|false",
        "''|''|true",
        "''|x|false"
      })
  void capturesAreNeverEmptyAndTheEndIsAnchored(String pattern, String line, boolean is) {
    assertEquals(is, LinePattern.parse(pattern).isOf(line), pattern + " of " + line);
  }
}
