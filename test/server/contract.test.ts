// Every route keeps what the table of routes and the OpenAPI document say about it: who may use it, what it refuses and how.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openApi, statusesOf } from "../../src/api/openapi.ts";
import { PATHS, type RouteName } from "../../src/api/paths.ts";
import { problem } from "../../src/api/shapes.ts";
import type { RouteSpec } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { systemChance } from "../../src/host/chance.ts";
import { ownAddresses } from "../../src/host/own-addresses.ts";
import { createApp } from "../../src/server/app.ts";
import type { Handlers } from "../../src/server/handler.ts";
import type { ServerParts } from "../../src/server/parts.ts";
import { type ServerWorld, startWorld } from "./world.ts";
import { samples } from "../support/grid.ts";

const NAMES = Object.keys(PATHS) as RouteName[];
const SPECS: Readonly<Record<RouteName, RouteSpec>> = ROUTES;

/** A path with values that name nothing. */
function pathOf(name: RouteName): string {
  return PATHS[name].path.replaceAll(/\{\w+\}/g, "nothing-of-that-name");
}

async function expectProblem(response: Response, spec: RouteSpec): Promise<void> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("content-language")).toMatch(/^(?:en|zh-CN)$/);
  const body = problem.parse(await response.json());
  expect(body.status).toBe(response.status);
  expect(body.next).not.toBe("");
  expect(body.correlation_id).toBe(response.headers.get("x-request-id") ?? body.correlation_id);
  expect(statusesOf(spec)).toContain(response.status);
}

describe("every route", () => {
  let world: ServerWorld;
  const ends: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    world = await startWorld({ drive: false }, (work) => void ends.unshift(work));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it.each(NAMES)("%s asks for a token, and for one that is known", async (name) => {
    const spec = SPECS[name];
    if (spec.role === null) return;
    const { method } = PATHS[name];
    for (const token of [null, "flt_unknown", "x".repeat(501)]) {
      const response = await world.send(pathOf(name), { method, token });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      await expectProblem(response, spec);
    }
  });

  it.each(NAMES)("%s gives a viewer what a viewer may do, and nothing else", async (name) => {
    const spec = SPECS[name];
    const { method } = PATHS[name];
    const response = await world.send(pathOf(name), { method, token: world.tokens.viewer });
    expect(response.status === 403).toBe(spec.role === "operator");
    await response.body?.cancel();
  });

  it.each(NAMES)("%s may be used by viewers only if it does not act", (name) => {
    const { role, acts = false } = SPECS[name];
    expect(acts).toBe(PATHS[name].method !== "GET" && role === "operator");
  });

  it.each(NAMES)("%s is refused to other sites and other host names", async (name) => {
    const spec = SPECS[name];
    const { method } = PATHS[name];
    const attacks = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of attacks) {
      const response = await world.send(pathOf(name), { method, headers });
      expect(response.status).toBe(403);
      await expectProblem(response, spec);
    }
  });

  it.each(NAMES)("%s refuses bodies that are not JSON, too large, or of another shape", async (name) => {
    const spec = SPECS[name];
    if (spec.body === undefined) return;
    const { method } = PATHS[name];
    const tries: readonly (readonly [number, string, string])[] = [
      [415, "text/plain", "{}"],
      [400, "application/json", "{"],
      [422, "application/json", "[]"],
      [422, "application/json", '{"there is no such field":1}'],
      [413, "application/json", JSON.stringify({ input: "x".repeat(1_100_000) })],
    ];
    for (const [status, type, body] of tries) {
      const response = await world.send(pathOf(name), { method, headers: { "content-type": type }, body });
      expect([response.status, body.slice(0, 30)]).toEqual([status, body.slice(0, 30)]);
      await expectProblem(response, spec);
    }
  });

  it.each(NAMES.filter((name) => PATHS[name].path.includes("{") && SPECS[name].body === undefined))(
    "%s says that what is not there is not there",
    async (name) => {
      const response = await world.send(pathOf(name), { method: PATHS[name].method });
      expect([404, 409]).toContain(response.status);
      await expectProblem(response, SPECS[name]);
    },
  );

  it("answers anything at all with a status that its document declares, and never with 500", async () => {
    const junk = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom("../../etc/passwd", "%00", "__proto__", "a".repeat(5_000)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), junk, junk, async (name, first, second) => {
        const spec = SPECS[name];
        const given = encodeURIComponent(first).slice(0, 3_000);
        // A client takes `.` and `..` out of an address before it sends it, which makes it the address of another route.
        const path = PATHS[name].path.replaceAll(/\{\w+\}/g, () => (/^\.{0,2}$/.test(given) ? "x" : given));
        const response = await world.send(
          `${path}?${new URLSearchParams({ limit: second, cursor: first }).toString()}`,
          {
            method: PATHS[name].method,
            ...(spec.body === undefined ? {} : { body: JSON.stringify(second) }),
          },
        );
        const { status } = response;
        await response.body?.cancel();
        expect(status).not.toBe(500);
        expect([...statusesOf(spec), 404]).toContain(status);
      }),
      { numRuns: samples(40, 150) },
    );
  });

  it("is refused under a host name that is not the server's own", async () => {
    const { request } = await import("node:http");
    const { port } = new URL(world.url);
    const statuses = await Promise.all(
      ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example"].map(
        (host) =>
          new Promise<number>((resolve, reject) => {
            const sent = request({ host: "127.0.0.1", port, path: "/v1/health", headers: { host } }, (response) => {
              response.resume();
              resolve(response.statusCode ?? 0);
            });
            sent.on("error", reject);
            sent.end();
          }),
      ),
    );
    expect(statuses.map((status) => (status === 400 ? 421 : status))).toEqual([421, 421, 421]);
  });

  it("unknown paths and methods are refused with what there is", async () => {
    const response = await world.send("/v1/nothing");
    expect(response.status).toBe(404);
    const wrong = await world.send("/v1/failures", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

/** `GET /v1/health` of a server whose handler answers this. */
async function healthWith(answered: object): Promise<unknown> {
  const parts = { addresses: { ...ownAddresses("127.0.0.1", 7431), isSecure: false } };
  const handlers = { health: () => answered };
  const app = createApp(parts as ServerParts, handlers as unknown as Handlers, systemChance);
  return (await app.request("/v1/health", { headers: { host: "127.0.0.1:7431" } })).json();
}

describe("an answer", () => {
  it("has the fields that its route names, and no others", async () => {
    const health = { status: "ok", version: "1", now: 1 };
    expect(await healthWith({ ...health, journal: "/home/me/journal.db" })).toEqual(health);
  });

  it("with a wrong value is still sent, and the server's operator is warned", async () => {
    const warned = new Promise<Error>((resolve) => void process.once("warning", resolve));
    const wrong = { status: "ok", version: 1, now: 1 };
    expect(await healthWith(wrong)).toEqual(wrong);
    expect((await warned).message).toMatch(
      /^checking the shape of an answer \(Says that the server runs\.\): .*version/s,
    );
  });
});

describe("the OpenAPI document", () => {
  const document = openApi("1.2.3", "http://127.0.0.1:7431") as {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
    >;
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };

  it("has every route, with every status that the route declares", () => {
    for (const name of NAMES) {
      const { method, path } = PATHS[name];
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual(statusesOf(SPECS[name]));
    }
  });

  it("has schemas that a validator of JSON Schema 2020-12 accepts, with no reference to nowhere", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    ajv.addSchema({ $id: "https://faultline.test/document", components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `https://faultline.test/document#/components/schemas/${name}` })).not.toThrow();
    }
    const text = JSON.stringify(document);
    const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
    expect(refs.filter((name) => !Object.hasOwn(document.components.schemas, name))).toEqual([]);
    expect(text).not.toContain("$defs");
  });
});
