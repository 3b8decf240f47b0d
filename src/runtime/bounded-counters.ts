// The counters of all tools, bounded in number: tool names may come from a model, so there may be any number of them.
// B1  A tool the program has registered always has counters of its own; of the others, the first ones have.
// B2  Two targets are never counted in one row of their own, even if their names are equal.
// B3  What all further tools do is counted in one row of its own: no number is lost, only whose it was.

import { createCounters, type ToolCounters } from "../core/record/metrics.ts";
import type { AnyTool } from "./tool/tool.ts";

/** The row of the tools that have none of their own. */
export const OTHER_TOOLS = "(other tools)";

const MAX_ROWS_OF_TARGET = 20;

export class BoundedCounters extends Map<string, ToolCounters> {
  readonly #most: number;
  readonly #isRegistered: (id: string) => boolean;
  #others: ToolCounters | null = null;
  /** The target that was counted first under each name. */
  readonly #firstOf = new Map<string, string>();
  /** The rows in which calls to each target are counted. */
  readonly #rowsOf = new Map<string, Set<string>>();
  /** How many rows unregistered tools have. */
  #given = 0;

  constructor(most: number, isRegistered: (id: string) => boolean) {
    super();
    this.#most = most;
    this.#isRegistered = isRegistered;
  }

  /**
   * The row of a model, an agent CLI or a client that is not the first target of its name: its name and its failure domains. null: the row
   * has the tool's own name. Programs often leave names out, and then `openai/gpt-5` at two addresses has one.
   */
  rowApart(tool: AnyTool): string | null {
    const apart = this.#rowApart(tool);
    this.#note(tool.target, apart ?? tool.id);
    return apart;
  }

  #rowApart({ id, target, member }: AnyTool): string | null {
    if (member === null) return null;
    const first = this.#firstOf.get(id) ?? target;
    if (this.#firstOf.size < this.#most) this.#firstOf.set(id, first);
    return first === target ? null : `${id} (${target})`;
  }

  #note(target: string, row: string): void {
    const rows = this.#rowsOf.get(target);
    if (rows === undefined) {
      if (this.#rowsOf.size < this.#most) this.#rowsOf.set(target, new Set([row]));
    } else if (rows.size < MAX_ROWS_OF_TARGET) rows.add(row);
  }

  /** The names of the rows in which calls to a target are counted, the first ones. */
  rowsOf(target: string): readonly string[] {
    return [...(this.#rowsOf.get(target) ?? [])];
  }

  /** Once all rows are given, a tool without one has that of the others. */
  override get(id: string): ToolCounters | undefined {
    const own = super.get(id);
    if (own !== undefined || this.#given < this.#most || this.#isRegistered(id)) return own;
    if (this.#others === null) {
      this.#others = super.get(OTHER_TOOLS) ?? createCounters();
      super.set(OTHER_TOOLS, this.#others);
    }
    return this.#others;
  }

  override set(id: string, counters: ToolCounters): this {
    // `get` has already decided which row counts it.
    if (counters === this.#others) return this;
    if (!this.has(id) && !this.#isRegistered(id)) this.#given += 1;
    return super.set(id, counters);
  }
}
