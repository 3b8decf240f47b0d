// Rows that this program encodes are read by a real server as what they are: every type, nulls, texts of any script, negative and large numbers.

import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Field, ROW_TYPES, rowArray, type RowTypeName } from "../../../src/journal/postgres/row-bytes.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";

const VALUES = {
  bigint: fc.maxSafeInteger(),
  integer: fc.integer(),
  float8: fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
  text: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
} as const;

let client: pg.Client;
let schema: string;

beforeAll(async () => {
  const url = await freshJournalUrl();
  schema = new URL(url).searchParams.get("schema") ?? "";
  await (await openJournal(url)).close();
  client = new pg.Client(url.split("?")[0]);
  await client.connect();
});
afterAll(() => client.end());

async function readBack(
  name: RowTypeName,
  rows: readonly (readonly Field[])[],
): Promise<readonly (readonly unknown[])[]> {
  const type = `${schema}.${ROW_TYPES[name].name}`;
  const { rows: ids } = await client.query<{ oid: number }>("SELECT $1::regtype::oid::integer AS oid", [type]);
  const { rows: read } = await client.query<unknown[]>({
    text: `SELECT * FROM unnest($1::${type}[])`,
    values: [rowArray(ROW_TYPES[name], ids[0]?.oid ?? 0, rows)],
    rowMode: "array",
    types: {
      getTypeParser: (oid, format) =>
        (oid as number) === 20 ? Number : (pg.types.getTypeParser(oid, format) as unknown),
    },
  });
  return read;
}

it.each(Object.keys(ROW_TYPES) as RowTypeName[])(
  "the server reads rows of the type %s as they were given",
  async (name) => {
    const field = (type: keyof typeof VALUES): fc.Arbitrary<Field> => fc.option<Field>(VALUES[type], { nil: null });
    const row = fc.tuple(...ROW_TYPES[name].fields.map(field));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        expect(await readBack(name, rows)).toEqual(rows);
      }),
      { numRuns: 40 },
    );
  },
);
