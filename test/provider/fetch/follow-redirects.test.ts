// What is sent where a redirect leads: method, body and headers, for each status.

import { expect, it } from "vitest";
import { fetchSafely } from "../../../src/provider/fetch/follow-redirects.ts";

const HEADERS = { "content-type": "text/plain", "accept": "x", "x-api-key": "k", "cookie": "c" };

/** What was sent, to an origin that answers with `status` and leads elsewhere. */
async function sentAfter(
  status: number,
  method: string,
  location: string | null = "https://b.example/y",
): Promise<readonly string[]> {
  const seen: string[] = [];
  const init = { method, headers: HEADERS, ...(method === "POST" || method === "PUT" ? { body: "hi" } : {}) };
  const answer = await fetchSafely(
    (url, { method: by = "GET", body, headers }) => {
      const names = [...new Headers(headers).keys()].toSorted();
      seen.push(`${by} ${url} ${body === null || body === undefined ? "-" : "body"} ${names.join(",")}`);
      const leads = seen.length === 1 ? { status, headers: location === null ? {} : { location } } : { status: 200 };
      return Promise.resolve(new Response(null, leads));
    },
    "https://a.example/x",
    init,
  );
  return [...seen.slice(1), String(answer.status)];
}

it.each([
  ...[301, 302, 303].map((status) => [status, "POST", "GET https://b.example/y - accept"] as const),
  ...[307, 308].map((status) => [status, "POST", "POST https://b.example/y body accept,content-type"] as const),
  ...[301, 302, 307, 308].map((status) => [status, "PUT", "PUT https://b.example/y body accept,content-type"] as const),
  [303, "PUT", "GET https://b.example/y - accept"] as const,
  [303, "HEAD", "HEAD https://b.example/y - accept,content-type"] as const,
])("a %i of a %s leads to %s", async (status, method, expected) => {
  expect(await sentAfter(status, method)).toEqual([expected, "200"]);
});

it.each([300, 304, 305, 306, 309])("a %i is an answer", async (status) => {
  expect(await sentAfter(status, "GET")).toEqual([String(status)]);
});

it("keeps all headers within one origin, and follows no address of another kind", async () => {
  expect(await sentAfter(307, "GET", "/z")).toEqual([
    "GET https://a.example/z - accept,content-type,cookie,x-api-key",
    "200",
  ]);
  expect(await sentAfter(307, "GET", "ftp://b.example/")).toEqual(["307"]);
  expect(await sentAfter(307, "GET", null)).toEqual(["307"]);
});
