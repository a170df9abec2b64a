package io.widerow.faults;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/// Prints for each test that fails the command that runs it again with the same seeds. JUnit finds
/// it by itself, in every module.
public final class FailedTests implements TestWatcher {
  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    System.out.println(
        context.getDisplayName()
            + " failed; run it again: ./widerow test "
            + Slice.option()
            + Seeds.again()
            + " -Dtest="
            + context.getRequiredTestClass().getSimpleName()
            + context.getTestMethod().map(Method::getName).map("#"::concat).orElse(""));
  }
}
