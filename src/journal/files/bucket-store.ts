// Files of a journal in an S3-compatible bucket, where every machine can read them. Invariants:
// B1  A file exists completely or not at all: a bucket shows an object when all of it has arrived.
// B2  Keys come from the environment, as for every program that uses S3; no message repeats them, nor what a server says about them.

import type { AwsClient } from "aws4fetch";
import { refusal, unfit } from "../journal-faults.ts";
import { fileNameOf } from "./artefact-names.ts";
import { type FileStore, firstFreeName, type JournalFiles } from "./file-store.ts";

export interface BucketFiles extends JournalFiles {
  /** Removes everything of a session that is gone. */
  removeSession(session: string): Promise<void>;
}

interface Bucket {
  readonly client: AwsClient;
  /** Where the bucket is, without a slash at its end. */
  readonly url: string;
  /** As it may be shown. */
  readonly name: string;
}

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/;
/** A bucket that does not answer is asked again three times within about a second. */
const RETRIES = 3;
const FIRST_RETRY_MS = 100;
const AREAS = ["artefacts", "runs"] as const;

export const BUCKET_FORM = "`files` in the journal's address must be s3://bucket or s3://bucket/prefix.";

export function isBucketAddress(place: string): boolean {
  return ADDRESS.test(place);
}

/** `place`: `s3://bucket/prefix`. Region, endpoint and keys come from `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and so on. */
export async function openBucketFiles(place: string, env: NodeJS.ProcessEnv = process.env): Promise<BucketFiles> {
  const [, bucketName, prefix = ""] = ADDRESS.exec(place) ?? [];
  if (bucketName === undefined) throw unfit(BUCKET_FORM);
  const bucket = await openBucket(bucketName, env);
  const root = prefix === "" ? "" : `${prefix}/`;
  const [artefacts, runs] = AREAS.map((area) => storeIn(bucket, `${root}${area}/`));
  if (artefacts === undefined || runs === undefined) throw new Error("unreachable");
  return {
    artefacts,
    runs,
    async removeSession(session) {
      for (const area of AREAS) {
        const folder = `${root}${area}/${fileNameOf(session)}/`;
        for (const key of await keysUnder(bucket, folder)) await ask(bucket, "DELETE", key);
      }
    },
  };
}

async function openBucket(name: string, env: NodeJS.ProcessEnv): Promise<Bucket> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (!accessKeyId || !secretAccessKey)
    throw unfit(`The bucket ${name} needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  const region = env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "us-east-1";
  const endpoint = env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"] ?? `https://s3.${region}.amazonaws.com`;
  const { username, password } = URL.parse(endpoint) ?? { username: null, password: null };
  if (username !== "" || password !== "")
    throw unfit("AWS_ENDPOINT_URL must be an address such as https://s3.example.org, without a user or a password.");
  const client = new (await loadClient())({
    accessKeyId,
    secretAccessKey,
    region,
    service: "s3",
    retries: RETRIES,
    initRetryMs: FIRST_RETRY_MS,
    ...(sessionToken ? { sessionToken } : {}),
  });
  return { client, name, url: `${endpoint.replace(/\/$/, "")}/${name}` };
}

/** Only programs with files in a bucket install it. */
async function loadClient(): Promise<typeof AwsClient> {
  try {
    return (await import("aws4fetch")).AwsClient;
  } catch (error) {
    throw refusal("HostCapabilityMissing", "Files in a bucket need the package aws4fetch. Run: npm install aws4fetch", {
      context: { capability: "aws4fetch" },
      error,
    });
  }
}

function storeIn(bucket: Bucket, root: string): FileStore {
  async function writeIfNew(key: string, bytes: Uint8Array): Promise<boolean> {
    // Servers that do not know the condition overwrite: for them it is asked first. One process at a time writes the files of a session.
    if ((await ask(bucket, "HEAD", key)).status !== NOT_FOUND) return false;
    const { status } = await ask(bucket, "PUT", key, { body: bytes, headers: { "if-none-match": "*" } });
    return status !== NOT_NEW && status !== CONFLICT;
  }

  return {
    folder: null,
    writeNew: (folder, name, bytes) => firstFreeName(name, (file) => writeIfNew(`${root}${folder}/${file}`, bytes)),
    async replace(path, content) {
      await ask(bucket, "PUT", `${root}${path}`, { body: Buffer.from(content) });
    },
    async read(path) {
      const response = await ask(bucket, "GET", `${root}${path}`);
      return response.status === NOT_FOUND ? null : new Uint8Array(await response.arrayBuffer());
    },
    list: async () => (await keysUnder(bucket, root)).map((key) => key.slice(root.length)).toSorted(),
    within: (folder) => storeIn(bucket, `${root}${folder}/`),
  };
}

const [NOT_FOUND, CONFLICT, NOT_NEW] = [404, 409, 412];
/** What is not an error: there is no such object, or there is one already. */
const EXPECTED: ReadonlySet<number> = new Set([NOT_FOUND, CONFLICT, NOT_NEW]);

/** The keys of all objects that begin with `prefix`. */
async function keysUnder(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let last = ""; ;) {
    const query = new URLSearchParams({ "list-type": "2", "encoding-type": "url", prefix });
    if (last !== "") query.set("start-after", last);
    const response = await ask(bucket, "GET", "", {}, query);
    if (response.status === NOT_FOUND) throw noBucket(bucket);
    const page = await response.text();
    keys.push(...keysIn(page));
    last = keys.at(-1) ?? last;
    if (!page.includes("<IsTruncated>true</IsTruncated>")) return keys;
  }
}

/** Not every server encodes keys as it is asked to; the others write them as XML writes text. */
function keysIn(page: string): readonly string[] {
  const isEncoded = page.includes("<EncodingType>url</EncodingType>");
  return Array.from(page.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key = ""]) =>
    isEncoded
      ? decodeURIComponent(key.replaceAll("+", "%20"))
      : key.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

async function ask(
  bucket: Bucket,
  method: string,
  key: string,
  request: { readonly body?: Uint8Array; readonly headers?: Readonly<Record<string, string>> } = {},
  query?: URLSearchParams,
): Promise<Response> {
  const path = key.split("/").map(encodeURIComponent).join("/");
  const url = `${bucket.url}${key === "" ? "" : `/${path}`}${query === undefined ? "" : `?${query.toString()}`}`;
  let response: Response;
  try {
    response = await bucket.client.fetch(url, { method, ...request });
  } catch (error) {
    throw refusal(
      "StoreUnavailable",
      `The bucket ${bucket.name} does not answer. Check AWS_ENDPOINT_URL and AWS_REGION.`,
      {
        context: { bucket: bucket.name },
        error,
      },
    );
  }
  if (response.ok || EXPECTED.has(response.status)) return response;
  throw await refused(bucket, response);
}

/** Only the code of the error: the rest of the answer repeats the key that was used. */
async function refused({ name }: Bucket, response: Response): Promise<Error> {
  const { status } = response;
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(await response.text())?.[1];
  const advice =
    status === 401 || status === 403 ? " Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their rights." : "";
  const what = code === undefined ? `${status}` : `${status} ${code}`;
  return refusal("StoreUnavailable", `The bucket ${name} refused: ${what}.${advice}`, {
    context: { bucket: name, status },
  });
}

function noBucket({ name }: Bucket): Error {
  return refusal("StoreUnavailable", `There is no bucket ${name}. Create it; the journal makes only objects in it.`, {
    context: { bucket: name },
  });
}
