// One action in one situation, as a row of a table, and the checks that every row passes: it is offered with a text that names
// the nodes, refused when its params are wrong, done once, and no finished work is redone.

import { expect } from "vitest";
import { ACTION_IDS, type ActionId, type ActionNeeds, type OfferedAction } from "../../../src/core/flow/action.ts";
import { type Fault, isFaultError } from "../../../src/core/fault/fault.ts";
import type { RunStatus } from "../../../src/core/flow/run-state.ts";
import { type ActionsWorld, openWorld, type Setting } from "./world.ts";

export interface Case extends Setting {
  /** A sentence. */
  readonly name: string;
  readonly action: ActionId;
  /** In place: the run waits and continues itself. Successor: it has failed, and a new run continues from it. */
  readonly form: "in place" | "successor";
  /** The run's state when the action is offered. */
  readonly fault: string | null;
  readonly offer: Partial<Pick<OfferedAction, "needs" | "choices" | "limits">> & {
    readonly node: string;
    /** Words of the texts: what is redone, and what is kept. */
    readonly redoes: readonly string[];
    readonly keeps: readonly string[];
  };
  readonly params?: Readonly<Record<string, unknown>>;
  /** Invalid params, and the field that the error names. */
  readonly wrong?: readonly (readonly [params: Readonly<Record<string, unknown>>, field: string])[];
  /** What the operator fixes outside before taking the action. */
  readonly mends?: (world: ActionsWorld) => void;
  readonly end: { readonly status: RunStatus; readonly outcome?: string };
  /** Nodes that start this many times, in both runs together. */
  readonly started: Readonly<Record<string, number>>;
  /** At the end. */
  readonly sees: (world: ActionsWorld, acted: ActedOn) => Promise<void> | void;
}

export interface ActedOn {
  /** The run that failed or waited, and the one that continued: the same one if in place. */
  readonly first: string;
  readonly run: string;
  /** When the action was taken. */
  readonly at: number;
}

export async function goThrough(one: Case): Promise<void> {
  const world = await openWorld(one);
  const { runs, until } = world;
  const first = await world.start();
  const stood = await world.advance(first);
  expect(stood.status).toBe(one.form === "in place" ? "paused" : "failed");
  const offered = await offerOf(world, first, one);
  await refusesWhatIsNotOffered(world, first);
  await refusesWrongParams(world, first, one, offered);

  one.mends?.(world);
  const at = world.clock.now();
  const take = { params: one.params ?? {}, key: offered.key, by: "ann" };
  const acted = await until(runs.act(first, one.action, take));
  expect(acted.did).toBe(true);
  expect(acted.run === first).toBe(one.form === "in place");
  const twice = { run: acted.run, did: false };
  expect(await until(runs.act(first, one.action, take))).toEqual(twice);
  const end = await world.advance(acted.run);
  expect({ status: end.status, outcome: end.outcome, fault: end.fault?.message ?? null }).toMatchObject({
    ...one.end,
    ...(one.end.status === "completed" ? { fault: null } : {}),
  });
  // A person finds yesterday's page and clicks again.
  expect(await until(runs.act(first, one.action, take))).toEqual(twice);
  expect(await startsOf(world, [...new Set([first, acted.run])])).toEqual(one.started);
  await one.sees(world, { first, run: acted.run, at });
}

async function offerOf(world: ActionsWorld, run: string, one: Case): Promise<OfferedAction> {
  const { actions, state } = await world.show(run);
  const offered = actions.find(({ id, node }) => id === one.action && node === one.offer.node);
  expect(offered, `offered are ${actions.map(({ id, node }) => `${id} ${node}`).join(", ")}`).toBeDefined();
  if (offered === undefined) throw new Error("not offered");
  const seen = state.visits.findLast(({ node }) => node === one.offer.node)?.fault ?? state.fault;
  expect(seen?.code ?? null).toBe(one.fault);
  const { redoes, keeps, ...rest } = one.offer;
  expect(offered).toMatchObject({ ...NOTHING_NEEDED, ...rest });
  for (const word of redoes) expect(offered.redoes).toContain(word);
  for (const word of keeps) expect(offered.keeps).toContain(word);
  const effect = one.form === "in place" ? ["instruct", "answer", "resume", "cancel"] : ["successor"];
  expect(effect).toContain(offered.effect);
  expect(offered.label.length * offered.explains.length * offered.key.length).toBeGreaterThan(0);
  return offered;
}

const NOTHING_NEEDED: { readonly needs: ActionNeeds; readonly choices: readonly string[] } = {
  needs: "nothing",
  choices: [],
};

async function refusesWhatIsNotOffered(world: ActionsWorld, run: string): Promise<void> {
  const { actions } = await world.show(run);
  const ids = actions.map(({ id }) => id);
  const other = ACTION_IDS.find((id) => !ids.includes(id));
  if (other === undefined) throw new Error("everything is offered");
  const seen = await unchanged(world, run, () => world.runs.act(run, other, { by: "ann" }));
  expect(seen).toMatchObject({ code: "EngineState", context: { run, action: other } });
  for (const id of ids) expect(seen.message).toContain(id);
}

async function refusesWrongParams(world: ActionsWorld, run: string, one: Case, { key }: OfferedAction): Promise<void> {
  for (const [params, field] of [...(one.wrong ?? []), [{ ...one.params, nonsense: 1 }, "nonsense"] as const]) {
    const seen = await unchanged(world, run, () => world.runs.act(run, one.action, { params, key, by: "ann" }));
    expect(seen).toMatchObject({ context: { field } });
    expect(seen.message).toContain(field);
  }
}

/** The refusal; nothing else may have happened. */
async function unchanged(world: ActionsWorld, run: string, refused: () => Promise<unknown>): Promise<Fault> {
  const { journal, until } = world;
  const standing = async (): Promise<unknown> => ({
    entries: (await world.entries(run)).length,
    runs: (await until(world.runs.list())).length,
    actions: (await journal.keptAll("action")).length,
    answers: (await journal.keptAll("answer")).length,
    requests: world.chaos.received().length,
  });
  const before = await standing();
  const [result] = await until(Promise.allSettled([refused()]));
  expect(result.status).toBe("rejected");
  const error: unknown = result.status === "rejected" ? result.reason : null;
  if (!isFaultError(error)) throw error;
  expect(await standing()).toEqual(before);
  return error.fault;
}

export async function startsOf(
  world: ActionsWorld,
  runs: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const starts: Record<string, number> = {};
  for (const run of runs) {
    for (const { event } of await world.entries(run)) {
      if (event.type === "node-started") starts[event.node] = (starts[event.node] ?? 0) + 1;
    }
  }
  return starts;
}
