package io.widerow.ingest.receive.otlp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Passes the bytes of connections on to a daemon and back, whatever their protocol. Told to, it
/// loses an answer: it waits for its first byte, and resets the connection. While there is no
/// daemon, connections wait.
final class LossyProxy implements AutoCloseable {
  private static final int CHUNK_BYTES = 16 << 10;

  private final ServerSocket listener;
  private final AtomicReference<CompletableFuture<Integer>> target =
      new AtomicReference<>(new CompletableFuture<>());
  private final AtomicReference<@Nullable Runnable> loss = new AtomicReference<>();
  private final AtomicInteger lost = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final long requestBytes;

  /// @param requestBytes an answer that comes before so many bytes of requests belongs to none
  LossyProxy(long requestBytes) throws IOException {
    this.requestBytes = requestBytes;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /// Answers that were lost.
  int lost() {
    return lost.get();
  }

  /// From now on connections go to this port of the machine.
  void toPort(int port) {
    CompletableFuture<Integer> next = target.get();
    if (!next.complete(port)) {
      target.set(CompletableFuture.completedFuture(port));
    }
  }

  /// From now on connections wait.
  void toNothing() {
    target.set(new CompletableFuture<>());
  }

  /// Loses the next answer.
  ///
  /// @param then runs when it has come from the daemon, before the sender knows
  void loseNext(Runnable then) {
    loss.set(then);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket sender = listener.accept();
        sockets.add(sender);
        Thread.ofVirtual().start(() -> connect(sender));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void connect(Socket sender) {
    try (sender) {
      int port = target.get().join();
      try (Socket daemon = new Socket(InetAddress.getLoopbackAddress(), port)) {
        sockets.add(daemon);
        AtomicReference<Long> sent = new AtomicReference<>(0L);
        Thread there = Thread.ofVirtual().start(() -> requests(sender, daemon, sent));
        answers(daemon, sender, sent);
        reset(sender); // as of a daemon that was killed
        reset(daemon);
        there.join();
      }
    } catch (IOException gone) {
      reset(sender);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException failed) {
      if (!socket.isClosed()) { // by the other direction
        throw new UncheckedIOException(failed);
      }
    }
  }

  private static void requests(Socket from, Socket to, AtomicReference<Long> sent) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        sent.set(sent.get() + count);
        out.write(chunk, 0, count);
        out.flush();
      }
    } catch (IOException gone) {
      reset(to);
    }
  }

  private void answers(Socket from, Socket to, AtomicReference<Long> sent) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
      boolean answer = sent.get() >= requestBytes && isAnswer(chunk, count);
      Runnable then = answer ? loss.getAndSet(null) : null;
      if (then != null) {
        lost.incrementAndGet();
        then.run();
        return;
      }
      out.write(chunk, 0, count);
      out.flush();
    }
  }

  /// Whether the bytes have an answer: of HTTP/1, or a frame of headers of HTTP/2.
  private static boolean isAnswer(byte[] chunk, int count) {
    if (count > 4 && chunk[0] == 'H' && chunk[1] == 'T') {
      return true;
    }
    int at = 0;
    while (at + 9 <= count) {
      int length = (chunk[at] & 0xff) << 16 | (chunk[at + 1] & 0xff) << 8 | (chunk[at + 2] & 0xff);
      if (chunk[at + 3] == 1) {
        return true;
      }
      at += 9 + length;
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
