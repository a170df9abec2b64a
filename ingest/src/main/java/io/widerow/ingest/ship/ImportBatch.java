package io.widerow.ingest.ship;

import io.widerow.ingest.decode.Sha256;
import java.util.HexFormat;

/// Events of an exported file, ready to be sent.
///
/// @param file as messages name it
/// @param unit of `numbers`: `line` or `row`
/// @param numbers of the lines of the file that the events are on
/// @param json a line for each of them
/// @param fileBytes bytes of the file that they are of
record ImportBatch(String file, String unit, long[] numbers, byte[] json, long fileBytes)
    implements Delivery {
  /// Members as an export writes them, and no other names: the files have the ids.
  private static final String PARAMETERS = "id-field=id&time-field=ts&body-field=body&values=exact";

  @Override
  public String parameters() {
    return PARAMETERS;
  }

  /// Follows from the events, so that a batch that is sent again within minutes is known.
  @Override
  public String key() {
    return HexFormat.of().formatHex(Sha256.start().digest(json));
  }

  @Override
  public String place(int index) {
    return "%s %d of %s".formatted(unit, numbers[index], file);
  }
}
