// A journal on a server that speaks TLS: the certificate is checked, and one that is not trusted is refused before anything secret is sent.

import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { note, readAll } from "../../../src/testing/journal-samples.ts";
import { NOBODY, startPostgres } from "../../postgres/server.ts";
import { type Credentials, selfSigned } from "../../support/self-signed.ts";

/** Files that only the server's account can read. */
function filesOf({ key, cert }: Credentials): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "faultline-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.cert, cert);
  if (process.getuid?.() === 0) for (const path of [folder, files.key]) chownSync(path, NOBODY, NOBODY);
  return files;
}

it("travels encrypted, to the server whose certificate it knows", { timeout: 60_000 }, async ({ skip }) => {
  const [own, other] = [selfSigned(), selfSigned()];
  if (own === undefined || other === undefined) return skip("the openssl command is needed to make a certificate");
  const [files, others] = [filesOf(own), filesOf(other)];
  const server = await startPostgres({ settings: { ssl: "on", ssl_cert_file: files.cert, ssl_key_file: files.key } });
  onTestFinished(() => server.stop());
  const trusting = (certificate: string): string => `${server.url}?sslmode=verify-full&sslrootcert=${certificate}`;
  const refused = openJournal(trusting(others.cert), { onWarning: () => undefined });
  await expect(refused).rejects.toThrow(/Check TLS: `sslmode` and the certificate files in the address/);
  const journal = await openJournal(trusting(files.cert));
  onTestFinished(() => journal.close());
  await journal.append("s", 0, [note("a")]);
  expect(await readAll(journal, "s")).toHaveLength(1);
  const client = new pg.Client(server.url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    "SELECT count(*) > 0 AS some, bool_and(t.ssl) AS all FROM pg_stat_activity AS a JOIN pg_stat_ssl AS t USING (pid) WHERE a.application_name = 'faultline'",
  );
  expect(rows).toEqual([{ some: true, all: true }]);
});
