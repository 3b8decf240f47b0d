// Arrays of rows in PostgreSQL's binary form. As text, the client would search every value for quotes and backslashes and the server would read
// it character by character; as one array for each column, the server would take the columns apart and join them again.

type FieldType = "bigint" | "integer" | "text" | "float8";
export type Field = string | number | null;

const OIDS: Readonly<Record<FieldType, number>> = { bigint: 20, integer: 23, text: 25, float8: 701 };
/** The sizes of numbers: all values of a type have the same size. */
const SIZES = { bigint: 8, integer: 4, float8: 8 } as const;
/** Dimensions, whether there are nulls, the type of the elements; then the length and the first index of the one dimension. */
const ARRAY_HEADER_BYTES = 20;
/** The length of a row, and its number of fields. */
const ROW_HEADER_BYTES = 8;
/** The type of a field, and its length. */
const FIELD_HEADER_BYTES = 8;
const NULL_LENGTH = -1;

/** A type of rows in the journal's schema: its name, and its fields in order. */
export interface RowType {
  readonly name: string;
  readonly fields: readonly FieldType[];
}

export const ROW_TYPES = {
  /** number, last seq, last hash, status, updated at; then the last seq and hash that the server must find */
  moved: {
    name: "moved_head",
    fields: ["bigint", "integer", "text", "text", "float8", "integer", "text"],
  },
  /** number, last seq, last hash, status, updated at, started at, name */
  begun: {
    name: "begun_head",
    fields: ["bigint", "integer", "text", "text", "float8", "float8", "text"],
  },
  /** session, seq, at, type, body, hash, seal */
  entry: {
    name: "entry",
    fields: ["bigint", "integer", "float8", "text", "text", "text", "text"],
  },
  /** kind, key, value, hash, session, seq, at, and the checksum that must be there */
  keep: {
    name: "keep",
    fields: ["text", "text", "text", "text", "text", "integer", "float8", "text"],
  },
} as const satisfies Readonly<Record<string, RowType>>;

export type RowTypeName = keyof typeof ROW_TYPES;

/** null for no rows. `oid`: what the server calls the type. */
export function rowArray({ fields }: RowType, oid: number, rows: readonly (readonly Field[])[]): Buffer | null {
  if (rows.length === 0) return null;
  const fixed = rowBytes(fields);
  let bytes = ARRAY_HEADER_BYTES + rows.length * fixed;
  for (const row of rows) bytes += textBytes(fields, row);
  const buffer = Buffer.allocUnsafe(bytes);
  const view = new DataView(buffer.buffer, buffer.byteOffset, bytes);
  [1, 0, oid, rows.length, 1].forEach((value, index) => view.setInt32(index * 4, value));
  let at = ARRAY_HEADER_BYTES;
  for (const row of rows) {
    const end = writeRow(buffer, view, at, fields, row);
    view.setInt32(at, end - at - 4);
    at = end;
  }
  return buffer.subarray(0, at);
}

/** A row without its texts, if no number in it is null. */
function rowBytes(fields: readonly FieldType[]): number {
  return fields.reduce((sum, type) => sum + FIELD_HEADER_BYTES + (type === "text" ? 0 : SIZES[type]), ROW_HEADER_BYTES);
}

function textBytes(fields: readonly FieldType[], row: readonly Field[]): number {
  let bytes = 0;
  for (let index = 0; index < fields.length; index++) {
    const value = row[index];
    if (typeof value === "string") bytes += Buffer.byteLength(value);
  }
  return bytes;
}

function writeRow(
  buffer: Buffer,
  view: DataView,
  start: number,
  fields: readonly FieldType[],
  row: readonly Field[],
): number {
  view.setInt32(start + 4, fields.length);
  let at = start + ROW_HEADER_BYTES;
  for (let index = 0; index < fields.length; index++) {
    const type = fields[index] ?? "text";
    view.setInt32(at, OIDS[type]);
    const length = writeField(buffer, view, at + FIELD_HEADER_BYTES, type, row[index] ?? null);
    view.setInt32(at + 4, length);
    at += FIELD_HEADER_BYTES + Math.max(length, 0);
  }
  return at;
}

function writeField(buffer: Buffer, view: DataView, at: number, type: FieldType, value: Field): number {
  if (value === null) return NULL_LENGTH;
  if (typeof value === "string") return buffer.write(value, at);
  if (type === "float8") view.setFloat64(at, value);
  else if (type === "integer") view.setInt32(at, value);
  else {
    // Whole numbers below 2^53, also negative ones.
    view.setInt32(at, Math.floor(value / 2 ** 32));
    view.setUint32(at + 4, value >>> 0);
  }
  return type === "text" ? NULL_LENGTH : SIZES[type];
}
