// The format of gateway files. One zod schema checks files and generates the JSON Schema for editors.

import * as z from "zod";
import { DIALECT_NAMES } from "../dialect/dialect.ts";

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "must be ASCII letters, digits, dots, dashes and underscores, and begin with a letter or digit",
  );
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
const address = z
  .string()
  .regex(/^https?:\/\/[^\s]+$/, { error: "must begin with http:// or https://", abort: true })
  .refine((text) => URL.canParse(text), "must be an address, such as https://api.openai.com/v1");
const usd = (about: string) => z.number().min(0.0001).max(1e9).describe(`${about} US dollars.`);
const ms = (about: string) => z.int().min(1).max(86_400_000).describe(`${about} Milliseconds.`);

const timeouts = z
  .strictObject({
    headers_ms: ms("Until the response begins."),
    first_token_ms: ms("From the start until the first content."),
    idle_ms: ms("Between two pieces of content."),
    thinking_ms: ms("The same while the model reasons."),
    total_ms: ms("The whole attempt."),
  })
  .partial()
  .describe("How long to wait for this target. Default: as long as its models usually take.");

const dollars = (about: string) =>
  z.number().min(0).max(1_000_000).describe(`${about} US dollars for a million tokens.`);

const price = z
  .strictObject({
    input: dollars("Input."),
    output: dollars("Output, with reasoning."),
    cached_input: dollars("Input that is read from a cache. Default: as other input."),
    cache_write: dollars("Input that is written to a cache. Default: as other input."),
  })
  .partial({ cached_input: true, cache_write: true });

const dialect = z.enum(DIALECT_NAMES as [string, ...string[]]);

const target = z
  .strictObject({
    dialect: z
      .union([dialect, z.array(dialect).min(1)])
      .describe("The dialects it speaks, the preferred one first. Requests in these pass as they are."),
    base_url: address.describe("Its address, as its own SDK takes it."),
    api_key_env: variable.describe("The environment variable with its key. No key is sent when left out."),
    provider: name.describe("Whose prices and model facts apply. Default: the dialect's vendor."),
    models: z.array(z.string().min(1)).min(1).describe("The models that clients are shown and may name directly."),
    region: name.describe("Where it runs, for keys that are bound to regions."),
    continues: z
      .boolean()
      .describe(
        "It continues an answer whose beginning it gets as the last message (a prefill), for routes with `mid_stream: continue`. Default: false.",
      ),
    max_concurrent: z
      .int()
      .min(1)
      .max(100_000)
      .describe("How many calls of one model may run at the same time, without token counts and other paths."),
    requests_per_minute: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .describe(
        "How many calls of one model may start in a minute, evenly spread, from all processes of the journal together.",
      ),
    prices: z
      .record(z.string().min(1), price)
      .describe("Prices of its models by name, or by a beginning followed by `*`. Default: the built-in list prices."),
    timeouts,
  })
  .partial({
    api_key_env: true,
    provider: true,
    models: true,
    region: true,
    continues: true,
    max_concurrent: true,
    requests_per_minute: true,
    prices: true,
    timeouts: true,
  });

const route = z
  .strictObject({
    chain: z
      .array(z.string().min(1))
      .min(1)
      .describe("`target/model`, or `target` for the model that was asked for; the first choice first."),
    mid_stream: z
      .enum(["fail", "restart", "continue"])
      .describe(
        "After a stream broke: `fail` ends it with an error event; `restart` starts over, and shows a stream only when it is whole; `continue` lets a target with `continues` continue the text. Default: `fail`.",
      ),
    min_characters_per_second: z
      .number()
      .min(0.1)
      .max(100_000)
      .describe(
        "A stream that is slower for ten seconds counts as failed. Useful with `restart`. There is none by default.",
      ),
    hedge: z
      .strictObject({
        after: z
          .union([z.literal("p95"), ms("How long a target may be silent.")])
          .describe(
            "How long a target may be silent: milliseconds, or `p95` for as long as 95 of 100 of its answers took to begin.",
          ),
      })
      .describe(
        "When a target is silent for this long, the next target is asked as well. The first that shows content answers. Both cost money. Off by default.",
      ),
    affinity: z
      .boolean()
      .describe("A conversation stays on the target that answered it last, for its prompt cache. Default: true."),
  })
  .partial({ mid_stream: true, min_characters_per_second: true, hedge: true, affinity: true });

const budget = z
  .strictObject({
    per_hour_usd: usd("The most in one hour."),
    per_day_usd: usd("The most in one day, in UTC."),
    per_month_usd: usd("The most in one month, in UTC."),
  })
  .partial()
  .describe("What calls with this key may cost. A warning is written at 80 %.");

const keep = z
  .strictObject({
    prompts: z.boolean().describe("Keep what clients send. Default: false."),
    answers: z.boolean().describe("Keep what they are answered. Default: false."),
    for_days: z.number().min(0.01).max(3_650).describe("Remove it after so many days. Default: 7."),
  })
  .partial()
  .describe("Prompts and answers in the journal, without secrets, for operators. Nothing is kept by default.");

const key = z
  .strictObject({
    key_env: variable.describe("The environment variable with the key that the client sends."),
    key_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex")
      .describe("The SHA-256 of that key in lower-case hex, instead of `key_env`."),
    routes: z.array(z.string().min(1)).min(1).describe("The routes it may use. Default: all."),
    regions: z.array(name).min(1).describe("Only targets in these regions answer it. Default: all."),
    budget,
    keep,
    unpriced: z
      .enum(["refuse", "allow"])
      .describe(
        "Models without a price, for a key with a budget: `allow` lets them run outside it. Default: `refuse`.",
      ),
    other_paths: z
      .boolean()
      .describe("Whether it may use paths that are not model calls. Default: true, but false for a key with `routes`."),
  })
  .partial()
  .describe("A client's key: given by `key_env` or `key_sha256`.");

/** The zod schema of a gateway file. */
export const gatewayFileSchema = z
  .strictObject({
    version: z.literal(1).describe("The version of this format."),
    targets: z.record(name, target).describe("Where requests can go, by name."),
    routes: z
      .record(z.string().min(1), route)
      .describe("Chains by the model name that clients ask for; `*` stands for any text. First match wins."),
    keys: z
      .record(name, key)
      .describe("Clients, by name. Without any, every client that reaches the port may use the gateway."),
    keep,
    keep_alive_ms: ms("How long a client of a stream waits for a sign of life. Default: 15 s."),
    max_body_mb: z.int().min(1).max(1024).describe("The largest request, in MiB. Default: 32."),
    other_paths: name.describe("The target that gets requests that are not model calls, such as embeddings and files."),
  })
  .partial({ routes: true, keys: true, keep: true, keep_alive_ms: true, max_body_mb: true, other_paths: true });

/** A gateway file as it is written. */
export type GatewayFile = z.infer<typeof gatewayFileSchema>;

/** For editors: put `# yaml-language-server: $schema=…/gateway.schema.json` on the first line of a gateway file. */
export function gatewayJsonSchema(): object {
  return { title: "Faultline gateway", ...z.toJSONSchema(gatewayFileSchema, { target: "draft-2020-12" }) };
}
