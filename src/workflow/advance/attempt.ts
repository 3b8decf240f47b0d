// One attempt of a stage, from Setup to Next, as the body of a turn. After a crash or a wait it runs again from Setup. The journal
// answers the calls that had finished, so a repeated phase does not repeat their work.

import { classifyThrown } from "../../core/classify/classify.ts";
import { andAlso, fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Route, StagePhase } from "../../core/flow/visit.ts";
import { advanceAttempt, type AttemptState, FIRST_PHASE, type PhaseVerdict } from "../../core/flow/stage.ts";
import { isA } from "../../core/try-read.ts";
import { deepFreeze } from "../define.ts";
import type {
  ActTools,
  AssertVerdict,
  GateVerdict,
  Stage,
  StageEnding,
  StageScope,
} from "../../workflow-model/stage.ts";

/** How an attempt ended. */
export type StageAttemptEnd =
  | { readonly end: "completed"; readonly output: unknown; readonly route: Route }
  | { readonly end: "skipped"; readonly output: unknown; readonly route: Route | null }
  | {
      readonly end: "failed";
      readonly fault: Fault;
      readonly again: boolean;
      /** Act had begun: no earlier phase has effects. */
      readonly acted: boolean;
      /** The phase that failed; null when the attempt was given up from outside. */
      readonly failedIn: StagePhase | null;
      readonly output: unknown;
    };

/** null: it waits for a person or a time, and runs again then. */
export async function runAttempt(
  stage: Stage,
  tools: ActTools,
  scope: StageScope,
  entered: (phase: StagePhase) => void,
): Promise<StageAttemptEnd | null> {
  const attempt = new StageAttempt(stage, tools, scope);
  let state = FIRST_PHASE;
  while (!state.isOver) {
    entered(state.phase);
    const verdict = await attempt.perform(state);
    if (tools.turn.isWaiting) return null;
    state = advanceAttempt(state, verdict);
  }
  return attempt.end(state);
}

class StageAttempt {
  readonly #stage: Stage;
  readonly #tools: ActTools;
  readonly #scope: StageScope;
  #context: unknown = undefined;
  #request = "";
  #output: unknown = undefined;
  #capHit = false;
  #fault: Fault | null = null;
  #route: Route | null = null;
  #acted = false;
  #failedIn: StagePhase | null = null;

  constructor(stage: Stage, tools: ActTools, scope: StageScope) {
    this.#stage = stage;
    this.#tools = tools;
    this.#scope = scope;
  }

  /** What a phase throws is its failure. */
  async perform({ phase, ending }: AttemptState): Promise<PhaseVerdict> {
    try {
      const verdict = await this.#phases[phase](ending);
      if (verdict === "fail" || verdict === "retry") this.#failedIn = phase;
      return verdict;
    } catch (error) {
      this.#failedIn ??= phase;
      if (isA(error, StageFailure)) this.#output = error.output;
      const seen = classifyThrown(error, thrownIn(this.#stage.id, phase));
      // A failing teardown does not hide what failed before it.
      this.#fault = this.#fault === null ? seen : andAlso(this.#fault, `its ${phase} phase failed, too`, seen);
      return "fail";
    }
  }

  readonly #phases: Readonly<Record<StagePhase, (ending: AttemptState["ending"]) => Promise<PhaseVerdict>>> = {
    "setup": async () => {
      // Only Setup may fill it.
      this.#context = deepFreeze(await this.#stage.setup(this.#scope));
      return "ok";
    },
    "init": async () => {
      this.#request = await this.#stage.init(this.#context, this.#scope);
      return "ok";
    },
    "check-gate": async () => this.#judge(await this.#stage.checkGate(this.#context, this.#scope)),
    "act": async () => {
      this.#acted = true;
      const { output, capHit = false } = await this.#stage.act(this.#request, this.#tools, this.#scope, this.#context);
      this.#output = output;
      this.#capHit = capHit;
      return "ok";
    },
    "assert": async () => {
      const result = { output: this.#output, capHit: this.#capHit };
      return this.#judge(await this.#stage.assert(result, this.#scope, this.#context));
    },
    "exit": async (ending) => {
      const output = await this.#stage.exit(this.#endingAs(ending), this.#scope, this.#context);
      if (ending === "completed") this.#output = output;
      return "ok";
    },
    "next": async (ending) => {
      this.#route = await this.#stage.next(this.#endingAs(ending), this.#scope);
      return "ok";
    },
  };

  #judge(given: GateVerdict | AssertVerdict): PhaseVerdict {
    switch (given.verdict) {
      case "ok":
      case "proceed":
        return "ok";
      case "skip":
        return "skip";
      case "retry":
      case "fail":
        this.#fault = ("fault" in given ? given.fault : undefined) ?? refusedBy(this.#stage.id, given.reason);
        return given.verdict;
    }
  }

  #endingAs(status: AttemptState["ending"]): StageEnding {
    return { status, output: this.#output, capHit: this.#capHit, fault: this.#fault };
  }

  end({ ending, again }: AttemptState): StageAttemptEnd {
    const output = this.#output;
    if (ending === "skipped") return { end: "skipped", output, route: this.#route };
    if (ending === "completed" && this.#route !== null) return { end: "completed", output, route: this.#route };
    const seen = this.#fault ?? noNextNode(this.#stage.id);
    return { end: "failed", fault: seen, again, acted: this.#acted, failedIn: this.#failedIn, output };
  }
}

/** Where an unknown error was thrown. It counts as a bug of the stage, so it is not retried. */
export function thrownIn(stage: string, phase: StagePhase): Parameters<typeof classifyThrown>[1] {
  return { message: `the ${phase} phase of stage ${stage} threw`, context: { stage, phase } };
}

function refusedBy(stage: string, reason: string): Fault {
  return fault("AssertFailed", { message: `stage ${stage} was not accepted: ${reason}`, context: { stage } });
}

function noNextNode(stage: string): Fault {
  return fault("InvariantBroken", {
    message: `stage ${stage} completed, but it named no next node`,
    context: { stage },
  });
}

/** Thrown by a stage whose Act failed but has an output: the attempt fails with this fault, and later nodes see the output. */
export class StageFailure extends FaultError {
  readonly output: unknown;

  constructor(fault: Fault, output: unknown) {
    super(fault);
    this.name = "StageFailure";
    this.output = output;
  }
}
