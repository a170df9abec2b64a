package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the format of a line is recognized by its form. Method: a line of each format with its
/// level, its component and its message.
class SightFormatTest {
  private static final TextFormat SIGHT = new SightFormat();

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      ignoreLeadingAndTrailingWhitespace = true,
      value = {
        "03-17 16:13:38.811  1702  2395 D Window: a b ! D ! Window ! a b",
        "[Sun Dec 04 04:47:44 2005] [notice] a b ! notice ! ! a b",
        "[Sun Dec 04 04:47:44.1 2005] [core:error] [pid 7:tid 8] [client ::1:9] a ! error ! ! a",
        "- 1117838570 2005.06.03 R02-M1 2005-06-03-15.42.50.675872 R02-M1 RAS KERNEL INFO a b"
            + " ! INFO ! KERNEL ! a b",
        "- 1131566461 2005.11.09 dn1 Nov 9 12:01:01 dn1/dn1 crond(pam)[29]: a b ! ! crond(pam) ! a"
            + " b",
        "081109 203615 148 INFO dfs.DataNode$X: a b ! INFO ! dfs.DataNode$X ! a b",
        "13 node-246 unix.hw state.un 1077804742 1 a b ! ! unix.hw ! a b",
        "2015-10-18 18:01:47,978 INFO [main] o.a.MRApp: a b ! INFO ! o.a.MRApp ! a b",
        "2015-07-29 17:41:44,747 - INFO  [Q[myid=1]/0:0:2181:Fast@774] - a b ! INFO ! Fast ! a b",
        "2015-07-29 17:41:44,747 ERROR [main] c.x.Y - a b ! ERROR ! c.x.Y ! a b",
        "2026-01-10 12:00:00,123 [main] INFO  c.x.Y - a b ! INFO ! c.x.Y ! a b",
        "2026-01-10T12:00:00.123 [a-1] ERROR c.x.Y -- a b ! ERROR ! c.x.Y ! a b",
        "12:00:00.123 [http-1] WARN  c.x.Y -- a b ! WARN ! c.x.Y ! a b",
        "2015-07-29 17:41:44,747 - my.logger - WARNING - a b ! WARNING ! my.logger ! a b",
        "2026-11-30T02:10:42.123Z  INFO 71 --- [main] c.x.Y : a b ! INFO ! c.x.Y ! a b",
        "20171223-22:15:29:606|Step|30002312|a b ! ! Step ! a b",
        "2017-05-16 00:00:00.008 25746 INFO nova.x [req-1 2] a b ! INFO ! nova.x ! a b",
        "[10.30 16:49:06] chrome.exe - a b ! ! ! a b",
        "17/06/09 20:10:40 INFO executor.X: a b ! INFO ! executor.X ! a b",
        "2016-09-28 04:30:30, Info                  CBS    a b ! Info ! CBS ! a b",
        "[2016-12-19 16:31:47,999] TRACE a b (state.logger) ! TRACE ! state.logger ! a b",
        "E1128 12:00:00.000000  1 file.go:10] a b ! E ! ! a b",
        "71:M 28 Nov 2026 12:00:00.000 * a b ! ! ! a b",
        "2026-11-30 02:10:42.123 UTC [123] ann@shop LOG:  a b ! LOG ! ! a b",
        "2026-11-30T02:10:42.123456Z 0 [Warning] [MY-010055] [Server] a b ! Warning ! Server ! a b",
        "2026-11-30  2:10:42 7 [Note] a b ! Note ! ! a b",
        "[   12.345678] usb 1-1: a b ! ! usb 1-1 ! a b",
        "2026-11-30 02:10:42.123456 I | raft: a b ! I ! raft ! a b",
        "2014-09-21 04:01:29,522 INFO  [org.x.Y] (Quartz-90) a b ! INFO ! org.x.Y ! a b",
        "Thread-1::INFO::2011-12-07 12:14:15,018::dispatcher::94::Storage.X::(run) a b"
            + " ! INFO ! Storage.X ! a b",
        "h2 2016-08-10T00:10:33.145057Z app/x/5 10.0.1.2:481 10.0.0.6:90 0.000 0.002 0.000 200 200"
            + " 5 257 \"GET https://10.0.2.1:773/ HTTP/2.0\" \"curl\" ECDHE TLSv1.2 arn:aws"
            + " \"Root=1\" - - ! ! !",
        "2012-02-14 10:44:30 status unpacked rsyslog 4.2.0-2ubuntu8 ! ! !",
        "E [04/Nov/2010:17:37:40 -0400] LoadPPDs: a b ! E ! LoadPPDs ! a b",
        "[pid: 7|app: 0|req: 4/41] 1.2.3.4 () {44 vars in 1322 bytes} [Tue Jan  3 05:01:31 2012]"
            + " GET /a?b => generated 192 bytes in 21 msecs (HTTP/1.1 200) 4 headers in 188 bytes"
            + " (1 switches on core 0) ! ! !",
        "b6 www.x.org [10/Feb/2012:16:42:07 -0500] 1.2.3.4 arn:aws EB35 WEBSITE.GET.OBJECT index"
            + " \"GET /index HTTP/1.1\" 200 - 368 368 10 9 \"-\" \"Mozilla\" ! ! !",
        "2015-11-17T05:45:24.077255Z elb 1.2.3.4:40909 10.1.8.1:443 0.000031 0.009511 0.000029 200"
            + " 200 0 415 \"GET https://x.org/a HTTP/1.1\" \"a b\" ECDHE-RSA TLSv1.2 ! ! !",
        "(Tue Mar 31 06:03:46 2015) [sssd[be[x]]] [find] (0x0400): a b ! ! sssd ! a b",
        "08:09:33.815943 access(\"/etc/x\", F_OK) = -1 ENOENT (No such file) <0.000019> ! ! !",
        "2026/11/30 02:10:42 [error] 1#2: a b ! error ! ! a b",
        "Oct 11 22:14:15 host su[230]: a b ! ! ! a b",
        "{\"level\":\"warn\",\"message\":\"a b\"} ! warn ! ! a b",
        "level=info message=\"a b\" took=5 ! info ! ! a b"
      })
  void aLineHasItsFields(String line, String level, String component, String message) {
    Map<String, Object> fields = Parsed.fields(SIGHT, line);
    Map<String, Object> found = Objects.requireNonNull(fields, line);
    assertEquals(level, found.get("level"), line);
    assertEquals(component, found.get("component"), line);
    assertEquals(message, found.get("message"), line);
  }

  @Test
  void everyFormatHasALine() {
    assertEquals(36, SightFormat.names().size(), "and a line above for each");
  }

  @Test
  void anAccessLogAndAnythingElse() {
    String line = "1.2.3.4 - - [x] \"GET / HTTP/1.1\" 200 5";
    assertEquals(200L, Objects.requireNonNull(Parsed.fields(SIGHT, line)).get("status"));
    assertNull(Parsed.fields(SIGHT, "a=b c"));
    assertNull(Parsed.fields(SIGHT, "just some words"));
    assertNull(Parsed.fields(SIGHT, ""));
    assertEquals(SIGHT, Parsed.format("sight"));
  }
}
