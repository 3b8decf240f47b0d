// Describes the expected answer for a terminal: the mistakes in the last input, then one line per field.

import { formOf } from "../../core/flow/answer-form.ts";
import { formFacts, type QuestionPayload } from "../../core/flow/interaction.ts";
import { SHAPE_REDACTOR } from "../../core/index.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./values.ts";

/** Empty for a question without a form. */
export function formLines(payload: QuestionPayload, paint: Paint): readonly string[] {
  const { schema, issues = [] } = formFacts(payload);
  const wrong = issues.map(({ path, expected, got }) => `✗ ${shown(path)} ${shown(expected)} (${shown(got)})`);
  const fields = formOf(schema).filter(({ name }) => name !== "");
  const lines = fields.map(({ name, type, required, description, choices }) => {
    const takes = choices.length > 0 ? choices.map((choice) => shown(String(choice), 60)).join("|") : type;
    const about = description === "" ? "" : `  ${shown(SHAPE_REDACTOR.text(description))}`;
    return `${shown(name)}${required ? "" : "?"}  ${paint("dim", `${takes}${about}`)}`;
  });
  return [...wrong, ...lines];
}
