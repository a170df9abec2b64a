package io.widerow.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ServerSocketFactory;

/// Passes requests of HTTP on to a server, one a connection, and breaks some of them: they are
/// refused with 503, lost on the way, cut off in the middle, answered by nothing, or their effect
/// is there and its response is lost or cut off.
///
/// - Threads: one for each connection.
public final class FaultyProxy implements AutoCloseable {
  private static final int PART_BYTES = 1 << 13;
  private static final int CUT_BYTES = 300;

  private final ServerSocket listener;
  private final int target;
  private final SplittableRandom random; // guarded by itself
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong faults = new AtomicLong();
  private final AtomicLong sentBytes = new AtomicLong();
  private volatile int oneIn; // 0 for no faults
  private volatile boolean silent;

  /// What becomes of a request.
  private enum Fault {
    NONE,
    BUSY,
    LOST,
    CUT_REQUEST,
    LOST_ANSWER,
    CUT_ANSWER,
    SILENCE
  }

  /// @param target port of the server, on this machine
  public FaultyProxy(int target, long seed) throws IOException {
    this(target, seed, ServerSocketFactory.getDefault());
  }

  /// @param sockets for a proxy with TLS
  public FaultyProxy(int target, long seed, ServerSocketFactory sockets) throws IOException {
    this.target = target;
    this.random = new SplittableRandom(seed);
    this.listener = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /// One of so many requests breaks; 0 for none.
  public void failOneIn(int requests) {
    oneIn = requests;
  }

  /// While it is silent, no request has an answer, nor an effect.
  public void silence(boolean on) {
    silent = on;
  }

  public long faults() {
    return faults.get();
  }

  public long requests() {
    return requests.get();
  }

  /// Bytes of requests.
  public long sentBytes() {
    return sentBytes.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> pass(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private Fault next() {
    int every = oneIn;
    requests.incrementAndGet();
    if (silent) {
      return Fault.SILENCE;
    }
    synchronized (random) {
      if (every == 0 || random.nextInt(every) > 0) {
        return Fault.NONE;
      }
      faults.incrementAndGet();
      boolean isSlow = random.nextInt(8) == 0;
      return isSlow ? Fault.SILENCE : Fault.values()[1 + random.nextInt(5)];
    }
  }

  private void pass(Socket client) {
    try (client;
        InputStream in = client.getInputStream();
        OutputStream out = client.getOutputStream()) {
      List<String> head = head(in);
      if (head.isEmpty()) {
        return;
      }
      long length = 0;
      boolean isAsked = false;
      var passed = new ByteArrayOutputStream();
      for (String line : head) {
        String lower = line.toLowerCase(Locale.ROOT);
        if (lower.startsWith("content-length:")) {
          length = Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
        }
        if (lower.startsWith("expect:")) {
          isAsked = true;
        } else if (!lower.startsWith("connection:")) {
          passed.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        }
      }
      passed.writeBytes("Connection: close\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      if (isAsked) {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      }
      sentBytes.addAndGet(length);
      answer(next(), passed.toByteArray(), in, length, out);
    } catch (IOException | UncheckedIOException gone) {
      // the client or the server has ended the connection
    }
  }

  private void answer(Fault fault, byte[] head, InputStream in, long length, OutputStream out)
      throws IOException {
    switch (fault) {
      case BUSY -> {
        copy(in, OutputStream.nullOutputStream(), length);
        String why = "<Error><Code>SlowDown</Code><Message>busy</Message></Error>";
        out.write(
            ("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Type: application/xml\r\n"
                    + "Content-Length: %d\r\n\r\n%s".formatted(why.length(), why))
                .getBytes(StandardCharsets.ISO_8859_1));
      }
      case LOST -> {}
      case SILENCE -> {
        copy(in, OutputStream.nullOutputStream(), length);
        var _ = in.read(); // until the client has waited long enough
      }
      case CUT_REQUEST -> {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
          server.getOutputStream().write(head);
          copy(in, server.getOutputStream(), length / 2);
        }
      }
      case NONE, LOST_ANSWER, CUT_ANSWER -> {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
          server.getOutputStream().write(head);
          copy(in, server.getOutputStream(), length);
          server.getOutputStream().flush();
          InputStream answer = server.getInputStream();
          if (fault == Fault.LOST_ANSWER) {
            answer.transferTo(OutputStream.nullOutputStream());
          } else if (fault == Fault.CUT_ANSWER) {
            out.write(answer.readNBytes(CUT_BYTES));
          } else {
            answer.transferTo(out);
          }
        }
      }
    }
  }

  /// The lines of a request before its body.
  private static List<String> head(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    var line = new ByteArrayOutputStream();
    for (int got = in.read(); got >= 0; got = in.read()) {
      if (got != '\n') {
        line.write(got);
        continue;
      }
      String text = line.toString(StandardCharsets.ISO_8859_1).strip();
      line.reset();
      if (text.isEmpty()) {
        return lines;
      }
      lines.add(text);
    }
    return List.of();
  }

  private static void copy(InputStream in, OutputStream out, long bytes) throws IOException {
    byte[] part = new byte[PART_BYTES];
    for (long left = bytes; left > 0; ) {
      int got = in.read(part, 0, (int) Math.min(left, part.length));
      if (got < 0) {
        throw new IOException("the request ends early");
      }
      out.write(part, 0, got);
      left -= got;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
