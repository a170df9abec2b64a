package io.widerow.ingest.receive.syslog;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.socket.DatagramDecoder;
import io.widerow.ingest.socket.SocketProtocol;
import io.widerow.ingest.socket.StreamDecoder;
import java.time.ZoneId;

/// Syslog over UDP, TCP and TLS. The protocol has no responses.
public final class SyslogProtocol {
  private static final int FRAME_BYTES_MAX = 1 << 20;

  private SyslogProtocol() {}

  /// Over TLS (RFC 5425) frames begin with their length. Frames that end with a newline are
  /// accepted there, too, because senders are often set up so.
  ///
  /// @param zone of times that name none
  public static SocketProtocol of(ZoneId zone) {
    return new SocketProtocol("syslog", () -> new Stream(zone), () -> datagrams(zone));
  }

  private static DatagramDecoder datagrams(ZoneId zone) {
    SyslogDecoder decoder = new SyslogDecoder(zone);
    return (bytes, length, batch) -> decoder.decode(bytes, 0, length, batch);
  }

  /// The messages of one TCP connection. The last one may lack its newline.
  private static final class Stream implements StreamDecoder {
    private final SyslogFramer framer = new SyslogFramer(FRAME_BYTES_MAX);
    private final SyslogDecoder decoder;

    Stream(ZoneId zone) {
      this.decoder = new SyslogDecoder(zone);
    }

    @Override
    public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      int next = framer.next(bytes, offset, limit);
      if (next >= 0) {
        decoder.decode(bytes, framer.offset, framer.limit, batch);
      }
      return next;
    }

    @Override
    public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      decoder.decode(bytes, offset, limit, batch);
    }
  }
}
