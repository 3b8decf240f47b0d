// The files about failed stages: their contents, that writing them again changes nothing, and that they contain no secret.

import { filesBeside } from "../../../src/journal/files/artefacts.ts";
import { folderStore } from "../../../src/journal/files/file-store.ts";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor, fault, type Fault } from "../../../src/core/index.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";
import { filesOfRun, type StageFilesAbout, writeStageFiles } from "../../../src/workflow/report/run-files.ts";
import { StageMemory } from "../../../src/workflow/report/stage-file-records.ts";
import { codeOf } from "../../../src/testing/journal-samples.ts";
import { tempFolder, type TempFolder } from "../../journal/temp-folder.ts";

const RUN = "run_1";
const SECRET = "opensesame-4711";
const ALL = ["reviewer_raw.md", "reviewer.events.jsonl", "reviewer.meta.json", "round.json"].map(
  (name) => `rounds/01/${name}`,
);

let temp: TempFolder;
let folder: string;
beforeEach(() => {
  temp = tempFolder();
  folder = filesOfRun(filesBeside(temp.file("journal.db")), RUN).folder ?? "";
});
afterEach(() => temp.remove());

const STORY = { row: { layer: "matrix", at: "1" }, considered: [], left: [], passedOver: [], preferred: null } as const;
const RETRY = { ...STORY, recourse: "retry", delayMs: 1, serverWait: false, attempt: 2, maxAttempts: 3 } as const;
const STARTED: JournalEvent = {
  ...{ type: "run-started", workflow: "w", version: "1", digest: "d", file: null, inputs: {}, start: ["coder"] },
  ...{ predecessor: null, inherited: null, instruction: null },
  limits: { maxParallel: 2, maxNodes: 9, timeoutMs: null, maxCostMicrocents: 0 },
};
const CODER = { node: "coder", execution: 1, attempt: 1 } as const;
const place = (attempt: number, node = "reviewer") => ({ node, execution: 1, attempt });
const broken = (message = "stream disconnected"): Fault => fault("NetworkDisconnect", { message });

function call(id: string, turn: string, costs: number): readonly JournalEvent[] {
  const ran = { call: id, tool: "openai/a", durationMs: 1, cost: { microcents: costs, basis: "reported" } } as const;
  const failed = { type: "call-failed", ...ran, fault: broken(), breaker: "closed" } as const;
  return [
    {
      type: "call-started",
      call: id,
      turn,
      tool: "openai/a",
      digest: "d",
      input: { password: SECRET },
      deadlineAt: null,
    },
    { type: "call-admitted", call: id, tool: "openai/a", attempt: 1 },
    { ...failed, attempt: 1, decision: RETRY },
    { type: "call-admitted", call: id, tool: "openai/a", attempt: 2 },
    { ...failed, attempt: 2, decision: { ...STORY, recourse: "fail" } },
  ];
}

const FIRST_ATTEMPT: readonly JournalEvent[] = [
  STARTED,
  { type: "node-started", ...CODER, kind: "agent" },
  { type: "node-completed", ...CODER, route: { kind: "to", nodes: ["reviewer"] }, output: null },
  { type: "node-started", ...place(1), kind: "agent" },
  { type: "turn-started", turn: "reviewer#1.1", deadlineAt: null },
  ...call("call_1", "reviewer#1.1", 7),
  { type: "turn-ended", turn: "reviewer#1.1", status: "failed", fault: broken() },
];
const RETRYING: JournalEvent = {
  ...{ type: "node-retrying", ...place(1), of: 2, fault: broken(), decision: RETRY, delayMs: 5, nextAt: 500 },
};
const FAILED: Extract<JournalEvent, { type: "node-failed" }> = {
  ...{ type: "node-failed", ...place(2), fault: fault("SchemaInvalid", { message: `no field; ${SECRET}` }) },
  ...{ outcome: "review_schema_invalid", resolution: "abort-workflow", route: null },
};
const SECOND_ATTEMPT: readonly JournalEvent[] = [{ type: "node-started", ...place(2), kind: "agent" }];

function entriesOf(...events: readonly JournalEvent[]): readonly Entry[] {
  return events.map((event, index) => ({ session: RUN, seq: index + 1, at: 100 + index, event }));
}

function memoryOf(...events: readonly JournalEvent[]): StageMemory {
  const memory = new StageMemory((node) => (node === "reviewer" ? "reviewer" : null));
  for (const entry of entriesOf(...events)) memory.add(entry);
  return memory;
}

function about(more: Partial<StageFilesAbout>): StageFilesAbout {
  return {
    ...{ run: RUN, memory: memoryOf(), coming: [], raw: new Map() },
    knownOf: () => ({ targets: ["codex"], sendBackTo: "coder", hasPartialOutput: false }),
    redactor: createRedactor([SECRET]),
    ...more,
  };
}

const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");
const jsonOf = (name: string): unknown => JSON.parse(textOf(name)) as unknown;
const rawOf = (text: string, attempt = 1): ReadonlyMap<string, string> => new Map([[`reviewer#1.${attempt}`, text]]);
const afterOne = (raw: string) =>
  about({ memory: memoryOf(...FIRST_ATTEMPT), coming: [{ at: 200, event: RETRYING }], raw: rawOf(raw) });
const afterBoth = (raw: ReadonlyMap<string, string>) =>
  about({
    memory: memoryOf(...FIRST_ATTEMPT, RETRYING, ...SECOND_ATTEMPT),
    coming: [{ at: 300, event: FAILED }],
    raw,
  });

describe("the files of a failed attempt", () => {
  it("are written before the failure event, with what the run does next", async () => {
    expect(await writeStageFiles(folderStore(folder), afterOne("half an ans"))).toEqual(ALL);
    expect(jsonOf("rounds/01/reviewer.meta.json")).toMatchObject({
      ...{ node: "reviewer", execution: 1, class: "ProviderTransient", code: "NetworkDisconnect" },
      ...{ outcome: "provider_network_error", pill: "network error", state: "waiting" },
      retries: { workflow: 0, transport: 1 },
      then: { do: "retry", nextAt: 500, to: ["reviewer"] },
      nextAction: { id: "retry-stage", label: { "en": "Retry this stage", "zh-CN": "重试当前阶段" } },
      correlationId: "run_1/reviewer#1.1/call_1",
    });
    expect(textOf("rounds/01/reviewer_raw.md")).toContain("## Attempt 1: ProviderTransient/NetworkDisconnect");
    expect(textOf("rounds/01/reviewer_raw.md")).toContain("half an ans");
  });

  it("address the operator in both languages", async () => {
    await writeStageFiles(folderStore(folder), afterOne("x"));
    const { message } = jsonOf("rounds/01/reviewer.meta.json") as { message: Record<string, Record<string, string>> };
    expect(Object.keys(message)).toEqual(["en", "zh-CN"]);
    for (const words of Object.values(message)) {
      expect(Object.keys(words)).toEqual(["user", "operator", "next"]);
      for (const sentence of Object.values(words)) expect(sentence.length).toBeGreaterThan(5);
    }
    expect(message["zh-CN"]?.["user"]).toMatch(/\p{Script=Han}/u);
  });

  it("contain the events of its node and of its calls, one per line, and no others", async () => {
    await writeStageFiles(folderStore(folder), afterOne("x"));
    const lines = textOf("rounds/01/reviewer.events.jsonl").trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { seq: number | null; event: { type: string } });
    expect(events.map(({ event }) => event.type)).toEqual([
      ...[
        "node-started",
        "turn-started",
        "call-started",
        "call-admitted",
        "call-failed",
        "call-admitted",
        "call-failed",
      ],
      ...["turn-ended", "node-retrying"],
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, null]);
  });

  it("are readable only by their owner", async () => {
    await writeStageFiles(folderStore(folder), afterOne("x"));
    for (const name of ALL) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(join(folder, "rounds/01")).mode & 0o777).toBe(0o700);
    expect(statSync(temp.file("journal.db.runs")).mode & 0o777).toBe(0o700);
  });
});

describe("the files of a stage that failed for good", () => {
  it("list every attempt with its class, and the role's own outcome", async () => {
    await writeStageFiles(folderStore(folder), afterBoth(new Map([...rawOf("first"), ...rawOf("second", 2)])));
    expect(jsonOf("rounds/01/reviewer.meta.json")).toMatchObject({
      ...{ class: "Output", code: "SchemaInvalid", outcome: "review_schema_invalid", pill: "schema invalid" },
      attempts: [
        { attempt: 1, class: "ProviderTransient", code: "NetworkDisconnect", callAttempts: 2, spentMicrocents: 14 },
        { attempt: 2, class: "Output", code: "SchemaInvalid", endedAt: 300, callAttempts: 0, spentMicrocents: 0 },
      ],
      retries: { workflow: 1, transport: 1 },
      then: { do: "stop" },
      nextAction: { id: "regenerate-once" },
    });
    const raw = textOf("rounds/01/reviewer_raw.md");
    expect(raw.indexOf("first")).toBeLessThan(
      raw.indexOf("## Attempt 2: Output/SchemaInvalid (review_schema_invalid)"),
    );
    expect(raw).toContain("second");
  });

  it("describe the round with all its nodes, including the successful ones", async () => {
    await writeStageFiles(folderStore(folder), afterBoth(new Map()));
    expect(jsonOf("rounds/01/round.json")).toMatchObject({
      ...{ run: RUN, round: 1 },
      nodes: [
        { node: "coder", state: "completed", attempts: [{ attempt: 1, class: null }] },
        { node: "reviewer", state: "failed", attempts: [{ attempt: 1 }, { attempt: 2, code: "SchemaInvalid" }] },
      ],
    });
  });

  it("name no action if the run continues by itself", async () => {
    const repaired: JournalEvent = { ...FAILED, route: { kind: "to", nodes: ["coder"] } };
    await writeStageFiles(folderStore(folder), { ...afterBoth(new Map()), coming: [{ at: 300, event: repaired }] });
    expect(jsonOf("rounds/01/reviewer.meta.json")).toMatchObject({
      nextAction: null,
      then: { do: "go-on", to: ["coder"] },
    });
  });
});

describe("writing the files again", () => {
  it("gives the same files", async () => {
    const names = await writeStageFiles(folderStore(folder), afterBoth(rawOf("raw ``` fence")));
    const before = names.map(textOf);
    expect(await writeStageFiles(folderStore(folder), afterBoth(rawOf("raw ``` fence")))).toEqual(names);
    expect(names.map(textOf)).toEqual(before);
  });

  it("keeps raw output of attempts that are no longer in memory", async () => {
    const forged = "a\n<!-- raw: attempt=2 chars=5 -->\n````text\nforged\n````\nb";
    await writeStageFiles(folderStore(folder), afterOne(forged));
    await writeStageFiles(folderStore(folder), afterBoth(new Map()));
    expect(textOf("rounds/01/reviewer_raw.md")).toMatch(/Attempt 2.*\n\nThere is no raw output of this attempt\.\n$/);
    await writeStageFiles(folderStore(folder), afterBoth(rawOf("second", 2)));
    const once = textOf("rounds/01/reviewer_raw.md");
    expect(once).toContain(forged);
    await writeStageFiles(folderStore(folder), afterBoth(new Map()));
    expect(textOf("rounds/01/reviewer_raw.md")).toBe(once);
    expect(once.match(/chars=6 -->\n`{4,}text\nsecond\n/g)).toHaveLength(1);
  });

  it("removes files that a crash left half written, and leaves none itself", async () => {
    await writeStageFiles(folderStore(folder), afterOne("x"));
    writeFileSync(join(folder, "rounds/01/reviewer_raw.md.999999999-3.tmp"), "half");
    await writeStageFiles(folderStore(folder), afterBoth(new Map()));
    expect(readdirSync(join(folder, "rounds/01")).sort()).toEqual(ALL.map((name) => name.slice(10)).sort());
  });

  it("writes only the files about stages that have changed, and the same as a process that reads everything again", async () => {
    const memory = memoryOf(...FIRST_ATTEMPT, RETRYING, ...SECOND_ATTEMPT);
    const later = (round: number): readonly JournalEvent[] => [
      { type: "node-started", ...place(1), execution: round, kind: "agent" },
      { ...FAILED, ...place(1), execution: round },
    ];
    const all: JournalEvent[] = [...FIRST_ATTEMPT, RETRYING, ...SECOND_ATTEMPT, FAILED];
    expect(await writeStageFiles(folderStore(folder), about({ memory, coming: [{ at: 300, event: FAILED }] }))).toEqual(
      ALL,
    );
    const written: (readonly string[])[] = [];
    for (let round = 2; round <= 5; round++) {
      all.push(...later(round));
      for (const entry of entriesOf(...all)) memory.add(entry);
      written.push(await writeStageFiles(folderStore(folder), about({ memory })));
    }
    // The first of them also says how the attempt went on whose end was about to be written.
    expect(written[0]?.filter((name) => name.endsWith("round.json"))).toEqual([
      "rounds/01/round.json",
      "rounds/02/round.json",
    ]);
    expect(written.at(-1)).toEqual(ALL.map((name) => name.replace("01", "05")));
    const names = await writeStageFiles(folderStore(folder), about({ memory }));
    expect(names).toEqual([]);
    const files = Object.fromEntries(written.flat().map((name) => [name, textOf(name)]));
    await writeStageFiles(folderStore(folder), about({ memory: memoryOf(...all) }));
    for (const [name, text] of Object.entries(files)) expect(textOf(name), name).toBe(text);
  });

  it("from two branches at once leaves whole files", async () => {
    await Promise.all([1, 2, 3, 4].map(() => writeStageFiles(folderStore(folder), afterBoth(rawOf("x".repeat(9999))))));
    expect(readdirSync(join(folder, "rounds/01"))).toHaveLength(4);
    expect(jsonOf("rounds/01/round.json")).toMatchObject({ round: 1 });
  });
});

describe("what is kept", () => {
  it("contains no secret", async () => {
    const names = await writeStageFiles(
      folderStore(folder),
      afterBoth(rawOf(`key ${SECRET} and sk-ant-api03-AAAABBBBCCCC`)),
    );
    for (const name of names) {
      expect(textOf(name), name).not.toContain(SECRET);
      expect(textOf(name), name).not.toContain("AAAABBBBCCCC");
    }
    expect(textOf("rounds/01/reviewer_raw.md")).toContain("[redacted]");
  });

  it("loses its middle beyond a mebibyte, not its ends, and stays like that", async () => {
    await writeStageFiles(folderStore(folder), afterOne(`begin${"x".repeat(2_000_000)}end`));
    const raw = textOf("rounds/01/reviewer_raw.md");
    expect(raw.length).toBeLessThan(1024 * 1024 + 500);
    expect(raw).toMatch(/begin[\s\S]*cut here[\s\S]*end\n/);
    await writeStageFiles(folderStore(folder), afterOne(""));
    expect(textOf("rounds/01/reviewer_raw.md")).toBe(raw);
  });

  it("stays within the folder, whatever a node or a run is called", async () => {
    const node = "../../evil";
    const coming = [{ at: 9, event: { ...RETRYING, node } as JournalEvent }];
    const names = await writeStageFiles(folderStore(folder), about({ memory: memoryOf(STARTED), coming }));
    expect(names[0]).toBe("rounds/01/%2E.%2F..%2Fevil_raw.md");
    expect(readdirSync(temp.path)).toEqual(["journal.db.runs"]);
    expect(filesOfRun(filesBeside("/x/journal.db"), "../y").folder).toBe("/x/journal.db.runs/%2E.%2Fy");
  });

  it("is nothing for a run without failures", async () => {
    expect(await writeStageFiles(folderStore(folder), about({ memory: memoryOf(STARTED) }))).toEqual([]);
    expect(readdirSync(temp.path)).toEqual([]);
  });

  it("is refused by name when the folder cannot be written", async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "rounds"), "a file in the way");
    expect(await codeOf(writeStageFiles(folderStore(folder), afterOne("x")))).toBe("StoreUnavailable");
  });
});
