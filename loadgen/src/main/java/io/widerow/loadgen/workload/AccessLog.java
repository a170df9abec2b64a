package io.widerow.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lines of a web server's combined log. Requests, referrers and agents come from a real file, each
/// drawn independently. Addresses and sizes are random; the time and a number at the end are
/// stamped. No line repeats, and the lines compress no better than real ones.
final class AccessLog implements SampleSource {
  private static final Pattern LINE =
      Pattern.compile(
          "\\S+ - \\S+ \\[[^]]+] (\"[^\"]*\") (\\d+) (\\d+|-) (\"[^\"]*\") (\"[^\"]*\").*");
  private static final int ADDRESSES = 4_096;

  private final SplittableRandom random;
  private final List<String> requests = new ArrayList<>();
  private final List<String> sizes = new ArrayList<>();
  private final List<String> referrers = new ArrayList<>();
  private final List<String> agents = new ArrayList<>();
  private final List<String> addresses = new ArrayList<>();
  private final Zipf address = new Zipf(ADDRESSES, 1);

  AccessLog(SplittableRandom random) {
    this.random = random;
    for (String line : LogLines.read("apache_access.log")) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        requests.add(matcher.group(1) + " " + matcher.group(2));
        sizes.add(matcher.group(3));
        referrers.add(matcher.group(4));
        agents.add(matcher.group(5));
      }
    }
    for (int i = 0; i < ADDRESSES; i++) {
      addresses.add(
          "%d.%d.%d.%d"
              .formatted(
                  random.nextInt(1, 224),
                  random.nextInt(256),
                  random.nextInt(256),
                  random.nextInt(1, 255)));
    }
  }

  @Override
  public Sample next(String type) {
    String body =
        addresses.get(address.draw(random))
            + " - - ["
            + Stamp.COMMON_LOG.mark()
            + "] "
            + draw(requests)
            + " "
            + size()
            + " "
            + draw(referrers)
            + " "
            + draw(agents)
            + " seq="
            + Stamp.SEQUENCE.mark();
    return new Sample(type, body, List.of(), 0);
  }

  /// A size with as many digits as a real one; half of the sizes are those of static files.
  private String size() {
    String real = draw(sizes);
    if (real.equals("-") || random.nextBoolean()) {
      return real;
    }
    int low = Math.powExact(10, real.length() - 1);
    return Integer.toString(random.nextInt(low, low * 10));
  }

  private String draw(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
