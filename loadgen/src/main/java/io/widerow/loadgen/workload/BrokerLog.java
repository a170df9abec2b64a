package io.widerow.loadgen.workload;

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/// Lines of a message broker's log. The texts come from a real file, record heads only, without
/// stack traces. Their numbers are random at the same width; the time and a number at the end are
/// stamped.
final class BrokerLog implements SampleSource {
  private static final Pattern HEAD =
      Pattern.compile("\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d,\\d{3}] .*");
  private static final int TIME_LIMIT = "[2016-12-19 16:31:47,999]".length();

  private final SplittableRandom random;
  private final List<String> texts;

  BrokerLog(SplittableRandom random) {
    this.random = random;
    this.texts =
        LogLines.read("kafka_broker.log").stream()
            .filter(line -> HEAD.matcher(line).matches())
            .map(line -> line.substring(TIME_LIMIT))
            .toList();
  }

  @Override
  public Sample next(String type) {
    String text = texts.get(random.nextInt(texts.size()));
    StringBuilder body = new StringBuilder(text.length() + 32);
    body.append('[').append(Stamp.LOG4J.mark()).append(']');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean inner = i > 0 && Character.isDigit(text.charAt(i - 1));
      body.append(c < '0' || c > '9' ? c : (char) ('0' + random.nextInt(inner ? 0 : 1, 10)));
    }
    body.append(" seq=").append(Stamp.SEQUENCE.mark());
    return new Sample(type, body.toString(), List.of(), 0);
  }
}
