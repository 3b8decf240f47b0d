// Every key of a gateway file: it does what it says, a running gateway takes up its change while a call is under way, and a wrong value is
// reported with its place. The list of keys comes from the schema, so a new key needs a row.

import { describe, expect, it } from "vitest";
import { parseDocument, stringify } from "yaml";
import { gatewayJsonSchema } from "../../../src/gateway/config/gateway-schema.ts";
import { parseGateway } from "../../../src/gateway/config/parse-gateway.ts";
import { renderDiagnostic } from "../../../src/yaml-file/diagnostic.ts";
import { FIRST } from "../open-world.ts";
import {
  type At,
  baseFile,
  ENV,
  type File,
  FieldWorld,
  type Places,
  STATE,
  withValue,
  withValues,
} from "./field-world.ts";
import { type FieldRow, ROWS } from "./rows.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

function keysOf({ properties = {} }: Schema, way = ""): readonly string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const { additionalProperties: values } = schema;
    const isMap = typeof values === "object";
    return [`${way}${key}`, ...keysOf(isMap ? values : schema, `${way}${key}.${isMap ? "*." : ""}`)];
  });
}

it("there is one row for every key", () => {
  expect(ROWS.map(({ key }) => key).sort()).toEqual([...keysOf(gatewayJsonSchema())].sort());
});

const places: Places = { url: "http://127.0.0.1:1", stub: "http://127.0.0.1:2" };
const valueOf = ({ to, toAt }: FieldRow, at: Places): unknown => toAt?.(at) ?? to;

/** The row's file with this value; `undefined` leaves what the file has. */
function fileWith({ at, given = [] }: FieldRow, value: unknown, where: Places): File {
  const file = withValues(baseFile(where), given);
  return value === undefined ? file : withValue(file, at, value);
}

const CHANGING = ROWS.filter(({ look }) => look !== undefined);

describe.each(CHANGING)("$key", (row) => {
  it("does what it says, and a change of it keeps what the gateway knows and the call that is under way", async () => {
    const { look = () => Promise.resolve(null), sees, rules = [] } = row;
    const here = await FieldWorld.open((where) => fileWith(row, row.from, where), rules);
    const before = await look(here);
    await here.makeState();
    const isFirst = JSON.stringify(fileWith(row, row.from, here.places)["routes"]).includes(`"one/${FIRST}"`);
    const slow = isFirst ? await here.beginSlow() : null;
    await here.use(fileWith(row, valueOf(row, here.places), here.places));
    expect(await here.state()).toEqual(STATE);
    if (slow !== null)
      expect(await here.world.run(slow.ended)).toMatchObject({ status: 200, isWhole: true, error: null });
    await here.world.clock.advance(60_000);
    const after = await look(here);
    if (sees === undefined) expect(after).not.toEqual(before);
    else expect([before, after]).toEqual(sees);
  });
});

describe.each(ROWS)("a wrong $key", (row) => {
  const text = stringify(fileWith(row, row.wrong, places));
  const found = (locale: "en" | "zh-CN" = "en") =>
    parseGateway(text, "gateway.faultline.yaml", ENV, locale).diagnostics.find(({ code }) => code === row.says);

  it("is reported with its line, a caret under it and a hint, in both languages", () => {
    expect(parseGateway(text, "gateway.faultline.yaml", ENV).settings).toBeNull();
    const seen = found();
    if (seen === undefined)
      throw new Error(`no ${row.says}: ${JSON.stringify(parseGateway(text, "g", ENV).diagnostics)}`);
    expect([seen.line, seen.column]).toEqual(placeOf(text, row.pointsAt ?? row.at));
    expect(`${seen.label}${seen.help}`).not.toBe("");
    const shown = renderDiagnostic(seen, text, "en");
    expect(shown).toContain(`gateway.faultline.yaml:${seen.line}:${seen.column}`);
    expect(shown).toContain("^");
    expect(found("zh-CN")?.message).not.toBe(seen.message);
  });
});

/** Where a file has this value. */
function placeOf(text: string, at: At): readonly [number, number] {
  const node = parseDocument(text).getIn(at, true) as
    | { readonly range?: readonly [number, number, number] }
    | undefined;
  const start = node?.range?.[0] ?? 0;
  const before = text.slice(0, start).split("\n");
  return [before.length, (before.at(-1) ?? "").length + 1];
}
