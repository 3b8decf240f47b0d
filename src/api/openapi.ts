// The OpenAPI 3.1 document, from the table of routes.

import { z } from "zod";
import { PATHS, type RouteName } from "./paths.ts";
import { isRaw, type RouteSpec } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { problem } from "./shapes.ts";

type Json = Readonly<Record<string, unknown>>;

/** Statuses that any route may return: the request cannot be read, comes from another site or names another host, or the server fails or stops. */
const ALWAYS = [400, 403, 421, 422, 500, 503] as const;
const WITH_TOKEN = [401] as const;
const WITH_BODY = [413, 415] as const;
const TAGGED = [304] as const;

export function openApi(version: string, serverUrl: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Record<string, Json> = {};
  // It has a name, so it is put among the schemas.
  schemaOf(z.object({ problem }), "output", schemas);
  for (const name of Object.keys(PATHS) as RouteName[]) {
    const { method, path } = PATHS[name];
    (paths[path] ??= {})[method.toLowerCase()] = operation(name, ROUTES[name], schemas);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Faultline", version, description: "The failure layer for AI agents.", license: { name: "MIT" } },
    servers: [{ url: serverUrl }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "faultline_session" },
      },
      schemas,
    },
  };
}

/** Every status a route may answer with. */
export function statusesOf(spec: RouteSpec): readonly number[] {
  return [
    ...new Set([
      spec.status ?? 200,
      ...ALWAYS,
      ...(spec.role === null ? [] : WITH_TOKEN),
      ...(spec.body === undefined ? [] : WITH_BODY),
      ...(spec.body === undefined && spec.acts !== true && !isRaw(spec.answer) ? TAGGED : []),
      ...(spec.acts === true ? [409] : []),
      ...(spec.errors ?? []),
    ]),
  ].sort((a, b) => a - b);
}

function operation(operationId: RouteName, spec: RouteSpec, named: Record<string, Json>): Json {
  const { summary, role, acts, body } = spec;
  return {
    operationId,
    summary,
    ...(role === null ? { security: [] } : {}),
    "x-faultline-role": role,
    "parameters": [
      ...parametersOf(spec.params, "path", named),
      ...parametersOf(spec.query, "query", named),
      ...(acts === true ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input", named) } } },
        }),
    "responses": Object.fromEntries(statusesOf(spec).map((status) => [status, responseOf(spec, status, named)])),
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key and body do the work once; the first answer is given again.",
  schema: { type: "string", maxLength: 200 },
};

function parametersOf(
  shape: z.ZodObject | undefined,
  where: "path" | "query",
  named: Record<string, Json>,
): readonly Json[] {
  if (shape === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(shape, "input", named) as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function responseOf(spec: RouteSpec, status: number, named: Record<string, Json>): Json {
  if (status >= 400) {
    const schema = { $ref: "#/components/schemas/Problem" };
    return { description: "It did not work.", content: { "application/problem+json": { schema } } };
  }
  if (status === 304) return { description: "Nothing has changed." };
  const { answer } = spec;
  const content = isRaw(answer)
    ? Object.fromEntries(answer.mediaTypes.map((type) => [type, { schema: { type: "string" } }]))
    : { "application/json": { schema: schemaOf(answer, "output", named) } };
  return { description: "It worked.", content };
}

/** A shape as JSON Schema. Named shapes go into `named`, and the schema refers to them. */
function schemaOf(type: z.ZodType, io: "input" | "output", named: Record<string, Json>): Json {
  const { $schema: _dialect, $defs, ...schema } = z.toJSONSchema(type, { io, unrepresentable: "any" });
  Object.assign(named, referring($defs ?? {}));
  return referring(schema);
}

function referring<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
}
