package io.widerow.storage;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A position in the order of arrival at a store that several daemons write to: for each daemon,
/// how far it had applied. An event carries its daemon: in its id, or, when the id is a client's,
/// in its version. A daemon that is not named had applied nothing.
///
/// The text form is `c1.` and for each daemon `number:stamp:version:lane-lane-...`, separated by
/// commas, all numbers in hexadecimal. Without daemons it is `c1.` alone.
///
/// @param daemons by number
public record ClusterArrivals(SortedMap<Integer, Position> daemons) implements Arrivals {
  static final String PREFIX = "c1.";

  /// Bits of a version that are the number of the daemon, see [#daemonOfVersion].
  public static final int DAEMON_BITS = 9;

  private static final int LANES_MAX = 1 << 10;

  public ClusterArrivals(Map<Integer, Position> daemons) {
    this(new TreeMap<>(daemons));
  }

  public ClusterArrivals {
    for (int daemon : daemons.keySet()) {
      if (daemon < 0 || daemon >= TimeUuid.DAEMON_LIMIT) {
        throw new IllegalArgumentException("daemon %d in a position".formatted(daemon));
      }
    }
  }

  /// The applied position of one daemon.
  ///
  /// @param stamp of the last round that was applied; whole rounds become visible
  /// @param versionLimit first version, of events with clients' ids, that was not shown
  /// @param laneLimits for each lane of the daemon, the first arrival counter that was not shown
  public record Position(long stamp, long versionLimit, List<Long> laneLimits) {
    public Position {
      laneLimits = List.copyOf(laneLimits);
      if (laneLimits.isEmpty() || laneLimits.size() > LANES_MAX) {
        throw new IllegalArgumentException("a position in %d lanes".formatted(laneLimits.size()));
      }
    }
  }

  /// The daemon that gave a version to an event with a client's id.
  public static int daemonOfVersion(long version) {
    return (int) (version & (TimeUuid.DAEMON_LIMIT - 1));
  }

  @Override
  public boolean isNew(EventView event, int shard) {
    long version = event.version();
    if (version == EventLayout.VERSION_ASSIGNED) {
      Position position = daemons.get(TimeUuid.daemonOf(event.idTail()));
      return position == null
          || event.arrival() >= position.laneLimits.get(shard % position.laneLimits.size());
    }
    Position position = daemons.get(daemonOfVersion(version));
    return position == null || version >= position.versionLimit;
  }

  @Override
  public void requireKindOf(Arrivals other) {
    ClusterArrivals.of(other);
  }

  /// The position as one of a store on a cluster; null stays null.
  ///
  /// @throws IllegalArgumentException when it is one of a store on one machine; the message quotes
  ///   it
  public static @Nullable ClusterArrivals of(@Nullable Arrivals position) {
    if (position == null || position instanceof ClusterArrivals) {
      return (ClusterArrivals) position;
    }
    throw new IllegalArgumentException(
        "a position of a store on one machine, and this store is on a cluster: "
            + Arrivals.quoted(position.toString()));
  }

  /// The stamp of the last round of a daemon that was shown; 0 when none was.
  public long stampOf(int daemon) {
    Position position = daemons.get(daemon);
    return position == null ? 0 : position.stamp;
  }

  static ClusterArrivals parse(String text) {
    SortedMap<Integer, Position> daemons = new TreeMap<>();
    String list = text.substring(PREFIX.length());
    try {
      for (String part : list.isEmpty() ? new String[0] : list.split(",", -1)) {
        String[] fields = part.split(":", -1);
        if (fields.length != 4 || part.indexOf('+') >= 0) {
          throw new IllegalArgumentException("%d fields of a daemon".formatted(fields.length));
        }
        List<Long> lanes = new ArrayList<>();
        for (String lane : fields[3].split("-", -1)) {
          lanes.add(Long.parseUnsignedLong(lane, 16));
        }
        Position position =
            new Position(
                Long.parseUnsignedLong(fields[1], 16),
                Long.parseUnsignedLong(fields[2], 16),
                lanes);
        if (daemons.put(Integer.parseUnsignedInt(fields[0], 16), position) != null) {
          throw new IllegalArgumentException("daemon %s twice".formatted(fields[0]));
        }
      }
      return new ClusterArrivals(daemons);
    } catch (IllegalArgumentException bad) { // a NumberFormatException is one
      throw new IllegalArgumentException(
          "not a position in the order of arrival: " + Arrivals.quoted(text), bad);
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(PREFIX);
    daemons.forEach((daemon, position) -> {
      text.append(text.length() == PREFIX.length() ? "" : ",");
      text.append(Integer.toHexString(daemon)).append(':');
      text.append(Long.toHexString(position.stamp)).append(':');
      text.append(Long.toHexString(position.versionLimit));
      char before = ':';
      for (long lane : position.laneLimits) {
        text.append(before).append(Long.toHexString(lane));
        before = '-';
      }
    });
    return text.toString();
  }
}
