package io.widerow.cql.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// For tests: a client that sends any bytes, and reads frames that stand alone.
final class RawDriver implements AutoCloseable {
  static final int ERROR = 0x00;
  static final int STARTUP = 0x01;
  static final int READY = 0x02;
  static final int OPTIONS = 0x05;
  static final int QUERY = 0x07;
  static final int RESULT = 0x08;
  static final int PREPARE = 0x09;
  static final int EXECUTE = 0x0a;
  static final int REGISTER = 0x0b;
  static final int BATCH = 0x0d;
  static final int PAYLOAD = 0x04;
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket;
  private final DataInputStream in;

  /// A frame that came.
  ///
  /// @param flags of its header; a payload, if it has one, is the begin of the body
  record Answer(int version, int flags, short stream, int opcode, ByteBuffer body) {
    /// Of an error: its number and its sentence.
    String error() {
      ByteBuffer text = body.slice(6, body.getShort(4));
      return "%04x %s".formatted(body.getInt(0), StandardCharsets.UTF_8.decode(text));
    }
  }

  RawDriver(InetSocketAddress address) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
  }

  /// A connection that is ready, of version 4.
  static RawDriver ready(InetSocketAddress address) throws IOException {
    RawDriver driver = new RawDriver(address);
    driver.send(4, 0, STARTUP, startup());
    Answer answer = driver.read();
    if (answer.opcode != READY) {
      throw new AssertionError(answer.error());
    }
    return driver;
  }

  static byte[] startup(String... more) {
    Body body = new Body().number(2, 1 + more.length / 2).string("CQL_VERSION").string("3.0.0");
    for (String each : more) {
      body.string(each);
    }
    return body.bytes();
  }

  /// Sends a frame.
  void send(int version, int stream, int opcode, byte[] body) throws IOException {
    bytes(frame(version, stream, opcode, body));
  }

  static byte[] frame(int version, int stream, int opcode, byte[] body) {
    return frame(version, 0, stream, opcode, body);
  }

  private static byte[] frame(int version, int flags, int stream, int opcode, byte[] body) {
    return new Body()
        .number(1, version)
        .number(1, flags)
        .number(2, stream)
        .number(1, opcode)
        .number(4, body.length)
        .raw(body)
        .bytes();
  }

  void bytes(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  Answer read() throws IOException {
    int version = in.readUnsignedByte() & 0x7f;
    int flags = in.readUnsignedByte();
    short stream = in.readShort();
    int opcode = in.readUnsignedByte();
    byte[] body = new byte[in.readInt()];
    in.readFully(body);
    return new Answer(version, flags, stream, opcode, ByteBuffer.wrap(body));
  }

  /// Sends a frame of version 4 and reads the answer.
  Answer ask(int opcode, byte[] body) throws IOException {
    send(4, 7, opcode, body);
    Answer answer = read();
    if (answer.stream != 7) {
      throw new AssertionError("the answer to " + answer.stream);
    }
    return answer;
  }

  /// The same with a key by which the request is done once.
  Answer askOnce(byte[] key, int opcode, byte[] body) throws IOException {
    byte[] all =
        new Body()
            .number(2, 2)
            .string("other")
            .number(4, -1)
            .string("idempotency-key")
            .number(4, key.length)
            .raw(key)
            .raw(body)
            .bytes();
    bytes(frame(4, PAYLOAD, 7, opcode, all));
    return read();
  }

  /// True when the server has ended the connection.
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (EOFException ended) {
      return true;
    }
  }

  /// All bytes until the server ends the connection.
  byte[] rest() throws IOException {
    return in.readAllBytes();
  }

  /// The body of QUERY without values.
  static byte[] query(String statement) {
    return new Body().longString(statement).number(2, 1).number(1, 0).bytes();
  }

  /// Writes the parts of a body.
  static final class Body {
    private final ByteArrayOutputStream array = new ByteArrayOutputStream();

    /// @param width in bytes
    Body number(int width, int value) {
      for (int i = width - 1; i >= 0; i--) {
        array.write(value >>> (i * Byte.SIZE));
      }
      return this;
    }

    Body string(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return number(2, utf8.length).raw(utf8);
    }

    Body longString(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return number(4, utf8.length).raw(utf8);
    }

    Body raw(byte[] bytes) {
      array.writeBytes(bytes);
      return this;
    }

    Body hex(String digits) {
      return raw(HexFormat.of().parseHex(digits));
    }

    byte[] bytes() {
      return array.toByteArray();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
