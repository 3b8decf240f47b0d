// Addresses of Restate as operators write them, and what they read when one is wrong or nothing answers there.

import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFaultError } from "../../../src/core/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { readRestateAddress } from "../../../src/workflow/restate/restate-address.ts";
import { RestateClient } from "../../../src/workflow/restate/restate-client.ts";
import { freePorts } from "../../support/free-ports.ts";

const SECRET = "s3cret-of-the-operator";

describe("an address of Restate", () => {
  it.each([
    ["restate://h", ["http://h:8080"], ["http://h:9070"]],
    ["restate://h:1/", ["http://h:1"], ["http://h:9070"]],
    ["restate://h:80", ["http://h:80"], ["http://h:9070"]],
    ["restates://h:443?admin=a:444", ["https://h:443"], ["https://a:444"]],
    ["restate://[::1]:1", ["http://[::1]:1"], ["http://[::1]:9070"]],
    [
      "restate://a:1,b:2,c",
      ["http://a:1", "http://b:2", "http://c:8080"],
      ["http://a:9070", "http://b:9070", "http://c:9070"],
    ],
    ["restate://a:1,b:2?admin=a:3,b", ["http://a:1", "http://b:2"], ["http://a:3", "http://b:9070"]],
  ])("%s", (given, ingress, admin) => {
    expect(readRestateAddress(given)).toEqual({ ingress, admin, authorization: null });
  });

  it("may hold a user and a password", () => {
    expect(readRestateAddress(`restate://ops:${SECRET}@h`).authorization).toBe(`Basic ${btoa(`ops:${SECRET}`)}`);
  });

  it.each([
    ["http://h:8080", "is not an address of Restate"],
    ["h:8080", "is not an address of Restate"],
    ["restate://", 'has the host "", which is not one'],
    ["restate://h:99999", 'has the host "h:99999", which is not one'],
    ["restate://h:1,", 'has the host "", which is not one'],
    ["restate://h/path", "is not an address of Restate"],
    ["restate://h?admn=a", 'has the unknown parameter "admn"'],
    [`postgres://ops:${SECRET}@h`, "is not an address of Restate"],
    [`restate://ops:${SECRET}@h:x`, 'has the host "h:x", which is not one'],
  ])("%s is refused with a sentence that names no password", (given, says) => {
    const refused = messageOf(() => readRestateAddress(given));
    expect(refused).toContain(`the driver's address ${says}; write restate://host:8080`);
    expect(refused).not.toContain(SECRET);
  });
});

describe("a request to Restate", () => {
  it("goes to the next node when one does not answer, and stays there", async () => {
    const seen: string[] = [];
    const good = await serving((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
      response.writeHead(202).end("{}");
    });
    const [dead] = await freePorts(1);
    const client = new RestateClient(readRestateAddress(`restate://127.0.0.1:${dead},${good}`), systemClock, SECRET);
    expect(await client.hand("svc", "run/1")).toBe(true);
    expect(seen).toEqual([`POST /svc/run%2F1/advance/send Bearer ${SECRET}`]);
  });

  it("that no node answers names the hosts, and no password or token", async () => {
    const [one, two] = await freePorts(2);
    const address = readRestateAddress(`restate://ops:${SECRET}@127.0.0.1:${one},127.0.0.1:${two}`);
    const said = await messageOfRejection(new RestateClient(address, systemClock, SECRET).hand("svc", "r"));
    expect(said).toContain(`Restate cannot be reached at 127.0.0.1:${one}, 127.0.0.1:${two} (`);
    expect(said).toContain("; start it, or check the driver's address");
    expect(said).not.toContain(SECRET);
  });

  it("to register that is refused says what Restate said, and what to check", async () => {
    const admin = await serving((_request, response) => {
      response.writeHead(500).end(JSON.stringify({ message: `[META0003] cannot call, Bearer ${SECRET}` }));
    });
    const client = new RestateClient(readRestateAddress(`restate://127.0.0.1:1?admin=${admin}`), systemClock, null);
    const said = await messageOfRejection(client.register("http://worker:9080", "svc"));
    expect(said).toContain(`Restate refused the worker at http://worker:9080 (${admin} answered 500:`);
    expect(said).toContain("META0003");
    expect(said).toContain("check that Restate can reach this address (--advertise)");
    expect(said).not.toContain(SECRET);
  });

  it("is false, and no error, while no worker has registered", async () => {
    const node = await serving((_request, response) => void response.writeHead(404).end("{}"));
    const client = new RestateClient(readRestateAddress(`restate://${node}?admin=${node}`), systemClock, null);
    expect([await client.hand("svc", "r"), await client.addressOf("svc")]).toEqual([false, null]);
  });
});

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isFaultError(error)) return error.fault.message;
    throw error;
  }
  throw new Error("it was not refused");
}

async function messageOfRejection(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isFaultError(error)) throw new Error("it was not refused");
  return error.fault.message;
}
