// Rejects secrets anywhere in the file. The file is kept in the journal, shown in diagnostics and checked into repositories.

import { REDACTED, SHAPE_REDACTOR } from "../core/index.ts";
import { type WorkflowFinding, finding, said } from "./codes.ts";
import { stringsIn } from "./collect.ts";

export function checkSecrets(value: unknown): readonly WorkflowFinding[] {
  return stringsIn(value, []).flatMap(({ path, text }) => {
    // Checked word by word: a sentence about a password is not a secret.
    const hasOne = text.split(/\s+/).some((word) => looksSecret(word)) || PRIVATE_KEY.test(text);
    if (!hasOne) return [];
    const message = `${said(path)} looks like it contains a secret`;
    const help =
      "Take it out, and make a new one if the file was shared. Keys come from the environment: `api_key_env: OPENAI_API_KEY`; other secrets are inputs with `secret: true`.";
    return [finding("written-secret", path, message, "a secret", help)];
  });
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/;

function looksSecret(word: string): boolean {
  // A {{ }} will be replaced by a secret, but is not one itself.
  return (
    word.length > 7 && !word.includes("{{") && SHAPE_REDACTOR.text(word).includes(REDACTED) && !word.includes(REDACTED)
  );
}
