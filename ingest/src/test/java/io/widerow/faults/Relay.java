package io.widerow.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/// A TCP relay between clients and a daemon on this machine. Its port stays the same when the
/// daemon is started again on another one, and it can lose answers: the daemon has done what it was
/// asked, and the client gets a broken connection.
///
/// - Threads: any. Each connection has two virtual threads.
public final class Relay implements AutoCloseable {
  private final ServerSocket server;
  private final AtomicInteger answersToLose = new AtomicInteger();
  private final AtomicInteger answersLost = new AtomicInteger();
  private volatile int daemonPort;

  public Relay(int daemonPort) throws IOException {
    this.daemonPort = daemonPort;
    server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    Thread _ = Thread.ofVirtual().name("relay").start(this::accept);
  }

  /// What clients connect to.
  public int port() {
    return server.getLocalPort();
  }

  /// Connections from now on go to this port.
  public void moveTo(int port) {
    daemonPort = port;
  }

  /// Loses the next answers, each with its connection.
  public void loseAnswers(int count) {
    answersToLose.set(count);
  }

  public int answersLost() {
    return answersLost.get();
  }

  private void accept() {
    while (true) {
      try {
        Socket client = server.accept();
        Thread _ = Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket daemon = new Socket(InetAddress.getLoopbackAddress(), daemonPort)) {
      Thread up = Thread.ofVirtual().start(() -> copy(client, daemon, false));
      copy(daemon, client, true);
      client.close(); // ends the other direction
      up.join();
    } catch (IOException down) {
      return; // no daemon: the client sees its connection end
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private void copy(Socket from, Socket to, boolean answers) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (answers && answersToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
          int _ = answersLost.incrementAndGet();
          return;
        }
        out.write(buffer, 0, read);
      }
      to.shutdownOutput();
    } catch (IOException gone) {
      return; // one of the two has left; the caller closes both
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
