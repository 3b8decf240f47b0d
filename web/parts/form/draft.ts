// What a person has typed so far, and the value it makes. Numbers stay text while they are typed, so nothing typed is ever lost.

import { parseJson } from "../../../src/core/try-read.ts";
import { suppressThrown } from "../../app/thrown.ts";
import type { ChoiceField, Field, GroupField, ListField, NumberField, TextField } from "./schema-field.ts";

/** As the fields hold it: texts, ticks, and lists and groups of them. A choice is the number of its option. */
export type Draft = string | boolean | readonly Draft[] | { readonly [name: string]: Draft };

/** What is wrong with a field. The form has the words for it. */
export interface Mistake {
  /** JSON Pointer of the field, such as `/address/zip`. */
  readonly at: string;
  readonly what: MistakeKind;
  /** A limit that was passed. */
  readonly limit?: number;
}

export type MistakeKind =
  | "missing"
  | "not-a-number"
  | "not-whole"
  | "too-small"
  | "too-large"
  | "too-short"
  | "too-long"
  | "wrong-form"
  | "not-json"
  | "too-few"
  | "too-many";

/** `undefined`: left out. */
export interface ReadDraft {
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
}

/** The draft a form begins with: the schema's defaults, or a value that is known. */
export function draftOf(field: Field, known: unknown = field.start): Draft {
  switch (field.kind) {
    case "text":
      return typeof known === "string" ? known : "";
    case "number":
      return typeof known === "number" ? String(known) : "";
    case "yes-no":
      return known === true;
    case "choice": {
      const index = field.options.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(known));
      // A single option is not a choice.
      return field.options.length === 1 ? "0" : index === -1 ? "" : String(index);
    }
    case "list": {
      const items = Array.isArray(known) ? known : Array.from({ length: field.minItems }, () => undefined);
      return items.map((item: unknown) => draftOf(field.item, item ?? field.item.start));
    }
    case "group": {
      const values = groupOf(known);
      return Object.fromEntries(
        field.fields.map(({ name, field: member }) => [name, draftOf(member, values[name] ?? member.start)]),
      );
    }
    case "json":
      return known === undefined ? "" : JSON.stringify(known, null, 2);
  }
}

/** The value that a draft makes, and what is wrong with it. */
export function readDraft(field: Field, draft: Draft, isRequired = true, at = ""): ReadDraft {
  const mistake = (what: MistakeKind, limit?: number): ReadDraft => ({
    value: undefined,
    mistakes: [{ at, what, ...(limit === undefined ? {} : { limit }) }],
  });
  if (draft === "" && isRequired) return mistake("missing");
  // No tick is a no, not nothing.
  if (!isRequired && field.kind !== "yes-no" && isBlank(field, draft)) return NOTHING;
  switch (field.kind) {
    case "text":
      return readText(field, textIn(draft), mistake);
    case "number":
      return readNumber(field, textIn(draft), mistake);
    case "yes-no":
      return good(draft === true);
    case "choice":
      return good(chosen(field, draft)?.value);
    case "list":
      return readList(field, draft as readonly Draft[], at, mistake);
    case "group":
      return readGroup(field, draft as DraftGroup, at);
    case "json":
      return readJson(textIn(draft), mistake);
  }
}

type DraftGroup = Readonly<Record<string, Draft>>;
type Complain = (what: MistakeKind, limit?: number) => ReadDraft;

const NOTHING: ReadDraft = { value: undefined, mistakes: [] };

function good(value: unknown): ReadDraft {
  return { value, mistakes: [] };
}

function chosen({ options }: ChoiceField, draft: Draft): ChoiceField["options"][number] | undefined {
  return draft === "" ? undefined : options[Number(draft)];
}

/** The text of a field that holds one. */
export function textIn(draft: Draft): string {
  return typeof draft === "string" ? draft : "";
}

/** Nothing was typed into it. An optional group whose fields are all blank is left out as a whole. */
function isBlank(field: Field, draft: Draft): boolean {
  switch (field.kind) {
    case "yes-no":
      return draft === (field.start === true);
    case "list":
      return (draft as readonly Draft[]).length === 0;
    case "group":
      return field.fields.every(({ name, field: member }) => isBlank(member, (draft as DraftGroup)[name] ?? ""));
    default:
      return draft === "";
  }
}

function readText(field: TextField, text: string, mistake: Complain): ReadDraft {
  if (text.length < field.minLength) return mistake("too-short", field.minLength);
  if (field.maxLength !== null && text.length > field.maxLength) return mistake("too-long", field.maxLength);
  return field.pattern === null || fits(text, field.pattern) ? good(text) : mistake("wrong-form");
}

/** A pattern this browser cannot read is left to the server. */
function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch (error) {
    suppressThrown("The schema has a pattern that this browser cannot read.", error);
    return true;
  }
}

function readNumber(field: NumberField, text: string, mistake: Complain): ReadDraft {
  const value = Number(text.trim());
  if (text.trim() === "" || !Number.isFinite(value)) return mistake("not-a-number");
  if (field.isWhole && !Number.isInteger(value)) return mistake("not-whole");
  if (field.min !== null && value < field.min) return mistake("too-small", field.min);
  return field.max !== null && value > field.max ? mistake("too-large", field.max) : good(value);
}

function readList(field: ListField, drafts: readonly Draft[], at: string, mistake: Complain): ReadDraft {
  if (drafts.length < field.minItems) return mistake("too-few", field.minItems);
  if (field.maxItems !== null && drafts.length > field.maxItems) return mistake("too-many", field.maxItems);
  const items = drafts.map((draft, index) => readDraft(field.item, draft, true, `${at}/${index}`));
  return { value: items.map(({ value }) => value), mistakes: items.flatMap(({ mistakes }) => mistakes) };
}

function readGroup(field: GroupField, drafts: DraftGroup, at: string): ReadDraft {
  const members = field.fields.map(({ name, field: member, isRequired }) => {
    const read = readDraft(member, drafts[name] ?? draftOf(member), isRequired, `${at}/${escaped(name)}`);
    return { name, ...read };
  });
  const given = members.filter(({ value }) => value !== undefined);
  return {
    value: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    mistakes: members.flatMap(({ mistakes }) => mistakes),
  };
}

function readJson(text: string, mistake: Complain): ReadDraft {
  const value = parseJson(text);
  return value === undefined ? mistake("not-json") : good(value);
}

/** The part of a draft that a JSON Pointer names; undefined when there is none. */
export function partAt(draft: Draft, at: string): Draft | undefined {
  const steps = at.split("/").slice(1);
  return steps.reduce<Draft | undefined>((part, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object") return undefined;
    return Object.hasOwn(part, name) ? (part as Readonly<Record<string, Draft>>)[name] : undefined;
  }, draft);
}

/** A name as a step of a JSON Pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function groupOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
