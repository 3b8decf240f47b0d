// The last stop of the tour: one turn, live, with tools that fail for real within a second or two.

import type { Locale, TraceRecord } from "../../core/index.ts";
import { createFaultline, fault, FaultError, step, tool } from "../../index.ts";

const WORDS = {
  "en": {
    title: "And at work: one turn, live",
    worked: "worked",
    flights: "the flights",
    hotel: "the hotel",
    taxi: "the taxi",
    weather: "the weather",
  },
  "zh-CN": {
    title: "实际运行：一个回合",
    worked: "成功",
    flights: "航班",
    hotel: "酒店",
    taxi: "出租车",
    weather: "天气",
  },
} as const satisfies Record<Locale, Record<string, string>>;

export interface DemoTurn {
  readonly title: string;
  /** What happened, in order: the tool, its failure, and Faultline's reaction. */
  readonly lines: readonly { readonly tool: string; readonly met: string; readonly did: string }[];
  /** The message for the user. */
  readonly message: string;
}

export async function liveTurn(locale: Locale): Promise<DemoTurn> {
  const words = WORDS[locale];
  const fl = createFaultline({ locale });
  const session = await fl.session("tour");
  const result = await session.turn({
    flights: step(flights(), { to: "LIS" }, { label: words.flights }),
    hotel: step(hotels(), {}, { label: words.hotel }),
    taxi: step(taxi(), {}, { label: words.taxi, needs: ["hotel"], optional: true }),
    weather: step(weather(), {}, { label: words.weather }),
  });
  const trace = await session.trace();
  await session.end();
  const lines = trace.flatMap((record) => lineOf(record, words.worked));
  return { title: words.title, lines, message: result.message };
}

function lineOf(record: TraceRecord, worked: string): DemoTurn["lines"] {
  if (record.event_type === "ToolError")
    return [{ tool: record.tool_id, met: record.code, did: record.because[0] ?? "" }];
  if (record.event_type === "ToolSucceeded") return [{ tool: record.tool_id ?? "", met: "", did: worked }];
  return [];
}

/** Fails twice with a 503, then succeeds. */
function flights() {
  let asked = 0;
  return tool({
    id: "search_flights",
    idempotent: true,
    run: ({ to }: { to: string }) => {
      if (++asked < 3) throw Object.assign(new Error("503 Service Unavailable"), { status: 503 });
      return `${to} 07:10`;
    },
  });
}

/** Hangs; a fallback tool knows the same hotels. */
function hotels() {
  const other = tool({ id: "search_hotels_b", run: () => "Hotel Tejo" });
  return tool<object, string>({
    id: "search_hotels",
    idempotent: true,
    timeoutMs: 150,
    retry: "none",
    alternatives: [other],
    run: () => new Promise(() => undefined),
  });
}

/** Refuses; the turn continues without it. */
function taxi() {
  return tool<object, string>({
    id: "order_taxi",
    run: () => Promise.reject(new FaultError(fault("Forbidden", { message: "taxis need an approval" }))),
  });
}

function weather() {
  return tool<object, string>({
    id: "weather",
    default: "?",
    run: () => Promise.reject(new FaultError(fault("NotFound", { message: "no such station" }))),
  });
}
