package io.widerow.faults;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client for the part of Cassandra's native protocol, version 4, that a sender with a ledger
/// needs: one statement at a time, at consistency ONE, with its rows in one answer.
///
/// ```
///   +---------+-------+--------+--------+----------+------------- ~
///   | version | flags | stream | opcode | length   | body
///   +---------+-------+--------+--------+----------+------------- ~
///    1 byte    1       2        1        4 bytes
/// ```
///
/// - Threads: one.
public final class CqlConnection implements AutoCloseable {
  private static final int REQUEST = 0x04;
  private static final int ERROR = 0x00;
  private static final int STARTUP = 0x01;
  private static final int READY = 0x02;
  private static final int QUERY = 0x07;
  private static final int RESULT = 0x08;
  private static final int WARNINGS = 0x08; // a flag
  private static final int CONSISTENCY_ONE = 1;
  private static final int KIND_ROWS = 2;
  private static final int GLOBAL_TABLE = 1;
  private static final int FIRST_NESTED_TYPE = 0x20;
  private static final int ANSWER_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final DataOutputStream out;

  public CqlConnection(int port) throws IOException {
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MILLIS);
      in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
      out = new DataOutputStream(socket.getOutputStream());
      var body = new ByteArrayOutputStream();
      var options = new DataOutputStream(body);
      options.writeShort(1);
      options.writeUTF("CQL_VERSION");
      options.writeUTF("3.0.0");
      ByteBuffer _ = exchange(STARTUP, body.toByteArray(), READY);
    } catch (IOException failure) {
      socket.close();
      throw failure;
    }
  }

  /// The server refused a statement.
  public static final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    /// The code of the protocol.
    public final int code;

    Refused(int code, String message) {
      super("refused with %x: %s".formatted(code, message));
      this.code = code;
    }
  }

  /// Runs a statement whose rows may be of any type, and returns the bytes of its result.
  ///
  /// @throws Refused when the server refused it
  public int run(String statement) throws IOException {
    return result(statement).remaining();
  }

  /// Runs a statement and returns its rows, each with a value for each column; none without rows.
  ///
  /// @throws IOException also when the statement was refused
  public List<List<ByteBuffer>> query(String statement) throws IOException {
    ByteBuffer answer = result(statement);
    return answer.getInt() == KIND_ROWS ? rows(answer) : List.of();
  }

  private ByteBuffer result(String statement) throws IOException {
    byte[] text = statement.getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = ByteBuffer.allocate(Integer.BYTES + text.length + Short.BYTES + 1);
    body.putInt(text.length).put(text).putShort((short) CONSISTENCY_ONE).put((byte) 0);
    return exchange(QUERY, body.array(), RESULT);
  }

  private static List<List<ByteBuffer>> rows(ByteBuffer answer) throws IOException {
    int flags = answer.getInt();
    int columns = answer.getInt();
    if ((flags & ~GLOBAL_TABLE) != 0) {
      throw new IOException("rows with flags " + flags);
    }
    if (flags == GLOBAL_TABLE) {
      skipString(answer);
      skipString(answer);
    }
    for (int column = 0; column < columns; column++) {
      if (flags != GLOBAL_TABLE) {
        skipString(answer);
        skipString(answer);
      }
      skipString(answer);
      int type = answer.getShort();
      if (type == 0 || type >= FIRST_NESTED_TYPE) {
        throw new IOException("a column of type " + type);
      }
    }
    int count = answer.getInt();
    List<List<ByteBuffer>> rows = new ArrayList<>(count);
    for (int row = 0; row < count; row++) {
      List<ByteBuffer> values = new ArrayList<>(columns);
      for (int column = 0; column < columns; column++) {
        int length = Math.max(0, answer.getInt()); // -1 for null
        values.add(answer.slice(answer.position(), length));
        answer.position(answer.position() + length);
      }
      rows.add(values);
    }
    return rows;
  }

  private static void skipString(ByteBuffer answer) {
    int length = answer.getShort();
    answer.position(answer.position() + length);
  }

  private ByteBuffer exchange(int opcode, byte[] body, int expected) throws IOException {
    var frame = new ByteArrayOutputStream();
    var head = new DataOutputStream(frame);
    head.writeByte(REQUEST);
    head.writeByte(0);
    head.writeShort(0);
    head.writeByte(opcode);
    head.writeInt(body.length);
    head.write(body);
    out.write(frame.toByteArray());
    int flags = in.readUnsignedShort() & 0xff; // after the version
    in.skipNBytes(Short.BYTES); // stream
    if ((flags & ~WARNINGS) != 0) {
      throw new IOException("an answer with flags " + flags); // compressed or traced
    }
    int answered = in.readByte();
    byte[] answer = new byte[in.readInt()];
    in.readFully(answer);
    ByteBuffer bytes = ByteBuffer.wrap(answer);
    for (int left = flags == WARNINGS ? bytes.getShort() : 0; left > 0; left--) {
      skipString(bytes);
    }
    if (answered == ERROR) {
      int code = bytes.getInt();
      String message =
          StandardCharsets.UTF_8.decode(bytes.position(bytes.position() + 2)).toString();
      throw new Refused(code, message);
    }
    if (answered != expected) {
      throw new IOException("answered with " + answered + " instead of " + expected);
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
