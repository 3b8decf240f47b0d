// Notices to people who are not looking: signed, retried, delivered after a restart, and once by several servers.

import { createHmac } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noticeOf as notificationOf, type Notification } from "../../src/server/notify/notice.ts";
import { signatureOf } from "../../src/server/notify/channels.ts";
import { fault } from "../../src/index.ts";
import type { Question } from "../../src/core/index.ts";
import { fragile, runWorld } from "./run-world.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly notice: Notification;
}

/** A receiver that refuses the first ones. */
async function receiver(
  refuse = 0,
): Promise<{ readonly url: string; readonly next: (count: number) => Promise<readonly Received[]> }> {
  const got: Received[] = [];
  let refused = 0;
  let told: () => void = () => undefined;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const isRefused = refused++ < refuse;
      response.writeHead(isRefused ? 503 : 204).end();
      const notice = JSON.parse(body) as Notification;
      // A notice that was being delivered when the server stopped comes again, with the same id.
      if (isRefused || got.some((known) => known.notice.id === notice.id)) return;
      got.push({ headers: request.headers, body, notice });
      told();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async next(count) {
      while (got.length < count) await new Promise<void>((resolve) => (told = resolve));
      return got;
    },
  };
}

const SECRET = `whsec_${Buffer.from("a secret of the two of us").toString("base64")}`;

interface HeldRequest extends Received {
  answer(status: number): void;
}

/** A receiver that answers when the test says so. */
async function slowReceiver(): Promise<{ readonly url: string; readonly next: () => Promise<HeldRequest> }> {
  const held: HeldRequest[] = [];
  const waiting: ((request: HeldRequest) => void)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const notice = JSON.parse(body) as Notification;
      const answer = (status: number): void => void response.writeHead(status, { connection: "close" }).end();
      const got = { headers: request.headers, body, notice, answer };
      const first = waiting.shift();
      if (first === undefined) held.push(got);
      else first(got);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: () =>
      new Promise((resolve) => {
        const first = held.shift();
        if (first === undefined) waiting.push(resolve);
        else resolve(first);
      }),
  };
}

/** A run of the server's own that fails. */
async function failRun({ operator }: ServerWorld): Promise<string> {
  return (await operator.startRun({ body: { workflow: "fragile", inputs: { password: "hunter2" } } })).run;
}

/** Opens the breaker of a tool. */
async function openBreaker({ operator }: ServerWorld, tool: string): Promise<void> {
  for (let call = 0; call < 5; call++) {
    await operator.reportFailure({ body: { tool, evidence: { status: 503 }, retry: "none" } });
  }
}

describe("a webhook", () => {
  it("gets a signed notice of a breaker that opened, after the receiver has refused it twice", async () => {
    const hook = await receiver(2);
    await openBreaker(await startWorld({ notify: { webhook: { url: hook.url, secret: SECRET } } }), "search");
    const [got] = await hook.next(1);
    expect(got?.notice).toMatchObject({ type: "dev.faultline.notice.breaker-opened", subject: "search" });
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = got?.headers ?? {};
    const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key)
      .update(`${String(id)}.${String(at)}.${got?.body ?? ""}`)
      .digest("base64");
    expect(signature).toBe(`v1,${expected}`);
  });

  it("gets what happened while no server ran, once and in order, from whichever server starts first", async () => {
    const journal = journalPath();
    const hook = await receiver();
    const notify = { webhook: { url: hook.url, secret: SECRET } };
    const first = await startWorld({ journal, notify });
    await openBreaker(first, "a");
    await hook.next(1);
    await first.server.close();
    const silent = await startWorld({ journal });
    for (const tool of ["b", "c", "d"]) await openBreaker(silent, tool);
    await silent.server.close();
    const both = await Promise.all([startWorld({ journal, notify }), startWorld({ journal, notify })]);
    await openBreaker(both[0], "e");
    const got = await hook.next(5);
    expect(got.map(({ notice }) => notice.subject)).toEqual(["a", "b", "c", "d", "e"]);
    expect(new Set(got.map(({ notice }) => notice.id)).size).toBe(5);
    const positions = got.map(({ notice }) => Number(notice.id.slice(notice.id.lastIndexOf(".") + 1)));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it("gets questions and failed runs without their secrets, and no run that completed", () => {
    const at = { session: "r", seq: 1, at: 0 };
    const question: Question = {
      ...{ id: "q1", call: "c", turn: "", session: "r", code: "AuthFailed", askedAt: 0, expiresAt: 9 },
      payload: { kind: "Confirm", prompt: "Delete the branch?" },
    };
    const asked = notificationOf({ ...at, event: { type: "question-asked", call: "c", question } }, "s.1");
    expect(asked).toMatchObject({
      type: "dev.faultline.notice.needs-you",
      subject: "q1",
      data: { prompt: "Delete the branch?" },
    });
    const secret = fault("AuthFailed", { message: "key sk-ant-api03-AAAABBBBCCCCDDDD in /srv/x" });
    const ended = { type: "run-ended", status: "failed", outcome: "aborted", node: "review", fault: secret } as const;
    const failed = notificationOf({ ...at, event: ended }, "s.2");
    expect(failed).toMatchObject({
      type: "dev.faultline.notice.run-failed",
      data: { run: "r", node: "review", code: "AuthFailed" },
    });
    expect(JSON.stringify(failed)).not.toMatch(/sk-ant|srv/);
    expect(notificationOf({ ...at, event: { ...ended, status: "completed", fault: null } }, "s.3")).toBeNull();
  });

  it("gets each run that fails, in order, however slow its receiver is and although it fails in between", async () => {
    const hook = await slowReceiver();
    const notify = { about: ["run-failed" as const], webhook: { url: hook.url, secret: SECRET } };
    const world = await runWorld([fragile().workflow], { notify });
    const first = await failRun(world);
    const slow = await hook.next();
    const expected = { type: "dev.faultline.notice.run-failed", subject: first };
    expect(slow.notice).toMatchObject({ ...expected, data: { run: first, node: "ship", code: "NetworkDisconnect" } });
    expect(slow.body).not.toMatch(/hunter2|secret|sock/);
    // While the receiver takes its time, the server answers, and another run fails.
    const second = await failRun(world);
    await world.event(second, "run-ended");
    expect(await world.viewer.showRun({ params: { run: second } })).toMatchObject({ status: "failed" });
    // Not an answer that promises to get better; but the receiver may be in the middle of a deployment.
    slow.answer(404);
    const refused = await hook.next();
    expect(refused.notice.id).toBe(slow.notice.id);
    refused.answer(500);
    const again = await hook.next();
    expect([again.notice.id, again.notice.subject]).toEqual([slow.notice.id, first]);
    again.answer(204);
    const other = await hook.next();
    expect(other.notice).toMatchObject({ ...expected, subject: second });
    expect(other.notice.id).not.toBe(slow.notice.id);
    for (const { headers, body } of [slow, refused, again, other]) {
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = headers;
      expect(signature).toBe(signatureOf(String(id), body, SECRET, Number(at))["webhook-signature"]);
    }
    other.answer(204);
  });

  it("has a signature that depends on the id, the time, the body and the secret", () => {
    const signed = [
      signatureOf("a", "b", "c", 1),
      signatureOf("x", "b", "c", 1),
      signatureOf("a", "x", "c", 1),
      signatureOf("a", "b", "x", 1),
      signatureOf("a", "b", "c", 2),
    ];
    expect(new Set(signed.map((headers) => headers["webhook-signature"])).size).toBe(5);
  });
});

/** A program that writes down what it was told, after it has failed as often as asked. */
function teller(failures = 0): { readonly program: string; readonly told: () => Promise<string> } {
  const folder = mkdtempSync(join(tmpdir(), "faultline-notify-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, out] = [join(folder, "tell.sh"), join(folder, "told")];
  const fail = `echo x >> ${folder}/tries; [ "$(wc -l < ${folder}/tries)" -gt ${failures} ] || exit 1`;
  writeFileSync(program, `#!/bin/sh\n${fail}\n{ cat; echo; env; } > ${out}.part && mv ${out}.part ${out}\n`);
  chmodSync(program, 0o755);
  const written = new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (existsSync(out)) resolve();
    });
    onTestFinished(() => watcher.close());
  });
  return { program, told: () => written.then(() => readFileSync(out, "utf8")) };
}

describe("a command", () => {
  it("gets a run that fails, also when it could not take the notice at first", async () => {
    const { program, told } = teller(1);
    const env = { PATH: process.env["PATH"] };
    const world = await runWorld([fragile().workflow], { env, notify: { about: ["run-failed"], command: [program] } });
    const run = await failRun(world);
    const text = await told();
    expect(JSON.parse(text.split("\n")[0] ?? "")).toMatchObject({
      ...{ type: "dev.faultline.notice.run-failed", subject: run },
      data: { run, node: "ship", code: "NetworkDisconnect" },
    });
    expect(text).toContain("FAULTLINE_NOTICE=dev.faultline.notice.run-failed\n");
    expect(text).not.toMatch(/hunter2|sock/);
  });

  it("gets the notice on its standard input, and no key of a provider in its environment", async () => {
    const { program, told } = teller();
    const env = { PATH: process.env["PATH"], OPENAI_API_KEY: "sk-hunter2-hunter2" };
    await openBreaker(await startWorld({ env, notify: { command: [program] } }), "search");
    const text = await told();
    expect(JSON.parse(text.split("\n")[0] ?? "")).toMatchObject({ type: "dev.faultline.notice.breaker-opened" });
    expect(text).not.toContain("hunter2");
  });
});
