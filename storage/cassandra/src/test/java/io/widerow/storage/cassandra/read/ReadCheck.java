package io.widerow.storage.cassandra.read;

import java.util.function.LongConsumer;

/// Checks of the tests of reading, to run them on classes in which a bug was planted.
@SuppressWarnings("JUnitMethodInvoked") // on purpose: a planted bug must fail the test itself
enum ReadCheck implements LongConsumer {
  DIFFERENTIAL {
    @Override
    public void accept(long seed) {
      ClusterDifferentialTest.check(seed);
    }
  },

  MERGES_IN_A_QUERY {
    @Override
    public void accept(long seed) {
      ClusterFaultsTest test = new ClusterFaultsTest();
      try {
        test.mergesInTheMiddleOfAQueryChangeNothing();
      } finally {
        test.close();
      }
    }
  },

  ONE_REPLICA_MISSES {
    @Override
    public void accept(long seed) {
      ClusterFaultsTest test = new ClusterFaultsTest();
      try {
        test.aValueThatOneReplicaDoesNotHaveIsReadFromAQuorum();
      } finally {
        test.close();
      }
    }
  }
}
