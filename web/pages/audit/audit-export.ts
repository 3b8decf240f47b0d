// The audit log as a file, made in the browser.

import type { AuditRecord } from "./audit-page.tsx";

const COLUMNS = ["at", "by", "what", "says", "on", "said", "session", "action", "key", "refused", "why", "id"] as const;

/** Follows the cursors of a list to its end. */
export async function readAll<Item>(
  read: (cursor: string | null) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  do {
    const page = await read(cursor);
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

export function saveAsJson(records: readonly AuditRecord[]): void {
  save("audit.json", "application/json", `${JSON.stringify(records, null, 2)}\n`);
}

export function saveAsCsv(records: readonly AuditRecord[]): void {
  const lines = records.map((record) =>
    COLUMNS.map((name) => cell(name === "at" ? new Date(record.at).toISOString() : (record[name] ?? ""))).join(","),
  );
  save("audit.csv", "text/csv", `${[COLUMNS.join(","), ...lines].join("\r\n")}\r\n`);
}

/** A spreadsheet takes a cell that begins like this for a formula; the quote in front makes it text. */
const FORMULA = /^[=+\-@\t\r]/u;

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
