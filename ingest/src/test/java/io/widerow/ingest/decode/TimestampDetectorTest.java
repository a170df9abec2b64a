package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the time of a line is found as a reader of the log finds it, and never another one.
/// Method: lines in the shape of the systems of public log collections, and lines with what looks
/// like a time.
class TimestampDetectorTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

  private static String seen(String line, Instant now, ZoneId zone) {
    byte[] text = line.getBytes(StandardCharsets.UTF_8);
    byte[] bytes = (line + "99:99:99 2015-10-18 18:01:47").getBytes(StandardCharsets.UTF_8);
    long nowNanos = now.getEpochSecond() * TimeParser.NANOS_PER_SECOND;
    long nanos = new TimestampDetector(zone).nanos(bytes, 0, text.length, nowNanos);
    return nanos == TimeParser.NONE ? "none" : Instant.EPOCH.plusNanos(nanos).toString();
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

  /// What common programs write, each in the form of its own documentation.
  @ParameterizedTest
  @ValueSource(
      strings = {
        // ISO 8601: T or a space, comma or point, Z, offset or none, basic
        "2015-10-18T18:01:47 x@2015-10-18T18:01:47Z",
        "2015-10-18T18:01:47.9Z x@2015-10-18T18:01:47.900Z",
        "2015-10-18T18:01:47,978Z x@2015-10-18T18:01:47.978Z",
        "2015-10-18 18:01:47,978123456+0200 x@2015-10-18T16:01:47.978123456Z",
        "2015-10-18T18:01Z x@2015-10-18T18:01:00Z",
        "20151018T180147.978+0200 x@2015-10-18T16:01:47.978Z",
        "20151018T180147,978 x@2015-10-18T18:01:47.978Z",
        "20151018 180147,978 x@2015-10-18T18:01:47.978Z",
        // syslog, RFC 3164 and 5424
        "<34>Oct 11 22:14:15 mymachine su: 'su root' failed@2026-10-11T22:14:15Z",
        "<34>1 2003-10-11T22:14:15.003Z mymachine su - ID47 - x@2003-10-11T22:14:15.003Z",
        "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 x 8710 - -@2003-08-24T12:14:15.000003Z",
        // systemd's journal: short, short-iso, short-precise, short-full, short-unix
        "Oct 18 18:01:47.978123 host sshd[1]: x@2026-10-18T18:01:47.978123Z",
        "2015-10-18T18:01:47+0200 host sshd[1]: x@2015-10-18T16:01:47Z",
        "Sun 2015-10-18 18:01:47 CEST host sshd[1]: x@2015-10-18T16:01:47Z",
        "1445191307.978123 host sshd[1]: x@2015-10-18T18:01:47.978123Z",
        // access logs
        "127.0.0.1 user-identifier frank [10/Oct/2000:13:55:36 -0700] \"GET\"@2000-10-10T20:55:36Z",
        "::1 - - [10/Oct/2000:13:55:36 +0000] \"GET /\" 200 5@2000-10-10T13:55:36Z",
        "1445191307.978 1.2.3.4 GET /@2015-10-18T18:01:47.978Z", // nginx, $msec
        // epoch in s, ms, us, ns
        "1445191307 x@2015-10-18T18:01:47Z",
        "1445191307978 x@2015-10-18T18:01:47.978Z",
        "1445191307978123 x@2015-10-18T18:01:47.978123Z",
        "1445191307978123456 x@2015-10-18T18:01:47.978123456Z",
        "ts=1445191307.978123456 x@2015-10-18T18:01:47.978123456Z",
        // Go, klog, glog
        "2015/10/18 18:01:47 x@2015-10-18T18:01:47Z",
        "2015/10/18 18:01:47.978123 main.go:12: x@2015-10-18T18:01:47.978123Z",
        "2015-10-18 18:01:47.978123456 +0200 CEST m=+0.000@2015-10-18T16:01:47.978123456Z",
        "W1018 18:01:47.978123       1 reflector.go:424] x@2026-10-18T18:01:47.978123Z",
        // Java
        "Oct 18, 2015 6:01:47 PM org.x.Y z@2015-10-18T18:01:47Z",
        "Oct 18, 2015 6:01:47\u202fPM org.x.Y z@2015-10-18T18:01:47Z",
        "Oct 18, 2015 6:01:47 pm org.x.Y z@2015-10-18T18:01:47Z",
        "Sun Oct 18 18:01:47 CEST 2015 x@2015-10-18T16:01:47Z",
        "####<Oct 18, 2015, 6:01:47,978 PM CEST> <Notice>@2015-10-18T16:01:47.978Z",
        "[10/18/15 18:01:47:978 CEST] 00000001 WsServerImpl A@2015-10-18T16:01:47.978Z",
        "[2015-10-18T18:01:47.978+0200][0.005s][info][gc] x@2015-10-18T16:01:47.978Z",
        "2015-10-18T18:01:47.978+0200: 0.123: [GC (Allocation)@2015-10-18T16:01:47.978Z",
        // Python, Ruby, Rails, PHP
        "2015-10-18 18:01:47,978 - root - INFO - x@2015-10-18T18:01:47.978Z",
        "INFO:2015-10-18 18:01:47,978:root:x@2015-10-18T18:01:47.978Z",
        "I, [2015-10-18T18:01:47.978123 #4242]  INFO -- : x@2015-10-18T18:01:47.978123Z",
        "Started GET \"/\" for 127.0.0.1 at 2015-10-18 18:01:47 +0200@2015-10-18T16:01:47Z",
        "[18-Oct-2015 18:01:47 UTC] PHP Warning:  x@2015-10-18T18:01:47Z",
        // PostgreSQL, MySQL, MariaDB, Redis, MongoDB, SQL Server, Cassandra
        "2015-10-18 18:01:47.978 CET [4242] LOG:  x@2015-10-18T17:01:47.978Z",
        "2015-10-18 18:01:47.978 -03 [4242] LOG:  x@2015-10-18T21:01:47.978Z",
        "2015-10-18 18:01:47 -10 degrees@2015-10-18T18:01:47Z",
        "2015-10-18 18:01:47.978 JST [4242] LOG:  x@2015-10-18T09:01:47.978Z",
        "2015-10-18T18:01:47.978123Z 0 [Note] x@2015-10-18T18:01:47.978123Z",
        "151018 18:01:47 [Note] x@2015-10-18T18:01:47Z",
        "151018  9:01:47 mysqld_safe x@2015-10-18T09:01:47Z",
        "# Time: 151018  9:01:47@2015-10-18T09:01:47Z",
        "2015-10-18  9:01:47 139894 [Note] InnoDB: x@2015-10-18T09:01:47Z",
        "4242:M 18 Oct 2015 18:01:47.978 * Ready@2015-10-18T18:01:47.978Z",
        "4242:M 18 Oct 18:01:47.978 # x@2026-10-18T18:01:47.978Z",
        "2015-10-18T18:01:47.978+0200 I NETWORK  [conn1] x@2015-10-18T16:01:47.978Z",
        "{\"t\":{\"$date\":\"2020-05-01T15:16:17.180+00:00\"},\"s\":\"I\"@2020-05-01T15:16:17.180Z",
        "2015-10-18 18:01:47.97 spid51 x@2015-10-18T18:01:47.970Z",
        "INFO  [main] 2015-10-18 18:01:47,978 Y.java:12 - x@2015-10-18T18:01:47.978Z",
        // HAProxy, Squid, nginx, Envoy, Traefik
        "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in x@2009-02-06T12:14:14.655Z",
        "Feb  6 12:14:14 lb haproxy[1]: 10.0.1.2 [06/Feb/2009:12:14:14.655]@2026-02-06T12:14:14Z",
        "[2016-04-15T20:17:00.310Z] \"POST / HTTP/2\" 204@2016-04-15T20:17:00.310Z",
        // IIS and W3C, CloudFront, AWS ELB and ALB, S3, VPC flow, CloudTrail
        "2015-10-18 18:01:47 10.0.0.1 GET /index.html - 80 - 1.2.3.4@2015-10-18T18:01:47Z",
        "#Date: 2015-10-18 18:01:47@2015-10-18T18:01:47Z",
        "2019-12-04\t21:02:31\tLAX1\t392@2019-12-04T21:02:31Z",
        "2015-05-13T23:39:43.945958Z my-lb 192.168.131.39:2817@2015-05-13T23:39:43.945958Z",
        "h2 2018-07-02T22:22:48.364000Z app/my-lb/50dc 10.0.1.252@2018-07-02T22:22:48.364Z",
        "79a59df900b949e5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3@2019-02-06T00:00:38Z",
        "2 123456789010 eni-1 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070@"
            + "2014-12-14T04:06:50Z",
        "{\"eventVersion\":\"1.0\",\"eventTime\":\"2014-03-06T21:22:54Z\"@2014-03-06T21:22:54Z",
        // kernel ring buffer with dmesg -T and --time-format iso; Erlang; Suricata, Snort
        "[Sun Oct 18 18:01:47 2015] usb 1-1: x@2015-10-18T18:01:47Z",
        "2015-10-18T18:01:47,978123+02:00 usb 1-1: x@2015-10-18T16:01:47.978123Z",
        "=INFO REPORT==== 18-Oct-2015::18:01:47 ===@2015-10-18T18:01:47Z",
        "10/18/2015-18:01:47.978123  [**] [1:2:3] x@2015-10-18T18:01:47.978123Z",
        "10/18-18:01:47.978123  [**] [1:2:3] x@2026-10-18T18:01:47.978123Z",
        // HTTP dates, two digits of the year, a leap second
        "Sunday, 06-Nov-94 08:49:37 GMT@1994-11-06T08:49:37Z",
        "06-Nov-69 08:49:37 x@2069-11-06T08:49:37Z",
        "06-Nov-70 08:49:37 x@1970-11-06T08:49:37Z",
        "2016-12-31 23:59:60 x@2017-01-01T00:00:00Z",
        // numbers that say themselves which is the day
        "05/17/2015 10:05:03 x@2015-05-17T10:05:03Z",
        "17/05/2015 10:05:03 x@2015-05-17T10:05:03Z",
        "5/17/2015 6:05:03 PM x@2015-05-17T18:05:03Z",
        "17-05-2015 10:05:03 x@2015-05-17T10:05:03Z",
        "05/05/2015 10:05:03 x@2015-05-05T10:05:03Z",
        "12/31/17 20:10:40 x@2017-12-31T20:10:40Z",
        "31/12/17 20:10:40 x@2017-12-31T20:10:40Z",
      })
  void whatCommonProgramsWriteIsRead(String line) {
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
        "05-06-2015 10:05:03 x",
        "5/6/2015 6:05:03 PM x",
        "13/13/2015 10:05:03 x",
        "05/17/201 10:05:03 x",
        "1/17 10:05:03 x",
        "10/8-18:01:47 x",
        "[    0.000000] Linux version",
        "[12345.678901] usb 1-1: x",
        "18:01:47,978 INFO x",
        "a 081109 20:36 x",
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
    "2015-03-29 02:30:00, 2015-03-29T01:30:00Z",
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
    TimestampDetector sight = new TimestampDetector(ZoneOffset.UTC);
    byte[] number = "order 1234567890 x".getBytes(StandardCharsets.US_ASCII);
    byte[] date = "2015-10-18 18:01:47 x".getBytes(StandardCharsets.US_ASCII);
    long now = NOW.getEpochSecond() * TimeParser.NANOS_PER_SECOND;
    assertEquals(1_234_567_890_000_000_000L, sight.nanos(number, 0, number.length, now));
    assertEquals(1_445_191_307_000_000_000L, sight.nanos(date, 0, date.length, now));
    assertEquals(TimeParser.NONE, sight.nanos(number, 0, number.length, now));
  }

  private static List<String> seenOf(String... lines) {
    TimestampDetector sight = new TimestampDetector(ZoneOffset.UTC);
    long now = NOW.getEpochSecond() * TimeParser.NANOS_PER_SECOND;
    List<String> seen = new ArrayList<>();
    for (String line : lines) {
      byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
      long nanos = sight.nanos(bytes, 0, bytes.length, now);
      seen.add(nanos == TimeParser.NONE ? "none" : Instant.EPOCH.plusNanos(nanos).toString());
    }
    return seen;
  }

  @Test
  void aDateThatDoesNotTellIsReadAsTheLastThatDid() {
    assertEquals(
        List.of(
            "none",
            "2015-05-17T10:00:00Z",
            "2015-05-06T10:00:00Z",
            "2015-06-17T10:00:00Z",
            "2015-06-05T10:00:00Z"),
        seenOf(
            "05/06/2015 10:00:00",
            "05/17/2015 10:00:00",
            "05/06/2015 10:00:00",
            "17/06/2015 10:00:00",
            "05/06/2015 10:00:00"));
  }

  @Test
  void twoDigitsAreYearMonthDayUntilALineCannotBeThat() {
    assertEquals(
        List.of("2005-06-09T10:00:00Z", "2009-05-17T10:00:00Z", "2009-05-06T10:00:00Z"),
        seenOf("05/06/09 10:00:00", "05/17/09 10:00:00", "05/06/09 10:00:00"));
    assertEquals(
        List.of("2017-06-09T20:10:40Z", "2018-01-02T03:04:05Z"),
        seenOf("17/06/09 20:10:40", "18/01/02 03:04:05"));
  }

  /// Of several times of a line that of the form before counts, but for one at its beginning.
  @Test
  void theFormOfTheBodyIsTakenBeforeOthers() {
    assertEquals(
        List.of(
            "2015-05-17T10:05:03Z",
            "2015-05-17T10:05:04Z",
            "2014-01-01T00:00:00Z",
            "2015-05-17T10:05:05Z",
            "2013-01-01T00:00:00Z",
            "2014-01-02T00:00:00Z"),
        seenOf(
            "10.0.0.1 - - [17/May/2015:10:05:03 +0000]",
            "10.0.0.1 - 2014-01-01 00:00:00 [17/May/2015:10:05:04 +0000]",
            "10.0.0.1 - 2014-01-01 00:00:00 -",
            "10.0.0.1 - 2014-01-01 00:00:00 [17/May/2015:10:05:05 +0000]",
            "2013-01-01 00:00:00 [17/May/2015:10:05:06 +0000]",
            "10.0.0.1 - - [17/May/2015:10:05:07 +0000] 2014-01-02 00:00:00"));
  }

  /// The line ends at the last `@`.
  private static void assertSeen(String row) {
    int end = row.lastIndexOf('@');
    assertEquals(row.substring(end + 1), seen(row.substring(0, end)), row);
  }
}
