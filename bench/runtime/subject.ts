// What a subject of the measurement is: retry, breaker and timeout around one piece of work, however the library does it.

/** The protected work. Gets the abort signal of libraries that create one, otherwise null. */
export type Work = (context: { readonly signal: AbortSignal } | null) => Promise<number>;

export interface Settings {
  /** All attempts, the first included; nothing is waited for between them. */
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly failuresToOpen: number;
  readonly openMs: number;
}

/** The same for all subjects. The breaker stays open so long that no measurement sees it half open. */
export const SETTINGS: Settings = { maxAttempts: 5, timeoutMs: 30_000, failuresToOpen: 5, openMs: 3_600_000 };

export type Ending = "done" | "refused" | "timed-out" | "failed";

/** How one call settled: with a value, or with something thrown. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

export interface Guarded {
  readonly call: () => Promise<unknown>;
  readonly endingOf: (settled: Settled) => Ending;
}

export interface Subject {
  readonly name: string;
  /** `reference` rows are shown for orientation, but do less, so they do not count as peers. */
  readonly role: "ours" | "peer" | "reference" | "floor";
  /** What it cannot do; shown in its row. */
  readonly lacks: readonly ("retry" | "breaker" | "timeout")[];
  /** How much of a section's work it is given, where the whole would take minutes. */
  readonly limits: Partial<Readonly<Record<"failing" | "inFlight", number>>>;
  readonly guard: (work: Work, settings: Settings) => Guarded | Promise<Guarded>;
}

export function titleOf({ name, lacks }: Subject): string {
  return lacks.length === 0 ? name : `${name} (no ${lacks.join(", no ")})`;
}
