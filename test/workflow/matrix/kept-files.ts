// Reads the files about failed stages where the journal keeps them, and checks them.

import { expect } from "vitest";
import type { FaultClass, FaultCode } from "../../../src/core/fault/catalogue.ts";
import { wordsFor } from "../../../src/core/fault/words/words.ts";
import type { ActionId } from "../../../src/core/flow/action.ts";
import { actionWords } from "../../../src/core/flow/action-words.ts";
import type { FileStore } from "../../../src/journal/files/file-store.ts";
import type { RunReport } from "../../../src/workflow/runs-api.ts";

/** The part of `<node>.meta.json` that is checked. */
export interface StageMeta {
  readonly node: string;
  readonly execution: number;
  readonly state: string;
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly outcome: string;
  readonly retries: { readonly workflow: number; readonly transport: number };
  readonly nextAction: { readonly id: ActionId; readonly label: Readonly<Record<string, string>> } | null;
  readonly message: Readonly<Record<"en" | "zh-CN", { readonly operator: string; readonly user: string }>>;
}

export interface KeptStage {
  readonly meta: StageMeta;
  readonly raw: string;
}

/** Every stage with kept files, in the order of rounds. */
export async function keptStages(report: RunReport, store: FileStore): Promise<readonly KeptStage[]> {
  const { files, state } = report;
  const found = files.filter((name) => !name.endsWith("/round.json"));
  const stages = new Set(found.map((name) => name.replace(/(?:_raw\.md|\.events\.jsonl|\.meta\.json)$/, "")));
  const textOf = async (name: string): Promise<string> => Buffer.from((await store.read(name)) ?? []).toString("utf8");
  const kept: KeptStage[] = [];
  for (const stage of [...stages].toSorted()) {
    const raw = await textOf(`${stage}_raw.md`);
    const events = linesOf(await textOf(`${stage}.events.jsonl`));
    const meta = JSON.parse(await textOf(`${stage}.meta.json`)) as StageMeta;
    const { node, execution } = meta;
    expect(stage).toBe(`rounds/0${execution}/${node}`);
    const visit = state.visits.find((one) => one.node === node && one.execution === execution);
    expect(meta.state, "the file knows how the stage ended").toBe(visit?.state);
    expect(raw).toContain(`: ${meta.class}/${meta.code} (${meta.outcome})`);
    expect(JSON.stringify(events), "the events tell of the failure").toContain(`"code":"${meta.code}"`);
    expect(JSON.parse(await textOf(`rounds/0${execution}/round.json`)), "the round counts attempts, too").toMatchObject(
      {
        round: execution,
        nodes: expect.arrayContaining([expect.objectContaining({ node, state: meta.state })]) as unknown,
      },
    );
    checkWords(meta);
    kept.push({ meta, raw });
  }
  return kept;
}

function linesOf(text: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** In both languages, with the words for the code. */
function checkWords({ code, message, nextAction }: StageMeta): void {
  for (const locale of ["en", "zh-CN"] as const) {
    const { operator, user } = wordsFor(code, locale);
    expect(message[locale]).toMatchObject({ operator, user });
    if (nextAction !== null) expect(nextAction.label[locale]).toBe(actionWords(nextAction.id, locale).label);
  }
}
