package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the fault suite of a module finds every broken durability rule. Method: load the product's
/// classes again with one rule cut out of their byte code, see [PlantLoader]. A check of the suite
/// must fail on them and pass on the unchanged classes. Its seeds are fixed, so a bug caught once
/// is caught always; `-Dseed=<n>` starts with another one. A run takes an eighth of the rules,
/// another one for each commit; `-Dplants=all` takes all, `-Dplant=<regex>` some.
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PlantedRules {
  private static final long SEED = Long.getLong("seed", 1);
  private static final long SLICE = Seeds.one();
  private static final int TRIES = 6;

  private final String module;
  private final Class<?> hooks;
  private final List<Cut> always;
  private final List<Enum<?>> checks;
  private final List<Planted> plants;
  private final List<String> caught = new ArrayList<>();

  /// A broken rule.
  ///
  /// @param rule what the product does and the broken one does not
  /// @param check a [LongConsumer] of a seed, which fails
  public record Planted(String rule, Enum<?> check, List<Cut> cuts) {
    @Override
    public String toString() {
      return rule;
    }
  }

  public static Planted planted(String rule, Enum<?> check, Cut... cuts) {
    return new Planted(rule, check, List.of(cuts));
  }

  /// @param module for the records of faults
  /// @param hooks class whose methods replace others
  /// @param always cuts of every run
  /// @param checks the values of an enum that implements [LongConsumer]
  protected PlantedRules(
      String module,
      Class<?> hooks,
      List<Cut> always,
      List<? extends Enum<?>> checks,
      List<Planted> plants) {
    this.module = module;
    this.hooks = hooks;
    this.always = List.copyOf(always);
    this.checks = List.copyOf(checks);
    this.plants =
        plants.stream()
            .filter(plant -> plant.rule().matches(System.getProperty("plant", ".*")))
            .toList();
  }

  List<Enum<?>> checks() {
    return checks;
  }

  /// All rules with `-Dplants=all`, otherwise an eighth.
  List<Planted> slice() {
    int eighth = (int) Math.floorMod(SLICE, 8L);
    boolean all = "all".equals(System.getProperty("plants")) || System.getProperty("plant") != null;
    return plants.stream().filter(plant -> all || plants.indexOf(plant) % 8 == eighth).toList();
  }

  private static LongConsumer check(PlantLoader loader, Enum<?> check) throws Exception {
    Class<?> loaded = Class.forName(check.getDeclaringClass().getName(), true, loader);
    return (LongConsumer)
        Arrays.stream(loaded.getEnumConstants())
            .filter(each -> each.toString().equals(check.toString()))
            .findFirst()
            .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("checks")
  void passesOnTheProductAsItIs(Enum<?> check) throws Exception {
    check(new PlantLoader(hooks, always), check).accept(SEED);
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("slice")
  void isCaught(Planted plant) throws Exception {
    List<Cut> cuts = new ArrayList<>(plant.cuts());
    cuts.addAll(always);
    PlantLoader loader = new PlantLoader(hooks, cuts);
    LongConsumer check = check(loader, plant.check());
    Throwable found = null;
    int tries = 0;
    while (found == null && tries < TRIES) {
      found = failure(check, SEED + tries++);
    }
    for (Cut cut : plant.cuts()) {
      assertTrue(loader.done(cut) > 0, "this call no longer exists: " + cut);
    }
    assertNotNull(found, "%s found nothing in %d runs".formatted(plant.check(), tries));
    assertTrue(tells(found), "broke for another reason: " + found);
    caught.add("%s: %s, run %d: %s".formatted(plant, plant.check(), tries, found.getMessage()));
  }

  @SuppressWarnings("CatchThrowable")
  private static @Nullable Throwable failure(LongConsumer check, long seed) {
    try {
      check.accept(seed);
      return null;
    } catch (Throwable thrown) {
      return thrown;
    }
  }

  /// True for a failed assertion, and for a store that reports its own damage.
  private static boolean tells(Throwable caught) {
    Throwable cause = caught.getCause();
    Throwable told = caught instanceof CompletionException && cause != null ? cause : caught;
    return told instanceof AssertionError
        || told.getClass().getName().startsWith(StorageException.class.getName());
  }

  @AfterAll
  void report() throws IOException {
    System.out.printf(
        "slice %d: %d planted bugs were caught, of %d%n", SLICE, caught.size(), plants.size());
    Files.writeString(Path.of("target", "planted-bugs.txt"), String.join("\n", caught) + "\n");
    if ("all".equals(System.getProperty("plants"))) {
      FaultRecords.add(FaultRecords.Table.PLANTS, module, plants.size(), caught.size());
    }
    assertEquals(plants.stream().map(Planted::rule).distinct().count(), plants.size());
  }
}
