package io.widerow.cli.ship;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Records of a batch that the daemon refused, sent once more so that no line is lost.
///
/// | refused because of | sent again |
/// |---|---|
/// | its time | without one: it gets that of its arrival, and its own is `sender_time` |
/// | what an object says of its type, id or key | with these as attributes |
/// | what it says of its time | with the time of its line, and its own as an attribute |
/// | anything else about an object | as text, with the time of its line |
/// | the size of the batch | as it was, in two halves |
/// | no reason: the list of refusals was cut | as it was, in pieces whose lists are not |
/// | the retention, or a second time the same | not: it is told and counted |
///
/// Its bytes and its key follow from the batch and the responses to it, so that after a restart the
/// same is sent and the daemon knows it.
///
/// - Threads: any; it never changes.
final class SecondTry implements Delivery {
  /// The daemon lists so many refusals of a batch of which it stores nothing.
  private static final int PIECE = 100;

  private static final String UNKNOWN = "for an unknown reason";
  private static final String PAST_RETENTION = "older than the retention of ";

  private final FileBatch batch;
  private final int[] records; // indexes in the batch
  private final int[] forms; // of each of them
  private final byte[] json;
  private final String key;

  private SecondTry(FileBatch batch, int[] records, int[] forms) {
    this.batch = batch;
    this.records = records;
    this.forms = forms;
    JsonBuffer out = new JsonBuffer(1_024);
    MessageDigest digest = Sha256.start();
    digest.update(batch.key.getBytes(StandardCharsets.UTF_8));
    for (int i = 0; i < records.length; i++) {
      batch.forms.put(batch.json, records[i], forms[i], out);
      digest.update(
          ByteBuffer.allocate(2 * Integer.BYTES).putInt(records[i]).putInt(forms[i]).flip());
    }
    this.json = out.copy(out.length());
    this.key = HexFormat.of().formatHex(digest.digest());
  }

  /// The retries for the refused records of a whole batch.
  static Remedy remedy(FileBatch batch, BatchResponse answer) {
    if (answer.refused() == 0) {
      return new Remedy(answer, List.of());
    }
    int[] all = new int[batch.events];
    Arrays.setAll(all, index -> index);
    return new Sorting(batch, all, new int[batch.events]).of(answer);
  }

  @Override
  public Remedy remedy(BatchResponse answer) {
    return answer.refused() == 0
        ? new Remedy(answer, List.of())
        : new Sorting(batch, records, forms).of(answer);
  }

  @Override
  public String parameters() {
    return batch.parameters() + RecordForms.parameters(forms[0]);
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public byte[] json() {
    return json;
  }

  @Override
  public long fileBytes() {
    return 0; // the batch has counted them
  }

  @Override
  public String place(int index) {
    return batch.place(records[index]);
  }

  /// Sorts the refused records of a delivery by their retry.
  private static final class Sorting {
    private final FileBatch batch;
    private final int[] records;
    private final int[] forms;
    private final List<BatchResponse.Refusal> left = new ArrayList<>();
    private final List<Delivery> again = new ArrayList<>();

    /// Records to be sent in their next form, by the parameters that they need.
    private final Map<String, List<Change>> changes = new LinkedHashMap<>();

    private record Change(int record, int form) {}

    Sorting(FileBatch batch, int[] records, int[] forms) {
      this.batch = batch;
      this.records = records;
      this.forms = forms;
    }

    Remedy of(BatchResponse answer) {
      if (answer.accepted() + answer.repeated() + answer.refused() > records.length) {
        return new Remedy(answer, List.of()); // a line was several events: no index names a line
      }
      List<Integer> halved = new ArrayList<>();
      int unlistedFrom = 0;
      for (BatchResponse.Refusal refusal : answer.reasons()) {
        int index = refusal.index();
        unlistedFrom = Math.max(unlistedFrom, index + 1);
        if (isOfBatch(refusal.reason()) && records.length > 1) {
          halved.add(index);
        } else {
          change(index, refusal);
        }
      }
      long unlisted = answer.refused() - answer.reasons().size();
      if (unlisted > 0 && records.length == 1) {
        change(0, new BatchResponse.Refusal(0, UNKNOWN));
      } else if (unlisted > 0) {
        pieces(unlistedFrom, records.length > PIECE ? PIECE : 1);
      }
      for (int at = 0; at < halved.size(); at += (records.length + 1) / 2) {
        asTheyWere(halved.subList(at, Math.min(halved.size(), at + (records.length + 1) / 2)));
      }
      for (List<Change> each : changes.values()) {
        int[] these = each.stream().mapToInt(Change::record).toArray();
        again.add(new SecondTry(batch, these, each.stream().mapToInt(Change::form).toArray()));
      }
      return new Remedy(
          new BatchResponse(answer.accepted(), answer.repeated(), left.size(), left), again);
    }

    private static boolean isOfBatch(String reason) {
      return reason.equals(Rejection.BATCH_TOO_LARGE.reason())
          || reason.equals(Rejection.BATCH_FULL.reason());
    }

    /// Puts a record into the next delivery in its next form, if there is one.
    private void change(int index, BatchResponse.Refusal refusal) {
      int form = next(forms[index], refusal.reason(), batch.forms.isObject(records[index]));
      if (form == forms[index]) {
        left.add(refusal);
      } else {
        changes
            .computeIfAbsent(RecordForms.parameters(form), _ -> new ArrayList<>())
            .add(new Change(records[index], form));
      }
    }

    /// The form after this one; the same when there is none.
    private static int next(int form, String reason, boolean object) {
      boolean old =
          reason.startsWith(PAST_RETENTION) || reason.equals(Rejection.PAST_RETENTION.reason());
      if (old || reason.equals(Rejection.EVENT_TOO_LARGE.reason())) {
        return form; // the same would be said of any other form
      }
      boolean ofTime = // or perhaps
          reason.equals(UNKNOWN)
              || reason.equals(Rejection.TIME_IN_FUTURE.reason())
              || reason.equals(Rejection.TIME_OUT_OF_RANGE.reason());
      if (ofTime && (form & RecordForms.TIMELESS) == 0) {
        return form | RecordForms.TIMELESS;
      }
      return object ? nextOfObject(form, reason) : form | (ofTime ? RecordForms.TIMELESS : 0);
    }

    private static int nextOfObject(int form, String reason) {
      boolean isJson = !reason.equals(JsonScanner.NOT_JSON) && !reason.equals(JsonScanner.CUT);
      if (isJson && (form & RecordForms.PLAIN) == 0) {
        return form | RecordForms.PLAIN;
      }
      boolean hasOwnTime = (form & (RecordForms.TIMELESS | RecordForms.OTHER_TIME)) == 0;
      return form | (isJson && hasOwnTime ? RecordForms.OTHER_TIME : RecordForms.TEXT);
    }

    /// Sends again what may be refused without being listed, which is listed in order. What of it
    /// is stored is there twice then. A first response lists all refusals of a batch that is stored
    /// in part; that to a repeat lists what the daemon's note has room for.
    private void pieces(int from, int size) {
      for (int at = from; at < records.length; at += size) {
        List<Integer> piece = new ArrayList<>();
        for (int index = at; index < Math.min(records.length, at + size); index++) {
          piece.add(index);
        }
        asTheyWere(piece);
      }
    }

    private void asTheyWere(List<Integer> indexes) {
      if (indexes.isEmpty()) {
        return;
      }
      int[] these = indexes.stream().mapToInt(index -> records[index]).toArray();
      int[] theirForms = indexes.stream().mapToInt(index -> forms[index]).toArray();
      again.add(new SecondTry(batch, these, theirForms));
    }
  }
}
