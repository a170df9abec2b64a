package io.widerow.ingest.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.intake.Senders;
import io.widerow.ingest.lane.BatchOutcome;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes the datagrams of one UDP socket. The datagrams of one wake-up of the event loop make one
/// batch. Datagrams of one sender in a row are a run, and each run is counted for its sender.
///
/// ```
///   batch   | event event event | event | event event |
///   runs    |<-- 10.0.0.1 ----->|<- .2 >|<- 10.0.0.1 >|
/// ```
///
/// - Threads: the receiver's event loop; outcomes come on a lane's thread.
final class DatagramHandler extends SimpleChannelInboundHandler<DatagramPacket> {
  static final int DATAGRAM_BYTES_MAX = 64 << 10;

  /// Bytes claimed for each byte of a datagram: itself, and the record that it becomes.
  private static final long BYTES_PER_DATAGRAM_BYTE = 4;

  private static final int NAMES_MAX = 1_000;

  private final SocketReceiver receiver;
  private final Intake intake;
  private final DatagramDecoder decoder;
  private final byte[] message = new byte[DATAGRAM_BYTES_MAX + Swar.SLACK_BYTES];
  private final Map<InetAddress, String> names = new HashMap<>();
  private @Nullable IncomingBatch batch;
  private List<Run> runs = new ArrayList<>();
  private long held;

  /// The events of one sender in a row, `[from, until)` of the decoded events.
  private static final class Run {
    private final String sender;
    private final @Nullable String host;
    private final @Nullable BatchSample sample;
    private final int from;
    private int until;

    Run(String sender, @Nullable String host, @Nullable BatchSample sample, int from, int until) {
      this.sender = sender;
      this.host = host;
      this.sample = sample;
      this.from = from;
      this.until = until;
    }
  }

  DatagramHandler(SocketReceiver receiver, DatagramDecoder decoder) {
    this.receiver = receiver;
    this.intake = receiver.intake();
    this.decoder = decoder;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    ByteBuf bytes = packet.content();
    String sender = name(packet.sender().getAddress());
    int length = bytes.readableBytes();
    long claim = BYTES_PER_DATAGRAM_BYTE * length;
    if (!intake.credit().tryClaim(claim)) {
      receiver.dropped(sender, null, 1, "dropped: no credit, too many bytes are in progress");
      return;
    }
    held += claim;
    IncomingBatch open = batch;
    if (open == null) {
      open = intake.lanes().begin(intake.epochNanos());
      batch = open;
    }
    bytes.getBytes(bytes.readerIndex(), message, 0, length);
    int from = open.decoded();
    long offset = open.events.bytes();
    decoder.decode(message, length, packet.sender(), open);
    note(sender, open, from, offset);
  }

  /// The text of an address, made once for each of the last ones.
  private String name(InetAddress address) {
    String name = names.get(address);
    if (name == null) {
      if (names.size() == NAMES_MAX) {
        names.clear();
      }
      name = address.getHostAddress();
      names.put(address, name);
    }
    return name;
  }

  private void note(String sender, IncomingBatch open, int from, long offset) {
    int until = open.decoded();
    if (until == from) {
      return;
    }
    Run last = runs.isEmpty() ? null : runs.getLast();
    if (last != null && last.sender.equals(sender)) {
      last.until = until;
      return;
    }
    boolean ruled = intake.lanes().hasRules(); // they may hide what would be shown here
    runs.add(
        new Run(
            sender,
            ruled ? null : BatchSample.host(open, offset),
            ruled ? null : intake.sample(open, offset),
            from,
            until));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    IncomingBatch full = batch;
    if (full == null) {
      return;
    }
    batch = null;
    long release = held;
    held = 0;
    if (full.decoded() == 0) { // such as the first part of a message
      intake.lanes().drop(full);
      intake.credit().release(release);
      return;
    }
    List<Run> sent = runs;
    runs = new ArrayList<>();
    intake.lanes().applyRules(full);
    BatchSample ruled = intake.sample(full);
    receiver.write(full, null, release, outcome -> told(sent, ruled, outcome));
  }

  private void told(List<Run> sent, BatchSample ruled, BatchOutcome outcome) {
    switch (outcome) {
      case BatchOutcome.Stored stored -> stored(sent, ruled, stored.refused());
      case BatchOutcome.Overloaded() -> dropped(sent, "dropped: the rings of the lanes are full");
      case BatchOutcome.DiskFull(String why) -> dropped(sent, "dropped: " + why);
      case BatchOutcome.Failed(String why) -> dropped(sent, "dropped: " + why);
    }
  }

  private void stored(List<Run> sent, BatchSample ruled, Refusals refused) {
    int next = 0;
    for (Run run : sent) {
      int rejected = 0;
      while (next < refused.listed() && refused.index(next) < run.until) {
        next++;
        rejected++;
      }
      String reason = rejected == 0 ? null : refused.reason(next - 1);
      int accepted = run.until - run.from - rejected;
      BatchSample sample = run.sample == null ? ruled : run.sample;
      boolean beyond = ruled.overflowed() && intake.lanes().isBeyondTypes(sample.type());
      intake
          .senders()
          .stored(
              receiver.protocol().name(),
              run.sender,
              run.host,
              beyond ? sample.beyondTypes() : sample,
              new Senders.Counts(accepted, 0, rejected, reason));
    }
  }

  private void dropped(List<Run> sent, String reason) {
    for (Run run : sent) {
      int count = run.until - run.from;
      receiver.seen(count);
      receiver.dropped(run.sender, run.host, count, reason);
    }
  }
}
