package io.widerow.ingest.receive.elastic;

import static io.widerow.event.Utf8.ascii;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.ResponseHeaders;
import io.widerow.ingest.decode.Refusals;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The response to a bulk: an item for each action, in their order. It is written in pieces as the
/// client reads them, so that a large bulk needs no large response in memory.
///
/// An event without an id of its sender's gets one in the response, which names the item only.
///
/// - Threads: the event loop of the connection.
/// - Memory: one piece, and the actions.
final class BulkResponse {
  private static final int PIECE_BYTES = 64 << 10;
  private static final byte[] STORED =
      ascii(
          "\",\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,\"successful\":1,"
              + "\"failed\":0},\"_seq_no\":");
  private static final byte[] STORED_END = ascii(",\"_primary_term\":1,\"status\":201}}");
  private static final byte[] INDEX = ascii("\":{\"_index\":\"");
  private static final byte[] ID = ascii("\",\"_id\":\"");
  private static final byte[] REFUSED = ascii("\",\"status\":400,\"error\":{\"type\":\"");
  private static final byte[] REASON = ascii("\",\"reason\":\"");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final String NOT_LISTED = "refused; only the first reasons are kept";

  private final BulkItems items;
  private final Refusals refused;
  private final int unlistedFrom;
  private final byte[] request; // the first half of the ids that it makes
  private byte[] out = new byte[4 << 10];
  private int length;
  private int item;
  private int run = -1;
  private int refusal;

  /// @param refused the refused items by index
  /// @param unlistedFrom the first item from which unlisted items count as refused, too. Whether
  ///   they are refused is not known, and an item that is not stored must not be reported as stored
  BulkResponse(BulkItems items, Refusals refused, int unlistedFrom) {
    this.items = items;
    this.refused = refused;
    this.unlistedFrom = unlistedFrom;
    this.request = ascii(HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 12));
  }

  /// @param tookMillis since the request began
  HttpResponse response(ResponseHeaders headers, long tookMillis) {
    boolean errors = refused.count() > 0;
    append(ascii("{\"took\":%d,\"errors\":%b,\"items\":[".formatted(tookMillis, errors)));
    fill();
    if (item == items.count()) {
      return HttpResponse.of(headers, HttpData.wrap(out, 0, length));
    }
    HttpResponseWriter writer = HttpResponse.streaming();
    writer.write(headers);
    next(writer);
    return writer;
  }

  private void next(HttpResponseWriter writer) {
    boolean last = item == items.count();
    if (!writer.tryWrite(HttpData.wrap(out, 0, length))) {
      return; // the client has left
    }
    if (last) {
      writer.close();
      return;
    }
    out = new byte[PIECE_BYTES + (4 << 10)];
    length = 0;
    fill();
    var _ = writer.whenConsumed().thenRun(() -> next(writer));
  }

  /// Adds items until the piece is full, and the end after the last one.
  private void fill() {
    while (item < items.count() && length < PIECE_BYTES) {
      item();
      item++;
    }
    if (item == items.count()) {
      append(ascii("]}\n"));
    }
  }

  private void item() {
    if (item == items.first(run + 1)) {
      run++;
    }
    append(item == 0 ? '{' : ',');
    if (item > 0) {
      append('{');
    }
    append('"');
    append(items.kind(run).name);
    append(INDEX);
    quoted(items.names(), items.nameOffset(run), items.nameLimit(run));
    append(ID);
    int idBytes = items.idBytes(item);
    if (idBytes > 0) {
      quoted(items.ids(), items.idOffset(item), items.idOffset(item) + idBytes);
    } else {
      append(request);
      for (int shift = 28; shift >= 0; shift -= 4) {
        append(HEX[(item >>> shift) & 0xf]);
      }
    }
    boolean listed = refusal < refused.listed() && refused.index(refusal) == item;
    if (listed || item >= unlistedFrom) {
      refusedItem(listed ? refused.reason(refusal) : NOT_LISTED);
      refusal += listed ? 1 : 0;
    } else {
      append(STORED);
      append(ascii(Integer.toString(item)));
      append(STORED_END);
    }
  }

  private void refusedItem(String reason) {
    append(REFUSED);
    boolean stores = items.kind(run).stores() && !reason.startsWith(BulkDecoder.BAD_ACTION);
    append(ascii(stores ? "document_parsing_exception" : "illegal_argument_exception"));
    append(REASON);
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    quoted(text, 0, text.length);
    append(ascii("\"}}}"));
  }

  /// Writes UTF-8 as the inside of a JSON string.
  private void quoted(byte[] text, int offset, int limit) {
    for (int at = offset; at < limit; at++) {
      byte b = text[at];
      if (b == '"' || b == '\\') {
        append('\\');
        append(b);
      } else if (b >= 0 && b < ' ') {
        append(ascii("\\u00"));
        append(HEX[b >>> 4]);
        append(HEX[b & 0xf]);
      } else {
        append(b);
      }
    }
  }

  private void append(int b) {
    if (length == out.length) {
      out = Arrays.copyOf(out, 2 * length);
    }
    out[length++] = (byte) b;
  }

  private void append(byte[] bytes) {
    if (length + bytes.length > out.length) {
      out = Arrays.copyOf(out, Math.max(2 * out.length, length + bytes.length));
    }
    System.arraycopy(bytes, 0, out, length, bytes.length);
    length += bytes.length;
  }
}
