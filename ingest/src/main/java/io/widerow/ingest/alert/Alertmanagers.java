package io.widerow.ingest.alert;

import io.widerow.ingest.config.AlertmanagerAddress;
import io.widerow.query.series.Labels;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Delivers alerts to Alertmanagers. There is no queue: each Alertmanager has, for each alert, the
/// newest state that it has not got, which is sent until it is taken. An Alertmanager identifies an
/// alert by its labels, so that a state that is sent twice pages once.
///
/// - Threads: any; each Alertmanager has one, `widerow-notify-<n>`, virtual.
public final class Alertmanagers implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int ALERTS_MAX = 256; // in a request
  private static final long RETRY_MILLIS_MIN = 1_000;
  private static final long RETRY_MILLIS_MAX = 30_000;
  private static final long IDLE_MILLIS = 60_000;
  private static final int UNDELIVERED_MAX = 100;
  private static final int ERROR = 500;
  private static final int TOO_MANY = 429;
  private static final int SUCCESS = 200;

  private final List<Receiver> receivers = new ArrayList<>();
  private final long resendMillis;
  private final SortedMap<String, String> externalLabels;
  private final LongSupplier epochNanos;
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("widerow-notify-http-", 0).factory());
  private final Set<Labels> taken = new HashSet<>(); // firing, by any receiver; guarded by itself
  private final SortedMap<Labels, Notice> undelivered = new TreeMap<>(); // guarded by `taken`
  private final LongAdder sent = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean stopping;

  /// @param resendMillis after which a firing alert is sent again
  /// @param externalLabels added to each alert that does not have them
  public Alertmanagers(
      List<AlertmanagerAddress> addresses,
      long resendMillis,
      SortedMap<String, String> externalLabels,
      LongSupplier epochNanos) {
    this.resendMillis = resendMillis;
    this.externalLabels = externalLabels;
    this.epochNanos = epochNanos;
    addresses.forEach(each -> receivers.add(new Receiver(each)));
    int number = 0;
    for (Receiver each : receivers) {
      Thread _ = Thread.ofVirtual().name("widerow-notify-" + number++).start(each::run);
    }
  }

  /// An alert, as one Alertmanager knows it.
  private static final class Entry {
    private Notice notice;
    private boolean due = true;
    private long sentMillis; // 0 before the first time

    Entry(Notice notice) {
      this.notice = notice;
    }

    boolean isLate() {
      return notice.kind() == Notice.Kind.LATE;
    }
  }

  /// Delivers states of alerts, firing or resolved, which are durable.
  void offer(List<Notice> notices) {
    if (notices.isEmpty() || receivers.isEmpty()) {
      return;
    }
    for (Notice each : notices) {
      note(each);
    }
    receivers.forEach(receiver -> receiver.offer(notices));
  }

  /// An alert that ended before any Alertmanager took it will page nobody.
  private void note(Notice notice) {
    synchronized (taken) {
      boolean wasTaken = taken.contains(notice.labels());
      if (notice.isResolved() && !wasTaken && isWaiting(notice.labels())) {
        undelivered.put(notice.labels(), notice);
        while (undelivered.size() > UNDELIVERED_MAX) {
          undelivered.remove(undelivered.firstKey());
        }
      }
    }
  }

  /// True when every Alertmanager has got an alert that was found late.
  boolean haveTaken(ActiveAlert alert) {
    return receivers.stream().allMatch(each -> each.hasTaken(alert.labels(), alert.firedAt()));
  }

  private boolean isWaiting(Labels labels) {
    return receivers.stream().anyMatch(each -> each.isWaiting(labels));
  }

  /// Alerts that fired and ended while no Alertmanager answered, since the start.
  List<Notice> undelivered() {
    synchronized (taken) {
      return List.copyOf(undelivered.values());
    }
  }

  /// Requests that an Alertmanager took.
  public long sent() {
    return sent.sum();
  }

  /// Requests that failed, and were or will be repeated.
  public long failed() {
    return failed.sum();
  }

  /// The addresses, without secrets, for `/api/v1/alertmanagers`.
  public List<String> urls() {
    return receivers.stream().map(each -> each.address.uri() + "/api/v2/alerts").toList();
  }

  /// One Alertmanager.
  private final class Receiver {
    private final AlertmanagerAddress address;
    private final Map<Labels, Entry> entries = new LinkedHashMap<>(); // guarded by this
    private boolean isDown;

    Receiver(AlertmanagerAddress address) {
      this.address = address;
    }

    synchronized void offer(List<Notice> notices) {
      long now = epochNanos.getAsLong() / 1_000_000;
      for (Notice notice : notices) {
        Entry entry = entries.get(notice.labels());
        if (entry == null) {
          entries.put(notice.labels(), new Entry(notice));
        } else if (entry.isLate()
            && (entry.notice.isSame(notice)
                || (notice.isResolved() && (entry.due || now - entry.sentMillis < resendMillis)))) {
          assert true; // it fires for a resend interval from when it is taken
        } else {
          boolean same = entry.notice.isSame(notice);
          entry.due |= !same || now - entry.sentMillis >= resendMillis;
          entry.notice = notice;
        }
      }
      entries
          .values()
          .removeIf(each ->
              !each.due
                  && (each.isLate() || each.notice.isResolved())
                  && now - Math.max(each.notice.endsAt(), each.sentMillis)
                      > AlertSteps.KEPT_MILLIS);
      notifyAll();
    }

    /// True for a firing alert that was not taken yet.
    synchronized boolean isWaiting(Labels labels) {
      Entry entry = entries.get(labels);
      return entry != null && entry.notice.kind() == Notice.Kind.FIRING;
    }

    synchronized boolean hasTaken(Labels labels, long startsAt) {
      Entry entry = entries.get(labels);
      return entry != null && !entry.due && entry.notice.startsAt() == startsAt;
    }

    void run() {
      long pause = 0;
      try (HttpClient client = address.client(executor)) {
        while (!stopping) {
          List<Notice> notices = take(pause);
          if (notices.isEmpty()) {
            pause = 0;
            continue;
          }
          String why = post(client, notices);
          if (why == null) {
            done(notices);
            pause = 0;
          } else {
            failed.increment();
            tell(why);
            pause = pause == 0 ? RETRY_MILLIS_MIN : Math.min(2 * pause, RETRY_MILLIS_MAX);
          }
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    /// Waits for states that are due.
    ///
    /// @param pauseMillis wait at least so long
    private synchronized List<Notice> take(long pauseMillis) throws InterruptedException {
      long until = System.nanoTime() + pauseMillis * 1_000_000;
      for (long left = pauseMillis; left > 0 && !stopping; ) {
        wait(left);
        left = (until - System.nanoTime()) / 1_000_000;
      }
      List<Notice> due = due();
      while (due.isEmpty() && !stopping) {
        wait(IDLE_MILLIS);
        due = due();
      }
      return stopping ? List.of() : due;
    }

    private List<Notice> due() {
      return entries.values().stream()
          .filter(each -> each.due)
          .map(each -> each.notice)
          .limit(ALERTS_MAX)
          .toList();
    }

    /// Sends states; returns why they were not taken, or null.
    private @Nullable String post(HttpClient client, List<Notice> notices)
        throws InterruptedException {
      StringBuilder json = new StringBuilder("[");
      long lateEnd = epochNanos.getAsLong() / 1_000_000 + resendMillis;
      for (Notice each : notices) {
        json.append(json.length() > 1 ? "," : "");
        boolean isLate = each.kind() == Notice.Kind.LATE;
        StringBuilder _ = (isLate ? each.withEnd(lateEnd) : each).append(json, externalLabels);
      }
      try {
        HttpResponse<String> response =
            client.send(
                address.request(json.append(']').toString()), HttpResponse.BodyHandlers.ofString());
        int status = response.statusCode();
        if (status / 100 * 100 == SUCCESS) {
          return null;
        }
        String why = "it answered %d: %s".formatted(status, response.body().strip());
        if (status < ERROR && status != TOO_MANY && isOfContent(status)) {
          LOG.log(
              Level.WARNING,
              "{0} refuses {1} alerts: {2}",
              new Object[] {address.uri(), notices.size(), why});
          return null; // it takes the others of a request, and these never
        }
        return why;
      } catch (IOException unreachable) {
        return FailureReason.of(unreachable);
      } catch (IllegalArgumentException unusable) { // the file with the secret
        return String.valueOf(unusable.getMessage());
      }
    }

    private static boolean isOfContent(int status) {
      return status == 400 || status == 422;
    }

    private void tell(String why) {
      if (!isDown) {
        isDown = true;
        LOG.log(Level.WARNING, "alerts wait for {0}: {1}", new Object[] {address.uri(), why});
      }
    }

    private void done(List<Notice> notices) {
      sent.increment();
      if (isDown) {
        isDown = false;
        LOG.log(Level.INFO, "{0} takes alerts again", address.uri());
      }
      long now = epochNanos.getAsLong() / 1_000_000;
      synchronized (taken) {
        for (Notice each : notices) {
          if (each.isResolved()) {
            taken.remove(each.labels());
          } else {
            taken.add(each.labels());
            undelivered.remove(each.labels()); // it was on its way
          }
        }
      }
      synchronized (this) {
        for (Notice each : notices) {
          Entry entry = entries.get(each.labels());
          if (entry != null && entry.notice.isSame(each)) {
            entry.due = false;
            entry.sentMillis = now;
          }
        }
      }
    }

    synchronized void wake() {
      notifyAll();
    }
  }

  /// Ends the threads. What was not delivered is sent after the next start.
  @Override
  public void close() {
    stopping = true;
    receivers.forEach(Receiver::wake);
    executor.shutdown();
  }
}
