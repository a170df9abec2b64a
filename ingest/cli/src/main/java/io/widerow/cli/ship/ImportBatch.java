package io.widerow.cli.ship;

import io.widerow.ingest.decode.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// Events of an exported file, ready to be sent.
///
/// - Threads: any; it never changes.
///
/// @param salt of this run
/// @param file as messages name it
/// @param unit of `numbers`: `line` or `row`
/// @param numbers of the lines of the file that the events are on; not copied
/// @param json a line for each of them; not copied
/// @param fileBytes bytes of the file that they are of
@SuppressWarnings("ArrayRecordComponent") // never compared
record ImportBatch(
    String salt, String file, String unit, long[] numbers, byte[] json, long fileBytes)
    implements Delivery {
  /// Members as an export writes them, and no other names: the files have the ids.
  private static final String PARAMETERS = "id-field=id&time-field=ts&body-field=body&values=exact";

  @Override
  public String parameters() {
    return PARAMETERS;
  }

  /// Identifies the batch in this run only. Another run may bring back events that were deleted in
  /// the meantime; an existing event is replaced by itself.
  @Override
  public String key() {
    MessageDigest digest = Sha256.start();
    digest.update(salt.getBytes(StandardCharsets.US_ASCII));
    return HexFormat.of().formatHex(digest.digest(json));
  }

  @Override
  public String place(int index) {
    return "%s %d of %s".formatted(unit, numbers[index], file);
  }
}
