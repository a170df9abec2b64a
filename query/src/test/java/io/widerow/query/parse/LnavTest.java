package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: 99.9 % of the lines of each format have the fields that lnav 0.11 finds in them. Method:
/// lines as the programs write them, made at random; lnav as a process, whose tables are read with
/// its SQL. `-Dlnav=FILE` names the program when it is not `/usr/bin/lnav`; without it the test is
/// skipped.
@Tag("process")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LnavTest {
  private static final int LINES = 2_000;
  private static final String[] HOSTS = {"web1", "db-2.example.org", "10.0.0.7", "combo"};
  private static final String[] PROGRAMS = {"sshd", "su", "kernel", "systemd-logind", "CRON"};
  private static final String[] TEXTS = {
    "session opened for user ann", "took 12.5 ms", "failed: (2) no such file", "a: b, c=d", "x"
  };
  private static final String[] AGENTS = {"curl/8.1", "Mozilla/5.0 (X11; Linux) Gecko", "-", "a b"};

  @TempDir private Path directory = Path.of(".");

  /// A format, lnav's table and its columns by our fields.
  enum Format {
    ACCESS(
        "clf",
        "access_log",
        "client=c_ip method=cs_method status=sc_status bytes=sc_bytes "
            + "protocol=cs_version agent=cs_user_agent referrer=cs_referer "
            + "user=cs_username"),
    APACHE_ERROR("sight", "error_log", "module=module pid=pid tid=tid client=c_ip port=c_port"),
    HAPROXY_HTTP(
        "haproxy",
        "haproxy_log",
        "client=client_ip port=client_port frontend=frontend_name "
            + "backend=backend_name server=server_name status=status_code "
            + "bytes=bytes_read Tw=tw Tr=tr termination_state=termination_state"),
    HAPROXY_TCP(
        "haproxy",
        "haproxy_log",
        "client=client_ip frontend=frontend_name backend=backend_name "
            + "server=server_name bytes=bytes_read Tw=tw Tc=tc"),
    SYSLOG(
        "syslog", "syslog_log", "host=log_hostname app=log_procname pid=log_pid message=log_body"),
    SYSLOG_5424(
        "syslog",
        "syslog_log",
        "host=log_hostname app=log_procname pid=log_pid msgid=log_msgid " + "message=log_body"),
    KLOG("sight", "glog_log", "pid=thread file=src_file line=src_line message=log_body"),
    LOG4J("sight", "java_log", "thread=thread component=class message=log_body"),
    OPENSTACK("sight", "openstack_log", "pid=pid component=logger message=log_body"),
    OVIRT("sight", "engine_log", "thread=tid component=logger message=log_body"),
    VDSM(
        "sight",
        "vdsm_log",
        "thread=tid module=module line=src_line component=logger function=func message=log_body"),
    ALB(
        "sight",
        "alb_log",
        "type=type elb=elb client=client_ip port=client_port backend=target_ip "
            + "backend_port=target_port request_time=request_processing_time "
            + "backend_time=target_processing_time response_time=response_processing_time "
            + "status=elb_status_code backend_status=target_status_code received=received_bytes "
            + "sent=sent_bytes method=cs_method protocol=cs_version agent=user_agent "
            + "cipher=ssl_cipher tls=ssl_protocol target_group=target_group_arn trace=trace_id "
            + "domain=domain_name certificate=chosen_cert_arn"),
    DPKG(
        "sight",
        "dpkg_log",
        "action=action status=status package=package version=installed_version "
            + "available_version=available_version"),
    CUPS("sight", "cups_log", "level=level component=section message=log_body"),
    UWSGI(
        "sight",
        "uwsgi_log",
        "pid=s_pid app=s_app request_number=s_req requests=s_worker_reqs client=c_ip "
            + "user=cs_username vars=cs_vars vars_bytes=cs_bytes method=cs_method "
            + "path=cs_uri_stem bytes=sc_bytes protocol=cs_version status=sc_status "
            + "headers=sc_headers header_bytes=sc_header_bytes switches=s_switches core=s_core"),
    S3(
        "sight",
        "s3_log",
        "owner=owner bucket=bucket client=c_ip requester=cs_userid request_id=req_id operation=op "
            + "key=cs_key method=cs_method path=cs_uri_stem protocol=cs_version status=sc_status "
            + "error=sc_error_code bytes=sc_bytes size=obj_size total_ms=total_time "
            + "turnaround_ms=turn_around_time referrer=cs_referer agent=cs_user_agent"),
    ELB(
        "sight",
        "elb_log",
        "elb=elb client=client_ip port=client_port backend=backend_ip backend_port=backend_port "
            + "request_time=request_processing_time backend_time=backend_processing_time "
            + "response_time=response_processing_time status=elb_status_code "
            + "backend_status=backend_status_code received=received_bytes sent=sent_bytes "
            + "method=cs_method protocol=cs_version agent=user_agent cipher=ssl_cipher "
            + "tls=ssl_protocol"),
    SSSD("sight", "sssd_log", "function=function debug_level=debug_level message=log_body"),
    STRACE(
        "sight",
        "strace_log",
        "call=syscall arguments=log_body result=rc error=errno took=duration"),
    JOURNAL(
        "json",
        "journald_json_log",
        "_SYSTEMD_UNIT=_SYSTEMD_UNIT SYSLOG_IDENTIFIER=SYSLOG_IDENTIFIER _PID=_PID "
            + "PRIORITY=PRIORITY");

    private final String parse;
    private final String table;
    private final String columns;

    Format(String parse, String table, String columns) {
      this.parse = parse;
      this.table = table;
      this.columns = columns;
    }

    Map<String, String> columns() {
      Map<String, String> byField = new TreeMap<>();
      for (String each : columns.split(" ", -1)) {
        int equals = each.indexOf('=');
        byField.put(each.substring(0, equals), each.substring(equals + 1));
      }
      return byField;
    }

    String line(SplittableRandom random, int i) {
      String clock = "%02d:%02d:%02d".formatted(i / 3_600, i / 60 % 60, i % 60);
      int n = random.nextInt(1, 30_000);
      String host = HOSTS[random.nextInt(HOSTS.length)];
      String app = PROGRAMS[random.nextInt(PROGRAMS.length)];
      String text = TEXTS[random.nextInt(TEXTS.length)];
      return switch (this) {
        case ACCESS ->
            "10.0.%d.7 - %s [17/May/2015:%s +0000] \"GET /a%d HTTP/1.1\" %d %d \"http://x/\" \"%s\""
                .formatted(
                    n % 256,
                    n % 3 == 0 ? "ann" : "-",
                    clock,
                    n,
                    200 + n % 300,
                    n,
                    AGENTS[n % AGENTS.length]);
        case APACHE_ERROR ->
            "[Tue Apr 04 %s.712806 2017] [core:%s] [pid %d:tid %d] [client 10.0.0.%d:%d] %s"
                .formatted(clock, n % 2 == 0 ? "error" : "notice", n, n + 1, n % 256, n, text);
        case HAPROXY_HTTP ->
            ("Feb 16 %s web1 haproxy[14389]: 10.0.1.%d:%d [06/Feb/2009:%s.655] http-in static/s%d"
                    + " 10/0/30/69/%d %d %d - - ---- 1/1/1/1/0 0/0 \"GET /i%d HTTP/1.1\"")
                .formatted(clock, n % 256, n, clock, n % 9, n, 200 + n % 300, n, n);
        case HAPROXY_TCP ->
            ("Feb 16 %s web1 haproxy[14387]: 10.0.1.%d:%d [06/Feb/2009:%s.655] fnt bck/srv%d"
                    + " 0/0/%d %d -- 0/0/0/0/0 0/0")
                .formatted(clock, n % 256, n, clock, n % 9, n, n);
        case SYSLOG ->
            "Oct 11 %s %s %s%s: %s"
                .formatted(clock, host, app, n % 3 == 0 ? "" : "[" + n + "]", text);
        case SYSLOG_5424 ->
            "<165>1 2003-10-11T%s.003Z %s %s %d ID%d - %s"
                .formatted(clock, host, app, n, n % 90, text);
        case KLOG ->
            "%s1128 %s.000123 %d server.go:%d] %s"
                .formatted("IWEF".charAt(n % 4), clock, n, n % 900, text);
        case LOG4J ->
            "2026-01-10 %s,123 [main-%d] %s com.shop.Pay%d - %s"
                .formatted(clock, n % 9, n % 2 == 0 ? "INFO" : "ERROR", n % 9, text);
        case OPENSTACK ->
            "2014-10-28 %s.772 %d INFO neutron.wsgi%d [req-%d None] %s"
                .formatted(clock, n, n % 9, n, text);
        default -> more(clock, n, host, text);
      };
    }

    private String more(String clock, int n, String host, String text) {
      return switch (this) {
        case OVIRT ->
            "2014-09-21 %s,522 %-5s [org.ovirt.Bll%d] (Worker-%d) %s"
                .formatted(clock, n % 2 == 0 ? "INFO" : "ERROR", n % 9, n % 90, text);
        case VDSM ->
            "Thread-%d::%s::2011-12-07 %s,018::dispatcher::%d::Storage.X%d::(run) %s"
                .formatted(n, n % 2 == 0 ? "INFO" : "ERROR", clock, n % 900, n % 9, text);
        case ALB ->
            ("%s 2016-08-10T%s.145057Z app/x%d/50dc 10.0.1.%d:%d 10.0.0.66:9000 0.000 0.%03d 0.000"
                    + " %d 200 %d 257 \"GET https://10.0.2.1:773/a%d HTTP/2.0\" \"%s\" ECDHE-RSA-%d"
                    + " TLSv1.2 arn:aws:x%d \"Root=1-%x\" www%d.x.org arn:aws:acm:%d")
                .formatted(
                    new String[] {"http", "https", "h2", "ws", "wss"}[n % 5],
                    clock,
                    n % 9,
                    n % 256,
                    n,
                    n % 999 + 1,
                    200 + n % 300,
                    n,
                    n,
                    AGENTS[n % AGENTS.length],
                    n % 9,
                    n % 9,
                    n,
                    n % 9,
                    n % 90);
        case DPKG ->
            n % 3 == 0
                ? "2012-02-14 %s status half-installed lib%d:amd64 %d.1-2".formatted(clock, n, n)
                : "2012-02-14 %s %s lib%d:amd64 %d.1-2 %d.2~rc1"
                    .formatted(clock, n % 2 == 0 ? "upgrade" : "configure", n, n % 90, n % 90);
        case CUPS ->
            "%s [04/Nov/2010:%s -0400] %s%s"
                .formatted("IEW".charAt(n % 3), clock, n % 2 == 0 ? "" : "LoadPPDs: ", plain(text));
        case UWSGI ->
            ("[pid: %d|app: 0|req: %d/%d] 10.0.0.%d (%s) {44 vars in %d bytes} [Tue Jan  3 %s 2012]"
                    + " GET /a%d => generated %d bytes in %d msecs (HTTP/1.1 %d) 4 headers in 188"
                    + " bytes (1 switches on core %d)")
                .formatted(
                    n,
                    n,
                    n + 7,
                    n % 256,
                    n % 2 == 0 ? "" : "ann",
                    n,
                    clock,
                    n,
                    n,
                    n % 90,
                    200 + n % 300,
                    n % 8);
        case S3 ->
            ("79a59%x bucket%d [06/Feb/2019:%s +0000] 192.0.2.%d ann%d 3E57%X REST.GET.OBJECT a/b%d"
                    + " \"GET /b/a%d HTTP/1.1\" %d %s %d %d %d %d \"-\" \"%s\"")
                .formatted(
                    n,
                    n % 9,
                    clock,
                    n % 256,
                    n % 9,
                    n,
                    n,
                    n,
                    200 + n % 300,
                    n % 2 == 0 ? "NoSuchKey" : "-",
                    n,
                    n + 1,
                    n % 90,
                    n % 9,
                    AGENTS[n % AGENTS.length]);
        case ELB ->
            ("2015-11-17T%s.077255Z prod-%d 10.0.0.%d:%d 10.1.0.%d:443 0.000%03d 0.009511 0.000029"
                    + " %d 200 %d %d \"GET https://x.org:443/a%d HTTP/1.1\" \"%s\" ECDHE-RSA-%d"
                    + " TLSv1.2")
                .formatted(
                    clock,
                    n % 9,
                    n % 256,
                    n,
                    n % 250,
                    n % 999 + 1,
                    200 + n % 300,
                    n,
                    n + 1,
                    n,
                    AGENTS[n % AGENTS.length],
                    n % 9);
        case SSSD ->
            "(Tue Mar 31 %s 2015) [%s] [find_%d] (0x%04x): %s"
                .formatted(
                    clock, n % 2 == 0 ? "sssd" : "sssd[be[x%d]]".formatted(n % 9), n % 9, n, text);
        case STRACE ->
            "%s.815943 %s(\"/etc/x%d\", F_OK) = %s <0.000%03d>"
                .formatted(
                    clock,
                    n % 2 == 0 ? "access" : "open",
                    n,
                    n % 3 == 0 ? "-1 ENOENT (No such file or directory)" : Integer.toString(n),
                    n % 999 + 1);
        default -> // the journal
            "{\"__REALTIME_TIMESTAMP\":\"%d\",\"__MONOTONIC_TIMESTAMP\":\"%d\","
                    .formatted(1_700_000_000_000_000L + n, n)
                + "\"_SYSTEMD_UNIT\":\"%s.service\",\"SYSLOG_IDENTIFIER\":\"su\",\"_PID\":\"%d\","
                    .formatted(host, n)
                + "\"PRIORITY\":\"%d\",\"MESSAGE\":\"%s\"}".formatted(n % 8, text);
      };
    }

    /// Of CUPS, where a word and a colon is the component.
    private static String plain(String text) {
      return text.replaceFirst("^(\\w+):", "$1");
    }
  }

  private static Path program() {
    return Path.of(System.getProperty("lnav", "/usr/bin/lnav"));
  }

  private List<Map<String, Object>> byLnav(Format format, List<String> lines)
      throws IOException, InterruptedException {
    Path file = Files.write(directory.resolve("some.log"), lines);
    Path out = directory.resolve("out");
    String select =
        ";select log_line, %s from %s"
            .formatted(String.join(", ", format.columns().values()), format.table);
    ProcessBuilder command =
        new ProcessBuilder(
                program().toString(),
                "-n",
                "-c",
                select,
                "-c",
                ":write-jsonlines-to " + out,
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile());
    command.environment().put("HOME", directory.toString());
    command.environment().remove("XDG_CONFIG_HOME");
    Process lnav = command.start();
    assertTrue(lnav.waitFor(5, TimeUnit.MINUTES), "lnav ends");
    assertTrue(Files.exists(out), () -> format + ": " + read(directory.resolve("said")));
    TextFormat json = Parsed.format("json");
    return Files.readAllLines(out, StandardCharsets.UTF_8).stream()
        .map(row -> Objects.requireNonNull(Parsed.fields(json, row), row))
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /// A value of either; a `-` is none.
  private static String text(@Nullable Object value) {
    String text = value == null ? "" : value.toString().strip();
    return text.equals("-") ? "" : text.replaceFirst("\\.0$", "");
  }

  @ParameterizedTest
  @EnumSource
  void linesHaveTheFieldsOfLnav(Format format) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(program()), program() + " is not there; -Dlnav=FILE names lnav");
    var random = new SplittableRandom(Seeds.one());
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      lines.add(format.line(random, i));
    }
    TextFormat ours = Parsed.format(format.parse);
    List<String> different = new ArrayList<>();
    List<Map<String, Object>> theirs = byLnav(format, lines);
    assertEquals(LINES, theirs.size(), "rows of lnav");
    for (Map<String, Object> row : theirs) {
      String line = lines.get(Integer.parseInt(String.valueOf(row.get("log_line"))));
      Map<String, Object> fields = Parsed.fields(ours, line);
      for (Map.Entry<String, String> each : format.columns().entrySet()) {
        String expected = text(row.get(each.getValue()));
        String found = text(fields == null ? null : fields.get(each.getKey()));
        if (!expected.equals(found)) {
          different.add("%s: lnav %s, found %s in %s".formatted(each, expected, found, line));
        }
      }
    }
    assertTrue(
        different.size() <= LINES / 1_000,
        () -> different.size() + " differ:\n" + String.join("\n", different.subList(0, 5)));
  }
}
