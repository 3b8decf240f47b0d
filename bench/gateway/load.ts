// Sends the same question over and over and checks that each answer is whole.

import { type Dispatcher, Pool } from "undici";

export type Kind = "JSON" | "SSE";

export interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const messages = [{ role: "user", content: "Say fifty words, please. ".repeat(40) }];
const BODIES: Readonly<Record<Kind, string>> = {
  JSON: JSON.stringify({ model: "gpt-5-mini", messages }),
  SSE: JSON.stringify({ model: "gpt-5-mini", messages, stream: true, stream_options: { include_usage: true } }),
};
const END: Readonly<Record<Kind, string>> = { JSON: "total_tokens", SSE: "[DONE]" };
const WAITING = JSON.stringify({ model: "gpt-5-mini", messages, stream: true, user: "waiting" });

export class Load {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, headers }: Place, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
    this.#path = `${pathname === "/" ? "" : pathname}/v1/chat/completions`;
    this.#headers = { "content-type": "application/json", ...headers };
  }

  /** Keeps `side` requests going until `count` were answered. Returns their times in milliseconds, shortest first. */
  async run(kind: Kind, count: number, side: number): Promise<readonly number[]> {
    const times: number[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next++ < count) {
        const startedAt = performance.now();
        await this.#ask(BODIES[kind], END[kind]);
        times.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: side }, lane));
    return times.toSorted((a, b) => a - b);
  }

  /** A stream that stays open: `begun` when its first content is here, `done` when it is whole. */
  open(): { readonly begun: Promise<undefined>; readonly done: Promise<void> } {
    const begun = Promise.withResolvers<undefined>();
    const done = this.#ask(WAITING, END.SSE, () => begun.resolve(undefined));
    done.catch(begun.reject);
    return { begun: begun.promise, done };
  }

  #ask(body: string, end: string, begun?: () => void, isFirst = true): Promise<void> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let last = "";
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => void (status = code),
        onResponseData: (_controller, chunk) => {
          last = (last + chunk.toString("latin1")).slice(-600);
          if (last.includes("word")) begun?.();
        },
        onResponseEnd: () => {
          if (status === 200 && last.includes(end)) resolve();
          else reject(new Error(`an answer with status ${status} is not whole: ${last}`));
        },
        onResponseError: (_controller, error) => {
          // A server may close an idle connection just when the next request goes out.
          if (isFirst && status === 0) this.#ask(body, end, begun, false).then(resolve, reject);
          else reject(error);
        },
      };
      this.#pool.dispatch({ path: this.#path, method: "POST", headers: this.#headers, body }, handler);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
