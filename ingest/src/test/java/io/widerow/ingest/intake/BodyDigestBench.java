package io.widerow.ingest.intake;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What does the digest of a body cost, for 1, 100 and 1,000 events?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BodyDigestBench {
  @Param({"300", "30000", "300000"})
  private int bytes;

  private final BodyDigest digests = new BodyDigest(new byte[32]);
  private byte[] body = {};

  @Setup
  public void fill() {
    body = new byte[bytes];
    new Random(1).nextBytes(body);
  }

  @Benchmark
  public byte[] keyed() {
    return digests.of(body, 0, bytes);
  }

  @Benchmark
  public byte[] sha256() throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(body);
  }
}
