// Everything that must always hold, in one list. A sentence is the name of the function that checks it.

import {
  aRetryAnnouncedIsARetryMade,
  attemptsNeverExceedThePolicysNumber,
  aTurnThatIsOverLeavesNoAttemptOpen,
  type Broken,
  finishedCallsDoNotRunTwice,
  nothingThatMayHaveHappenedIsRunAgainUnlessIdempotentOrApproved,
} from "./invariants-calls.ts";
import {
  aFinishedCallIsToldAsItEnded,
  anEventIsOnDiskBeforeAnyoneSeesIt,
  aResumedRunEndsAsOneThatDidNotCrash,
  aSessionEndsOnceAndCancelWins,
  everyDecisionCanBeMadeAgainFromItsEntry,
  everyWorldEnds,
  foldingTheJournalFromScratchGivesTheLiveState,
  noWaitOutlivesTheDeadline,
  onlyTheStoreEndsASessionEarly,
} from "./invariants-sessions.ts";
import {
  aBreakerEndsNoScheduleThatHasBegun,
  anOpenBreakerLetsNoCallBeginButItsProbe,
  aSharedAttemptIsOneThatFailed,
  concurrencyLimitsHold,
} from "./invariants-targets.ts";
import {
  costBookedIsTheSumOfAllAttempts,
  noPlantedSecretGetsOut,
  whatComesLateIsWrittenDown,
} from "./invariants-values.ts";
import type { Story } from "./story.ts";

/** `twin` is the same world without trouble; null where there is none. */
export type Property = (story: Story, twin: Story | null) => Broken;

const PROPERTIES: readonly Property[] = [
  attemptsNeverExceedThePolicysNumber,
  noWaitOutlivesTheDeadline,
  nothingThatMayHaveHappenedIsRunAgainUnlessIdempotentOrApproved,
  anOpenBreakerLetsNoCallBeginButItsProbe,
  aBreakerEndsNoScheduleThatHasBegun,
  aSharedAttemptIsOneThatFailed,
  aSessionEndsOnceAndCancelWins,
  anEventIsOnDiskBeforeAnyoneSeesIt,
  aResumedRunEndsAsOneThatDidNotCrash,
  finishedCallsDoNotRunTwice,
  aFinishedCallIsToldAsItEnded,
  aTurnThatIsOverLeavesNoAttemptOpen,
  costBookedIsTheSumOfAllAttempts,
  whatComesLateIsWrittenDown,
  aRetryAnnouncedIsARetryMade,
  noPlantedSecretGetsOut,
  everyWorldEnds,
  onlyTheStoreEndsASessionEarly,
  foldingTheJournalFromScratchGivesTheLiveState,
  everyDecisionCanBeMadeAgainFromItsEntry,
  concurrencyLimitsHold,
];

export const ALWAYS: readonly { readonly property: string; readonly broken: Property }[] = PROPERTIES.map((broken) => ({
  property: sentenceOf(broken.name),
  broken,
}));

/** `everyWorldEnds` is "every world ends". */
function sentenceOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}
