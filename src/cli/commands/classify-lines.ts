// `faultline classify --jsonl`: reads one object per line and answers each with one line, in order and in constant memory. A bad
// line gets an error object, and the command continues; the exit code reports it.

import * as z from "zod";
import { classify, fault, SURFACES, type Evidence } from "../../core/index.ts";
import { parseJson } from "../../core/try-read.ts";
import { faultCore } from "../fault-json.ts";
import { type Io, UsageError } from "../io.ts";
import { type Line, MAX_LINE_CHARS, splitLines } from "../lines.ts";

const id = z.union([z.string(), z.number(), z.null()], "must be text, a number or null").optional();
const input = z.object({
  status: z.int().nullish(),
  message: z.string().nullish(),
  code: z.string().nullish(),
  exitCode: z.int().nullish(),
  signal: z.string().nullish(),
  stopReason: z.string().nullish(),
  observedAt: z.number().nullish(),
  headers: z.unknown().optional(),
  body: z.unknown().optional(),
});
const lineSchema = z.looseObject({ id, surface: z.enum(SURFACES), provider: z.string().nullish(), input });

/** Answers are buffered and written in chunks of this size. */
const FLUSH_CHARS = 65_536;

export async function classifyLines(source: string | undefined, io: Io): Promise<void> {
  const chunks = source === undefined || source === "-" ? io.stdin : io.openFile(source);
  let pending = "";
  let good = 0;
  let bad = 0;
  for await (const line of splitLines(chunks)) {
    if ("text" in line && line.text.trim() === "") continue;
    const answer = answerTo(line, io);
    if ("error" in answer) bad++;
    else good++;
    pending += `${JSON.stringify(answer)}\n`;
    if (pending.length >= FLUSH_CHARS) {
      await io.stdout.write(pending);
      pending = "";
    }
    // The reader has closed its end, as `| head` does, so the rest of the input need not be read.
    if (io.stdout.isClosed === true) break;
  }
  await io.stdout.write(pending);
  if (bad === 0) return;
  const said = {
    "en": `${count(bad)} unusable and got an error object; ${count(good)} classified.`,
    "zh-CN": `${bad} 行无法使用，得到了错误对象；${good} 行已识别。`,
  };
  throw new UsageError(said, good === 0 ? "failed" : "partial");
}

function count(lines: number): string {
  return lines === 1 ? "1 line was" : `${lines} lines were`;
}

type Answer =
  | { readonly id: unknown; readonly fault: object }
  | { readonly id: unknown; readonly line: number; readonly error: object };

function answerTo(line: Line, io: Io): Answer {
  if ("tooLong" in line) return refusal(line.number, null, "", `the line is longer than ${MAX_LINE_CHARS} characters`);
  const value = parseJson(line.text);
  // The engine's message about bad JSON may quote the line, which may hold a secret, so the message is not passed on.
  if (value === undefined) return refusal(line.number, null, "", "the line is not JSON");
  const checked = lineSchema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const field = issue?.path.join(".") ?? "";
    return refusal(
      line.number,
      idOf(value),
      field,
      `${field === "" ? "the line" : field}: ${issue?.message ?? "not usable"}`,
    );
  }
  const { surface, provider, input: seen } = checked.data;
  const evidence = { observedAt: io.clock.now(), ...dropNulls(seen), surface, provider } as Evidence;
  return { id: checked.data.id ?? null, fault: faultCore(classify(evidence)) };
}

function refusal(line: number, lineId: unknown, field: string, message: string): Answer {
  const { class: faultClass, code } = fault("ShapeInvalid");
  return { id: lineId, line, error: { class: faultClass, code, field, message } };
}

function idOf(value: unknown): unknown {
  const lineId = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof lineId === "string" || typeof lineId === "number" ? lineId : null;
}

function dropNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null && item !== undefined));
}
