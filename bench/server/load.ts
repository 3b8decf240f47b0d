// Sends requests over kept connections and measures how long each takes.

import { Agent, request } from "node:http";

export interface Target {
  readonly url: string;
  readonly token: string;
}

export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

export class Load {
  readonly #agent: Agent;
  readonly #target: Target;

  constructor(target: Target, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#target = target;
  }

  post(path: string, body: string): Promise<Sent> {
    const { url, token } = this.#target;
    const { hostname, port } = new URL(url);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const headers = {
        "authorization": `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const sent = request({ agent: this.#agent, hostname, port, path, method: "POST", headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - startedAt }),
        );
      });
      sent.on("error", (error) => {
        // The server closes connections that were idle for long, perhaps just when one is used again.
        if (sent.reusedSocket) resolve(this.post(path, body));
        else reject(error);
      });
      sent.end(body);
    });
  }

  /** Keeps `side` requests going until `count` were answered. Returns their times in milliseconds, shortest first. */
  async run(count: number, side: number, send: (index: number) => Promise<Sent>): Promise<readonly number[]> {
    const times: number[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) {
        const { ms, status, text } = await send(next++);
        if (status !== 200) throw new Error(`the server answered ${status}: ${text.slice(0, 300)}`);
        times.push(ms);
      }
    };
    await Promise.all(Array.from({ length: side }, lane));
    return times.sort((a, b) => a - b);
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
