package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the time of a line is found as a reader of the log finds it, and never another one.
/// Method: lines in the shape of the systems of public log collections, and lines with what looks
/// like a time.
class TimeSightTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

  private static String seen(String line, Instant now, ZoneId zone) {
    byte[] text = line.getBytes(StandardCharsets.UTF_8);
    byte[] bytes = (line + "99:99:99 2015-10-18 18:01:47").getBytes(StandardCharsets.UTF_8);
    long nowNanos = now.getEpochSecond() * Times.NANOS_PER_SECOND;
    long nanos = new TimeSight(zone).nanos(bytes, 0, text.length, nowNanos);
    return nanos == Times.NONE ? "none" : Instant.EPOCH.plusNanos(nanos).toString();
  }

  private static String seen(String line) {
    return seen(line, NOW, ZoneOffset.UTC);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Android
        "03-17 16:13:38.811  1702  2395 D WindowManager: x=1@2026-03-17T16:13:38.811Z",
        "12-01 06:00:00.5 1 2 E A: 2015-10-18 18:01:47@2025-12-01T06:00:00.500Z",
        // Apache error, 2.2 and 2.4
        "[Sun Dec 04 04:47:44 2005] [notice] init() ok@2005-12-04T04:47:44Z",
        "[Sun Dec 04 04:47:44.123456 2005] [core:error] [pid 7:tid 8]@2005-12-04T04:47:44.123456Z",
        // BGL
        "- 1117838570 2005.06.03 R02-M1:J12 2005-06-03-15.42.50.675872 R02@"
            + "2005-06-03T22:42:50.675872Z",
        "APPREAD 1117869872 2005.06.04 R04-M1 2005-06-04-00.24.32.432192 R04@"
            + "2005-06-04T07:24:32.432192Z",
        // HDFS
        "081109 203615 148 INFO dfs.DataNode: block blk_38865049064139660@2008-11-09T20:36:15Z",
        "081110 000015 1117838570 WARN x: /10.250.10.6:50010@2008-11-10T00:00:15Z",
        // HPC
        "134681 node-246 unix.hw state_change.unavailable 1077804742 1 x@2004-02-26T14:12:22Z",
        "2567 11 unix.hw net.niff.up 1084270955 1 NIFF: 1700000000@2004-05-11T10:22:35Z",
        // Hadoop
        "2015-10-18 18:01:47,978 INFO [main] Y: at 2014-01-01 00:00:00@2015-10-18T18:01:47.978Z",
        // HealthApp
        "20171223-22:15:29:606|Step_LSC|30002312|x 1514038440000@2017-12-23T22:15:29.606Z",
        "20171224-0:7:20:44|Step_LSC|30002312|y@2017-12-24T00:07:20.044Z",
        // Linux, OpenSSH, Mac
        "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: uid=0@2026-06-14T15:16:01Z",
        "Jun  9 06:06:20 combo kernel: 2004 x@2026-06-09T06:06:20Z",
        "Dec 10 06:55:46 LabSZ sshd[24200]: 173.234.31.186 port 38926 2005@2025-12-10T06:55:46Z",
        "Jul  1 09:00:55 host-10-105-160-95 kernel[0]: x@2026-07-01T09:00:55Z",
        // OpenStack
        "nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO x@"
            + "2017-05-16T00:00:00.008Z",
        // Proxifier
        "[10.30 16:49:06] chrome.exe - 192.168.10.30:5070 open@2026-10-30T16:49:06Z",
        // Spark
        "17/06/09 20:10:40 INFO executor.X: 1.2.3 at 10/10/10 10:10:10@2017-06-09T20:10:40Z",
        // Thunderbird
        "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond[2915]: x@"
            + "2005-11-09T20:01:01Z",
        // Windows CBS
        "2016-09-28 04:30:30, Info                  CBS    v6.1.7601.23505@2016-09-28T04:30:30Z",
        // ZooKeeper
        "2015-07-29 17:41:41,648 - INFO  [main:X@774] - 0:0:0:0:2181@2015-07-29T17:41:41.648Z",
        // nginx error and access, klog
        "2015/05/17 10:05:03 [error] 7#7: *1 x, client: 10.30.1.2@2015-05-17T10:05:03Z",
        "83.149.9.216 - - [17/May/2015:10:05:03 +0200] \"GET /?t=1431857103\"@2015-05-17T08:05:03Z",
        "I0102 15:04:05.000001   12345 x.go:12] 10:11:12@2026-01-02T15:04:05.000001Z",
        "E20240102 15:04:05.5 7 x.cc:1] y@2024-01-02T15:04:05.500Z",
      })
  void eachSystemOfTheCollectionsIsRead(String line) {
    assertSeen(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2015-10-18T18:01:47Z x@2015-10-18T18:01:47Z",
        "2015-10-18t18:01:47.123456789+01:30 x@2015-10-18T16:31:47.123456789Z",
        "2015-10-18 18:01:47.5-0500 x@2015-10-18T23:01:47.500Z",
        "2015-10-18 18:01:47+02 x@2015-10-18T16:01:47Z",
        "2015-10-18 18:01:47 +0200 x@2015-10-18T16:01:47Z",
        "2015-10-18 18:01:47 UTC [7]@2015-10-18T18:01:47Z",
        "2015-10-18 18:01:47.123 CEST [7]@2015-10-18T16:01:47.123Z",
        "2015-10-18 18:01:47 ESTABLISHED@2015-10-18T18:01:47Z",
        "2015-10-18,18:01:47,978,x@2015-10-18T18:01:47.978Z",
        "2015-10-18,18:01:47,5 items@2015-10-18T18:01:47Z",
        "2015-10-18 9:01:47 x@2015-10-18T09:01:47Z",
        "2015-10-18 18:01 x@2015-10-18T18:01:00Z",
        "20171223T221529Z x@2017-12-23T22:15:29Z",
        "level=info time=\"2015-10-18T18:01:47Z\" x@2015-10-18T18:01:47Z",
        "app.log:2015-10-18 18:01:47 x@2015-10-18T18:01:47Z",
        "é 2015-10-18 18:01:47 x@2015-10-18T18:01:47Z",
        "17-May-2015 10:05:03.123 INFO [main]@2015-05-17T10:05:03.123Z",
        "1:M 17 May 2015 10:05:03.123 * ready@2015-05-17T10:05:03.123Z",
        "[4018] 14 Nov 07:01:22.119 * x@2026-11-14T07:01:22.119Z",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT@1994-11-06T08:49:37Z",
        "17.05.2015 10:05:03 x@2015-05-17T10:05:03Z",
        "Oct 18, 2015 6:01:47 PM x.Y z@2015-10-18T18:01:47Z",
        "Oct 18, 2015 12:01:47 AM x.Y z@2015-10-18T00:01:47Z",
        "Sun Dec  4 04:47:44 PST 2005 x@2005-12-04T12:47:44Z",
        "<34>Oct 11 22:14:15 host su: x@2026-10-11T22:14:15Z",
        "1700000000 x@2023-11-14T22:13:20Z",
        "1700000000@2023-11-14T22:13:20Z",
        "1700000000.5 921 10.0.0.1 TCP_MISS/200@2023-11-14T22:13:20.500Z",
        "[1700000000123] x@2023-11-14T22:13:20.123Z",
        "1700000000123456 x@2023-11-14T22:13:20.123456Z",
        "1700000000123456789 x@2023-11-14T22:13:20.123456789Z",
        "type=SYSCALL msg=audit(1364481363.243:24287): x@2013-03-28T14:36:03.243Z",
        "order 1234567890 sent 2015-10-18 18:01:47@2015-10-18T18:01:47Z",
        "key until 2099-01-01 00:00:00, read 2015-10-18 18:01:47@2015-10-18T18:01:47Z",
        "2099-01-01 00:00:00 a clock that is wrong is not made right@2099-01-01T00:00:00Z",
        "1.2.3.4 - - [17/May/2099:10:05:03 +0000] \"GET\"@2099-05-17T10:05:03Z",
      })
  void otherFormsAreRead(String line) {
    assertSeen(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "2015",
        "2015-10-18",
        "2015-10-18 x",
        "2015-13-18 18:01:47",
        "2015-02-29 18:01:47",
        "2015-10-18 24:01:47",
        "2015-10-18 18:61:47",
        "2015-10-18 18:01:61",
        "2015-10-18 18:01:47:12:13",
        "2015-10-18 18:01:47abc",
        "12015-10-18 18:01:47",
        "v2015-10-18 18:01:47",
        "/var/log/2015-10-18 18:01:47",
        "a-2015-10-18 18:01:47",
        "2015-10-18_18:01:47",
        "05/06/2015 10:05:03 x", // day or month first
        "18:01:47 x",
        "May 5 x",
        "May 5 10:00 x",
        "March 5 10:00:00 x",
        "version 10.30 16:49:06",
        "blocks 081109 203615 x",
        "a 20171223 221529 x",
        "10-11 apples",
        "083 1:02:03",
        "order 12345678901 x",
        "order 170000000 x",
        "order 5000000000 x",
        "order 1700000000-5 x",
        "order 1700000000/5 x",
        "order -1700000000 x",
        "order 1700000000ms x",
        "blk_1700000000 x",
        "id=1700000000",
        "1700000000.1.2 x",
        "1.1700000000 x",
        "978307199 x",
        "4133980800 x",
        "I0102 x",
        "INFO 0102 15:04",
        "key until 2099-01-01 00:00:00",
      })
  void whatIsNoTimeIsNone(String line) {
    assertEquals("none", seen(line));
  }

  @Test
  void onlyTheFirstBytesOfALineAreLookedAt() {
    String time = "2015-10-18 18:01:47";
    assertEquals("2015-10-18T18:01:47Z", seen(" ".repeat(199) + time));
    assertEquals("none", seen(" ".repeat(200) + time));
  }

  /// The year is the one that puts the time nearest before a day from now.
  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:00:10Z, Dec 31 23:59:59, 2025-12-31T23:59:59Z",
    "2025-12-31T23:59:50Z, Jan  1 00:00:01, 2026-01-01T00:00:01Z",
    "2025-12-31T23:59:50Z, Jan  2 00:00:01, 2025-01-02T00:00:01Z",
    "2026-11-25T12:00:00Z, Feb 29 10:00:00, 2024-02-29T10:00:00Z",
    "2026-11-25T12:00:00Z, Feb 30 10:00:00, none",
    "2026-11-25T12:00:00Z, 11-26 12:00:00.000, 2026-11-26T12:00:00Z",
    "2026-11-25T12:00:00Z, 11-26 12:00:00.001, 2026-11-26T12:00:00.001Z",
    "2026-11-25T12:00:00Z, 11-26 12:00:01, 2025-11-26T12:00:01Z",
  })
  void aYearThatIsMissingIsInferred(Instant now, String line, String expected) {
    assertEquals(expected, seen(line + " x", now, ZoneOffset.UTC));
  }

  @ParameterizedTest
  @CsvSource({
    "2015-07-01 10:00:00, 2015-07-01T08:00:00Z",
    "2015-01-01 10:00:00, 2015-01-01T09:00:00Z",
    "2015-03-29 01:59:59, 2015-03-29T00:59:59Z",
    "2015-03-29 03:00:00, 2015-03-29T01:00:00Z",
    "2015-10-25 02:30:00, 2015-10-25T00:30:00Z",
    "Jul  1 10:00:00, 2026-07-01T08:00:00Z",
    "2015-07-01 10:00:00Z, 2015-07-01T10:00:00Z",
    "2015-07-01 10:00:00 +0500, 2015-07-01T05:00:00Z",
    "17/May/2015:10:05:03 +0000, 2015-05-17T10:05:03Z",
    "1700000000, 2023-11-14T22:13:20Z",
  })
  void aZoneThatIsMissingIsTheNamedOne(String line, String expected) {
    assertEquals(expected, seen(line + " x", NOW, ZoneId.of("Europe/Berlin")));
  }

  /// In a log with dates a number is no time, wherever it comes from.
  @Test
  void aNumberCountsOnlyWhereNoLineHasADate() {
    TimeSight sight = new TimeSight(ZoneOffset.UTC);
    byte[] number = "order 1234567890 x".getBytes(StandardCharsets.US_ASCII);
    byte[] date = "2015-10-18 18:01:47 x".getBytes(StandardCharsets.US_ASCII);
    long now = NOW.getEpochSecond() * Times.NANOS_PER_SECOND;
    assertEquals(1_234_567_890_000_000_000L, sight.nanos(number, 0, number.length, now));
    assertEquals(1_445_191_307_000_000_000L, sight.nanos(date, 0, date.length, now));
    assertEquals(Times.NONE, sight.nanos(number, 0, number.length, now));
  }

  /// The line ends at the last `@`.
  private static void assertSeen(String row) {
    int end = row.lastIndexOf('@');
    assertEquals(row.substring(end + 1), seen(row.substring(0, end)), row);
  }
}
