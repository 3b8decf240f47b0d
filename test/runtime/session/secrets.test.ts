// Secrets planted wherever a program, a tool or a person may put one: none of them may leak into anything shown or passed on.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRedactor, DEFAULT_POLICY, REDACTED, withRows } from "../../../src/core/index.ts";
import {
  classify,
  type Entry,
  exportSession,
  fault,
  type Fault,
  FaultError,
  partial,
  step,
  tool,
  type TurnResult,
  viewFor,
} from "../../../src/index.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { entriesOf, type Life, lifeOn, newPath } from "./life.ts";

/** Asks a person about every bad request. */
const ASKING = withRows(DEFAULT_POLICY, [
  { match: { code: ["RequestInvalid"] }, retry: null, then: ["ask"], origin: { layer: "file", at: "test" } },
]);

interface Shown {
  readonly path: string;
  readonly results: readonly TurnResult[];
  /** Everything visible to anyone but the owner of the file, as text, with its name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A session that has the secret in every possible place. */
async function planted(secret: string, secrets: readonly string[]): Promise<Shown> {
  const path = newPath();
  const seen: Entry[] = [];
  const person = scriptedInteractor("person", [
    { status: "accepted", value: `instead ${secret}` },
    { status: "rejected", reason: `not with ${secret}` },
    { status: "accepted", value: `words of ${secret}` },
  ]);
  const made = await lifeOn(path, { secrets, policy: ASKING, interactors: [person] });
  const { fl, clock } = made;
  fl.subscribe((entry) => seen.push(entry));
  const session = await clock.runUntil(fl.session("s", { labels: { note: `of ${secret}`, [secret]: "as a key" } }));
  const faults: Fault[] = [];

  const echo = tool<unknown, unknown>({
    id: "echo",
    run: (input) => ({ input, token: secret, list: [`x ${secret}`] }),
  });
  const failing = (error: () => Error): ReturnType<typeof tool<unknown, string>> =>
    tool<unknown, string>({
      id: "failing",
      optional: true,
      run: (_input, context) => {
        context.artefact(`page of ${secret}.txt`, `raw ${secret}`);
        context.partial(`so far ${secret}`, [{ item: secret, fault: fault("NotFound", { message: secret }) }]);
        throw error();
      },
    });
  const asked = tool<unknown, string>({
    id: "asked",
    run: (input) => {
      throw new FaultError(fault("RequestInvalid", { message: `bad: ${String(input)}`, context: { url: secret } }));
    },
  });
  const items = tool<unknown, string>({
    id: "items",
    run: () =>
      partial(`part ${secret}`, [{ item: `of ${secret}`, fault: classify({ surface: "node", error: secret }) }]),
  });

  const results = [
    await clock.runUntil(
      session.turn({
        echo: step(echo, { deep: { password: secret, text: `a ${secret} b` } }),
        lost: step(
          failing(() => new Error(`refused ${secret}`)),
          secret,
          { label: `the search with ${secret}` },
        ),
        caused: step(
          failing(() => new Error("above", { cause: new Error(`below ${secret}`) })),
          {},
          { label: "caused" },
        ),
        odd: step(
          failing(() => Object.assign(new Error("odd"), { headers: { authorization: secret } })),
          {},
        ),
        needs: step(echo, {}, { needs: ["lost"], label: `what needs ${secret}` }),
        asked: step(asked, secret),
        items: step(items, {}),
      }),
    ),
    await clock.runUntil(session.turn(() => Promise.reject(new Error(`the body said ${secret}`)))),
    await clock.runUntil(
      session.turn((turn) => {
        turn.cancel(`because of ${secret}`);
        return Promise.resolve(`returned ${secret}`);
      }),
    ),
  ];
  const open = await clock.runUntil(fl.session("open"));
  const word = await clock.runUntil(open.ask("word", { kind: "Ask", prompt: `What is ${secret}?`, field: "word" }));
  expect(word).toEqual({ status: "accepted", value: `words of ${secret}` });
  const headless = await clock.runUntil(fl.session("waits", { mode: "headless" }));
  await clock.runUntil(headless.ask("later", { kind: "Confirm", prompt: `Go on with ${secret}?` }));
  await clock.runUntil(
    fl.protect(
      failing(() => new Error(`outside ${secret}`)),
      secret,
    ),
  );
  await clock.runUntil(session.cancel(`enough of ${secret}`));
  await clock.advance(0);

  for (const { outcomes, fault: why } of results) {
    if (why !== null) faults.push(why);
    for (const outcome of Object.values(outcomes)) if ("fault" in outcome) faults.push(outcome.fault);
  }
  return { path, results, texts: await textsOf(made, path, secrets, results, faults, seen) };
}

async function textsOf(
  { fl, journal }: Life,
  path: string,
  secrets: readonly string[],
  results: readonly TurnResult[],
  faults: readonly Fault[],
  seen: readonly Entry[],
): Promise<ReadonlyMap<string, string>> {
  const redactor = createRedactor(secrets);
  const entries = await Promise.all(["s", "open", "waits"].map((session) => entriesOf(journal, session)));
  const lines: string[] = [];
  for await (const line of exportSession(journal, "s", { redactor })) lines.push(line);
  const view = { correlationId: "err_1", redactor };
  return new Map([
    ["entries", JSON.stringify(entries)],
    ["subscribers", JSON.stringify(seen)],
    ["messages", results.map(({ message }) => message).join("\n")],
    ["export", lines.join("\n")],
    ["recent", JSON.stringify(fl.recent())],
    ["questions", JSON.stringify(await fl.questions())],
    ["snapshot", JSON.stringify(await journal.kept("snapshot", "s"))],
    ["incidents", JSON.stringify([await journal.keptAll("incident"), await journal.keptAll("breaker")])],
    ["model views", JSON.stringify(faults.map((each) => viewFor("model", each, view)))],
    ["user views", JSON.stringify(faults.map((each) => viewFor("user", each, view)))],
    ["artefacts", artefactsIn(`${path}.artefacts`).join("\n")],
  ]);
}

/** Names and contents. */
function artefactsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const place = join(folder, name);
    return statSync(place).isFile() ? [decodeURIComponent(name), readFileSync(place, "utf8")] : [];
  });
}

const SECRETS: readonly (readonly [what: string, secret: string, isKnown: boolean])[] = [
  ["that is known and looks like nothing", "quiet-river-stone", true],
  ["that is known, with quotes and slashes in it", 'p"a/ss\\wörd 7', true],
  ["that was not declared, and that looks like a key", "sk-ant-api03-AAAABBBBCCCCDDDD", false],
  ["that was not declared, and that looks like a token of GitHub", "ghp_0123456789abcdefABCDEF0123456789abcd", false],
];

/** Where it was found, to report a leak; empty if it is not there. */
function around(spelling: string, text: string): string {
  const at = text.indexOf(spelling);
  return at === -1 ? "" : text.slice(Math.max(0, at - 200), at + spelling.length);
}

describe("a secret", () => {
  it.each(SECRETS)("%s leaks nowhere, wherever it was put in", async (_what, secret, isKnown) => {
    const { texts, results } = await planted(secret, isKnown ? [secret] : []);
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "cancelled"]);
    for (const [where, text] of texts) {
      expect(text.length, where).toBeGreaterThan(1);
      for (const spelling of [secret, JSON.stringify(secret).slice(1, -1)])
        expect(around(spelling, text), where).toBe("");
    }
    // Masked values are recognisable as masked.
    for (const where of ["entries", "export", "messages", "artefacts", "recent", "questions"]) {
      expect(texts.get(where), where).toContain(REDACTED);
    }
  });

  it("still reaches those who need it: the caller, and the next life of the program", async () => {
    const secret = "quiet-river-stone";
    const { results, path } = await planted(secret, [secret]);
    expect(results[0]?.outcomes["echo"]).toMatchObject({ value: { token: secret } });
    const next = await lifeOn(path, { secrets: [secret], startAt: 9_000_000 });
    const session = await next.clock.runUntil(next.fl.session("open"));
    const again = await next.clock.runUntil(session.ask("word", { kind: "Ask", prompt: "Which word?", field: "word" }));
    expect(again).toEqual({ status: "accepted", value: `words of ${secret}` });
  });
});

describe("a password entered by a person", () => {
  it("reaches the caller, is requested again each time, and is never in the journal", async () => {
    const path = newPath();
    const word = "correct horse battery";
    const person = scriptedInteractor("person", [
      { status: "accepted", value: word },
      { status: "accepted", value: word },
    ]);
    const { fl, clock, journal } = await lifeOn(path, { interactors: [person] });
    const session = await clock.runUntil(fl.session("s"));
    const payload = { kind: "Auth.Password", prompt: "Password for the registry:" } as const;
    expect(await clock.runUntil(session.ask("registry", payload))).toEqual({ status: "accepted", value: word });
    expect(await clock.runUntil(session.ask("registry", payload))).toEqual({ status: "accepted", value: word });
    expect(person.asked).toHaveLength(2);
    const answered = (await entriesOf(journal, "s")).filter(({ event }) => event.type === "question-answered");
    expect(answered.map(({ event }) => event)).toMatchObject([
      { answer: { status: "accepted", value: null }, by: "person" },
      { answer: { status: "accepted", value: null }, by: "person" },
    ]);
    await clock.runUntil(session.end());
    await clock.runUntil(fl.close());
    for (const file of readdirSync(join(path, ".."))) {
      expect(readFileSync(join(path, "..", file)).includes(word), file).toBe(false);
    }
  });
});
