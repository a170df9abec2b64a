package io.widerow.faults;

import static io.widerow.faults.RawHttp2.END_HEADERS;
import static io.widerow.faults.RawHttp2.END_STREAM;
import static io.widerow.faults.RawHttp2.frame;
import static io.widerow.faults.RawHttp2.number;
import static io.widerow.faults.RawHttp2.request;
import static io.widerow.faults.RawHttp2.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;

/// The known floods of HTTP/2: frames that cost the server more than their sender.
public enum Http2Flood {
  PING,
  PING_ACK,
  SETTINGS,
  PRIORITY,
  WINDOW_UPDATE_OF_1,
  /// CVE-2025-8671: the server must reset each stream, and goes on working for it.
  WINDOW_UPDATE_OF_0,
  WINDOW_UPDATE_OF_0_FOR_A_CLOSED_STREAM,
  /// CVE-2023-44487.
  RAPID_RESET,
  EMPTY_DATA,
  DATA_AFTER_THE_END,
  HEADERS_WITHOUT_A_NAME,
  CONTINUATION,
  UNKNOWN;

  private static final int FRAMES_MAX = 100_000;

  /// The bytes sent before the flood.
  public byte[] first() {
    return switch (this) {
      case EMPTY_DATA -> request(1, "/v1/events?type=flood", END_HEADERS);
      case WINDOW_UPDATE_OF_0_FOR_A_CLOSED_STREAM, DATA_AFTER_THE_END ->
          request(1, "/ready", END_STREAM | END_HEADERS);
      case CONTINUATION -> frame(RawHttp2.HEADERS, END_STREAM, 1, (byte) 0x82);
      default -> new byte[0];
    };
  }

  /// The bytes of the n-th round.
  public byte[] frames(int n) {
    return switch (this) {
      case PING -> frame(RawHttp2.PING, 0, 0, new byte[8]);
      case PING_ACK -> frame(RawHttp2.PING, 1, 0, new byte[8]);
      case SETTINGS -> frame(RawHttp2.SETTINGS, 0, 0);
      case PRIORITY -> frame(RawHttp2.PRIORITY, 0, stream(n), new byte[] {0, 0, 0, 0, 1});
      case WINDOW_UPDATE_OF_1 -> frame(RawHttp2.WINDOW_UPDATE, 0, 0, number(1));
      case WINDOW_UPDATE_OF_0 ->
          both(
              request(stream(n), "/v1/query?type=*", END_STREAM | END_HEADERS),
              frame(RawHttp2.WINDOW_UPDATE, 0, stream(n), number(0)));
      case WINDOW_UPDATE_OF_0_FOR_A_CLOSED_STREAM -> frame(RawHttp2.WINDOW_UPDATE, 0, 1, number(0));
      case RAPID_RESET ->
          both(
              request(stream(n), "/v1/query?type=*", END_STREAM | END_HEADERS),
              frame(RawHttp2.RST_STREAM, 0, stream(n), number(8)));
      case EMPTY_DATA -> frame(RawHttp2.DATA, 0, 1);
      case DATA_AFTER_THE_END -> frame(RawHttp2.DATA, 0, 1, (byte) 'x');
      case HEADERS_WITHOUT_A_NAME ->
          frame(RawHttp2.HEADERS, END_STREAM | END_HEADERS, stream(n), new byte[] {0, 0, 0});
      case CONTINUATION -> frame(RawHttp2.CONTINUATION, 0, 1);
      case UNKNOWN -> frame(0xbe, 0, 0, new byte[8]);
    };
  }

  /// Floods on one connection after the other.
  ///
  /// @return false when the server left one open, or took none
  public boolean isEndedAlways(int port, int times) throws IOException {
    int refused = 0;
    for (int i = 0; i < times; i++) {
      try (RawHttp2 raw = new RawHttp2(port)) {
        raw.send(first());
        if (!raw.floodUntilEnded(this::frames, FRAMES_MAX, i % 2 == 0)) {
          return false;
        }
      } catch (SocketException ignored) { // ended at once, or no place
        refused++;
      }
    }
    return refused < times;
  }

  private static byte[] both(byte[] first, byte[] second) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(first);
    all.writeBytes(second);
    return all.toByteArray();
  }
}
