// A fault as one line of text: `rate-limit; retry-after=7` in a header, `rate-limit:retry-after=7,as=html` in a model name.

import { nearest } from "../options/nearest.ts";
import { CHAOS_FAULT_IDS, type ChaosFault, faultRow } from "./faults.ts";
import { PARAMETER_CHOICES, PARAMETER_LIMITS, type Parameters } from "./faults/fault-row.ts";

/** Written in place of a fault id: a good answer. */
export const OK = "ok";

export type WrittenFault =
  | { readonly fault: ChaosFault | null; readonly params: Partial<Parameters> }
  | { readonly complaint: string };

export function readFault(text: string): WrittenFault {
  const [id = "", ...rest] = text.split(/[;:,]/).map((part) => part.trim());
  const fault = faultRow(id);
  if (fault === undefined && id !== OK) return { complaint: noSuchFault(id) };
  const params: Record<string, string | number> = {};
  for (const part of rest.filter((one) => one !== "")) {
    const [, name = part, value = ""] = /^([^=]+?)\s*=\s*(.*)$/.exec(part) ?? [];
    const complaint = checkParameter(fault ?? null, name, value);
    if (complaint !== null) return { complaint };
    params[name] = isChoice(name) ? value : Number(value);
  }
  return { fault: fault ?? null, params };
}

/** The fault in a model name: `overloaded`, `chaos-overloaded`, `anything/overloaded`; null if there is none. */
export function faultInModel(model: string): WrittenFault | null {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const [id = ""] = name.split(":");
  if (id.startsWith("chaos-")) return readFault(name.slice("chaos-".length));
  return faultRow(id) === undefined ? null : readFault(name);
}

/** The problem with a parameter of a fault, or null. */
export function checkParameter(fault: ChaosFault | null, name: string, value: unknown): string | null {
  const known = Object.keys(fault?.params ?? {});
  const whose = fault?.id ?? OK;
  if (!known.includes(name)) {
    return `\`${whose}\` has no parameter \`${name}\`; ${known.length === 0 ? "it has none" : `it has ${known.join(", ")}`}.`;
  }
  const choices = PARAMETER_CHOICES[name as keyof Parameters];
  if (choices !== undefined) {
    return choices.includes(String(value)) ? null : `\`${name}\` is one of ${choices.join(", ")}.`;
  }
  const { most, isWhole } = PARAMETER_LIMITS[name as keyof typeof PARAMETER_LIMITS];
  const number = value === "" ? NaN : Number(value);
  const isRight = number >= 0 && number <= most && (!isWhole || Number.isInteger(number));
  return isRight ? null : `\`${name}\` is a ${isWhole ? "whole number" : "number"} from 0 to ${most}.`;
}

function isChoice(name: string): boolean {
  return PARAMETER_CHOICES[name as keyof Parameters] !== undefined;
}

function noSuchFault(id: string): string {
  const near = nearest(id, CHAOS_FAULT_IDS);
  const hint = near === null ? "`faultline chaos --list` lists all." : `Did you mean \`${near}\`?`;
  return `There is no fault \`${id}\`. ${hint}`;
}
