// The JSON Schemas of a workflow, for agents' answers and tools' inputs: in the file, or in a file beside it.

import { classify } from "../core/index.ts";
import { parseJson, tryRead } from "../core/try-read.ts";
import { compileSchema, type JsonSchema } from "../schema/index.ts";
import type { Path } from "../yaml-file/locate.ts";
import { type WorkflowFinding, finding, said } from "./codes.ts";
import { isFinding, type ReferredFiles } from "./files.ts";
import { isMap } from "../core/json-fields.ts";
import type { WorkflowFile, WrittenSchema } from "./schema.ts";

export function checkJsonSchemas(
  { agents = {}, tools = {} }: WorkflowFile,
  files: ReferredFiles,
): readonly WorkflowFinding[] {
  const written = [
    ...Object.entries(agents).map(
      ([id, { output_schema: schema }]) => [["agents", id, "output_schema"], schema] as const,
    ),
    ...Object.entries(tools).map(([id, { input }]) => [["tools", id, "input"], input] as const),
  ];
  return written.flatMap(([path, schema]) => {
    const read = schema === undefined ? null : readJsonSchema(schema, path, files);
    return read !== null && "finding" in read ? [read.finding] : [];
  });
}

export function readJsonSchema(
  written: WrittenSchema,
  path: Path,
  files: ReferredFiles,
): { readonly schema: JsonSchema } | { readonly finding: WorkflowFinding } {
  if (typeof written !== "string") return compiled(written, path, "");
  const file = files.open(written, path);
  if (isFinding(file)) return { finding: file };
  const schema = parseJson(file.text);
  if (typeof schema === "boolean" || isMap(schema)) return compiled(schema, path, file.name);
  const message = `the file \`${file.name}\` does not contain a JSON Schema`;
  return {
    finding: finding("bad-schema", path, message, "no JSON object", "Write the schema into it as one JSON object."),
  };
}

function compiled(schema: JsonSchema, path: Path, file: string): ReturnType<typeof readJsonSchema> {
  try {
    compileSchema(schema, said(path));
    return { schema };
  } catch (error) {
    const message = classify({ surface: "schema", error }).message.replace(/ Correct the schema\.$/, "");
    const inside = file === "" ? stepsIn(message, schema) : [];
    const help = file === "" ? "Correct the schema." : `Correct the schema in \`${file}\`.`;
    return { finding: finding("bad-schema", [...path, ...inside], message, "not a JSON Schema", help) };
  }
}

/** ajv reports the position in the schema as a JSON pointer; use it to point at that position. */
function stepsIn(message: string, schema: JsonSchema): Path {
  const [, pointer = ""] = /\bschema((?:\/[^\s/,]+)+) /.exec(message) ?? [];
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) =>
      tryRead(() => decodeURIComponent(step), step)
        .replaceAll("~1", "/")
        .replaceAll("~0", "~"),
    );
  const path: (string | number)[] = [];
  let held: unknown = schema;
  for (const step of steps) {
    if (typeof held !== "object" || held === null || !Object.hasOwn(held, step)) break;
    path.push(Array.isArray(held) ? Number(step) : step);
    held = (held as Readonly<Record<string, unknown>>)[step];
  }
  return path;
}
