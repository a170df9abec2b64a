package io.widerow.ingest.receive.journald;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.StreamProtocol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// For fuzz tests of the journal export format: finds the entries of a body and decodes them. The
/// ends of entries must be the same wherever the body is cut into pieces.
public final class JournalFuzz {
  private static final String GOOD = "__REALTIME_TIMESTAMP=1767323045000123\nMESSAGE=good\n\n";

  private JournalFuzz() {}

  /// Whole entries, and bad ones between good ones.
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (String good :
        List.of(
            JournalEntries.numbered(1) + JournalEntries.numbered(2),
            "\n\nA=b\nA=c\n" + JournalEntries.binary("B", "x\n\ny") + "\n",
            "PRIORITY=6\n_PID=1\nSYSLOG_FACILITY=x\n_HOSTNAME=\n" + GOOD)) {
      seeds.add(good.getBytes(ISO_8859_1));
    }
    for (String bad : MalformedTest.corpus("malformed.journal")) {
      String text = MalformedTest.expand(bad).replace('|', '\n');
      if (text.length() < 4_096) {
        seeds.add((GOOD + text + "\n\n" + GOOD).getBytes(ISO_8859_1));
      }
    }
    return seeds;
  }

  /// Decodes the whole entries of a body.
  public static void decode(byte[] body, int limit, IncomingBatch batch) {
    int[] whole = ends(body, limit, limit);
    if (!Arrays.equals(whole, ends(body, limit, 1))
        || !Arrays.equals(whole, ends(body, limit, 7))) {
      throw new AssertionError("entries end elsewhere in pieces");
    }
    JournalDecoder decoder = new JournalDecoder(null);
    int start = 0;
    for (int end : whole) {
      if (end <= start || end > limit) {
        throw new AssertionError("an entry of [%d, %d)".formatted(start, end));
      }
      decoder.decode(body, start, end, batch);
      start = end;
    }
  }

  /// The ends of the entries of a body that arrives in pieces, up to where it cannot be read on.
  private static int[] ends(byte[] body, int limit, int pieceBytes) {
    JournalFramer framer = new JournalFramer();
    int[] ends = new int[limit];
    int count = 0;
    try {
      for (int from = 0; from < limit; from += pieceBytes) {
        int until = Math.min(limit, from + pieceBytes);
        byte[] piece = Arrays.copyOfRange(body, from, until + Swar.SLACK_BYTES);
        int end = framer.frameEnd(piece, 0, until - from);
        while (end != StreamProtocol.MORE) {
          ends[count++] = from + end;
          end = framer.frameEnd(piece, end, until - from);
        }
      }
    } catch (RequestRefused bad) {
      if (bad.status().code() != 400) {
        throw new AssertionError(bad);
      }
    }
    return Arrays.copyOf(ends, count);
  }
}
