// Files that a failed attempt leaves beside the journal.

import { existsSync, readdirSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type JournalEvent, readArtefact, type Session, tool } from "../../../src/index.ts";
import { eventsOf, fails, type Life, life, lifeOn, newPath, only } from "./life.ts";

const KEY = "hunter2-hunter2";
const SHAPED = "sk-ant-api03-AAAABBBBCCCCDDDD";

interface Begun extends Life {
  readonly session: Session;
  readonly folder: string;
  /** The artefacts named in the journal, with their contents. */
  readonly kept: () => Promise<readonly { readonly name: string; readonly cut: boolean; readonly text: string }[]>;
}

async function begun(path: string, startAt?: number): Promise<Begun> {
  const made = await lifeOn(path, { secrets: [KEY], ...(startAt === undefined ? {} : { startAt }) });
  const session = await made.clock.runUntil(made.fl.session("s"));
  const folder = `${path}.artefacts`;
  const kept: Begun["kept"] = async () => {
    const events = only(await eventsOf(made.journal, "s"), "artefact-kept");
    return Promise.all(
      events.map(async ({ name, cut, ref, bytes }) => {
        const content = await readArtefact(folder, ref);
        expect(content?.length).toBe(bytes);
        return { name, cut, text: Buffer.from(content ?? []).toString("utf8") };
      }),
    );
  };
  return { ...made, session, folder, kept };
}

/** Stores what it saw, then fails or succeeds. */
function scraper(
  error: () => Error | null,
  content: string | Uint8Array = "<html>",
): ReturnType<typeof tool<object, string>> {
  return tool<object, string>({
    id: "scraper",
    retry: { maxAttempts: 2, backoff: { initialMs: 1 } },
    run: (_input, { artefact }) => {
      artefact("page.html", content);
      const thrown = error();
      if (thrown !== null) throw thrown;
      return "fine";
    },
  });
}

const gone = (): Error => new Error("404 page not found", { cause: new TypeError("the cause below") });

describe("a failed attempt", () => {
  it("leaves its raw error with its causes, and the tool's artefacts, before the failure is reported", async () => {
    const { session, clock, kept, journal } = await begun(newPath());
    await clock.runUntil(session.protect(scraper(gone), {}));
    const [page, error, ...more] = await kept();
    expect(more).toEqual([]);
    expect(page).toEqual({ name: "page.html", cut: false, text: "<html>" });
    expect(error?.name).toBe("attempt-1.error.txt");
    expect(error?.text).toMatch(/^Error: 404 page not found\n {4}at /);
    expect(error?.text).toContain("TypeError: the cause below");
    const types = (await eventsOf(journal, "s")).map(({ type }: JournalEvent) => type);
    expect(types.slice(-3)).toEqual(["artefact-kept", "artefact-kept", "call-failed"]);
  });

  it("that only ran out of time leaves its artefacts and no raw error", async () => {
    const { session, clock, kept } = await begun(newPath());
    const slow = tool<object, string>({
      id: "slow",
      timeoutMs: 50,
      retry: { maxAttempts: 1 },
      run: (_input, { artefact }) => {
        artefact("page.html", "<html>");
        return new Promise<string>(() => undefined);
      },
    });
    await clock.runUntil(session.protect(slow, {}));
    expect((await kept()).map(({ name }) => name)).toEqual(["page.html"]);
  });

  it("leaves no secret, whether known or only looking like a key", async () => {
    const { session, clock, kept } = await begun(newPath());
    const error = (): Error => new Error(`denied for ${KEY}`, { cause: new Error(`Authorization: Bearer ${SHAPED}`) });
    const page = `<a href="https://x/?api_key=${KEY}">${SHAPED}</a>${Buffer.from(KEY).toString("base64")}`;
    await clock.runUntil(session.protect(scraper(error, page), {}));
    const files = await kept();
    expect(files).toHaveLength(2);
    const all = JSON.stringify(files);
    for (const secret of [KEY, SHAPED, Buffer.from(KEY).toString("base64")]) expect(all).not.toContain(secret);
    expect(all).toContain("[redacted]");
  });

  it("leaves at most one mebibyte of each, with the middle cut out", async () => {
    const { session, clock, kept } = await begun(newPath());
    const long = `first ${"x".repeat(3 * 1024 * 1024)} last`;
    await clock.runUntil(session.protect(scraper(gone, long), {}));
    const [page] = await kept();
    expect(page?.cut).toBe(true);
    expect(Buffer.byteLength(page?.text ?? "")).toBeLessThanOrEqual(1024 * 1024);
    expect(page?.text).toMatch(/^first [^]*cut here[^]* last$/);
  });

  it("leaves bytes as bytes, at most twenty files under any names, readable only by their owner", async () => {
    const { session, clock, folder, journal } = await begun(newPath());
    const bytes = Uint8Array.from([0, 255, 254, 1, 128]);
    const noisy = tool<object, string>({
      id: "noisy",
      run: (_input, { artefact }) => {
        for (let piece = 0; piece < 30; piece++) artefact("../../etc/pass wd\n", bytes);
        throw gone();
      },
    });
    await clock.runUntil(session.protect(noisy, {}));
    const events = only(await eventsOf(journal, "s"), "artefact-kept");
    expect(events).toHaveLength(21);
    expect(new Set(events.map(({ ref }) => ref)).size).toBe(21);
    const [first] = events;
    expect(Buffer.from((await readArtefact(folder, first?.ref ?? "")) ?? [])).toEqual(Buffer.from(bytes));
    expect(readdirSync(folder)).toEqual(["s"]);
    expect(statSync(`${folder}/${first?.ref ?? ""}`).mode & 0o777).toBe(0o600);
  });

  it("that is retried leaves its files with the last attempt", async () => {
    const { session, clock, kept } = await begun(newPath());
    await clock.runUntil(
      session.protect(
        scraper(() => Object.assign(new Error("locked"), { code: "EBUSY" })),
        {},
      ),
    );
    expect((await kept()).map(({ name }) => name)).toEqual(["page.html", "attempt-2.error.txt"]);
  });
});

describe("no file is left", () => {
  it("by an attempt that worked, even after one that failed and was retried", async () => {
    const { session, clock, folder } = await begun(newPath());
    let runs = 0;
    const error = (): Error | null => (++runs === 1 ? Object.assign(new Error("locked"), { code: "EBUSY" }) : null);
    expect(await clock.runUntil(session.protect(scraper(error), {}))).toMatchObject({ status: "done", attempts: 2 });
    expect(existsSync(folder)).toBe(false);
  });

  it("by a session in memory, or by calls outside sessions", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s"));
    await clock.runUntil(session.protect(scraper(gone), {}));
    expect(only(await eventsOf(journal, "s"), "artefact-kept")).toEqual([]);
    const path = newPath();
    const onDisk = await lifeOn(path);
    await onDisk.clock.runUntil(onDisk.fl.protect(scraper(gone), {}));
    expect(existsSync(`${path}.artefacts`)).toBe(false);
  });

  it("of a pruned session", async () => {
    const path = newPath();
    const { session, clock, folder, journal } = await begun(path);
    await clock.runUntil(session.protect(scraper(gone), {}));
    const [artefact] = only(await eventsOf(journal, "s"), "artefact-kept");
    await clock.runUntil(session.end("failed"));
    expect(await readArtefact(folder, artefact?.ref ?? "")).not.toBeNull();
    expect(await clock.runUntil(journal.prune({ before: clock.now() + 1 }))).toBe(1);
    expect(await readArtefact(folder, artefact?.ref ?? "")).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a file that cannot be written", () => {
  it("is reported and left out, and the call fails for its own reason", async () => {
    const { session, clock, fl, kept } = await begun(newPath());
    const nameless = tool<object, string>({
      id: "nameless",
      run: (_input, { artefact }) => {
        artefact("", "no name");
        return fails("NotFound")();
      },
    });
    expect(await clock.runUntil(session.protect(nameless, {}))).toMatchObject({ fault: { code: "NotFound" } });
    expect((await kept()).map(({ name }) => name)).toEqual(["attempt-1.error.txt"]);
    const told = fl.recent().map(({ event }) => (event.type === "fault-suppressed" ? event.reason : event.type));
    expect(told).toEqual(["the call continues without its artefact "]);
  });
});
