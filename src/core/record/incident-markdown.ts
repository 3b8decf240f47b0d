// An incident as a Markdown page. The texts of an incident are plain; here each becomes Markdown in which nothing can break out.

import { dayOf, formatMs, secondOf, timeOfDay } from "../fault/words/time-words.ts";
import type { Locale } from "../fault/words/words.ts";
import type { Spending } from "../flow/money.ts";
import type { IncidentFacts } from "./incident.ts";
import { dollars } from "../flow/money.ts";
import { endText, type TimelineMoment } from "./incident-timeline.ts";
import { INCIDENT_WORDS, type IncidentWords } from "./incident-words.ts";
import { markdownName as name, markdownTable, markdownText as text } from "./markdown-text.ts";
import { PUNCTUATION } from "../punctuation.ts";

/** The report about an incident as Markdown. */
export function incidentMarkdown(incident: IncidentFacts, locale: Locale): string {
  const words = INCIDENT_WORDS[locale];
  const sections = [
    [`# ${text(words.title(incident.name))}`],
    headerLines(incident, words, locale),
    incident.summary === "" ? [] : [text(incident.summary)],
    [`## ${words.causes}`],
    causeLines(incident, words),
    [`## ${words.timeline}`],
    [words.utc],
    ...timelineSections(incident, words),
    [`## ${words.costs}`],
    costLines(incident, words),
    [`## ${words.people}`],
    peopleLines(incident, words),
    [`## ${words.next}`],
    incident.next.length === 0 ? [words.nothingToDo] : incident.next.map((one) => `- ${text(one)}`),
  ];
  const written = sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${written.join("\n\n")}\n`;
}

function headerLines(incident: IncidentFacts, words: IncidentWords, locale: Locale): readonly string[] {
  const { kind, workflow, status, outcome, startedAt, endedAt, durationMs, spending, cause } = incident;
  const { predecessor, successor, failedNode } = incident;
  const { fields } = words;
  const ended = endText(status, outcome, { words });
  const rows: readonly (readonly [string, string])[] = [
    [fields[kind], name(incident.name)],
    [fields.workflow, text(workflow)],
    [fields.status, `**${text(ended)}**`],
    [fields.started, secondOf(startedAt)],
    [fields.ended, endedAt === null ? words.notEnded : secondOf(endedAt)],
    [fields.lasted, formatMs(durationMs, locale)],
    [fields.cost, spendingText(spending, words)],
    [
      fields.cause,
      cause === null
        ? words.none
        : `${words.named(text(cause.title), name(cause.name))}${PUNCTUATION[locale].colon}${text(cause.said)}`,
    ],
    [fields.node, failedNode === "" ? "" : name(failedNode)],
    [fields.predecessor, predecessor === null ? "" : name(predecessor)],
    [fields.successor, successor === null ? "" : name(successor)],
  ];
  return markdownTable(
    ["", ""],
    rows.filter(([, value]) => value !== ""),
  );
}

function causeLines({ causes }: IncidentFacts, words: IncidentWords): readonly string[] {
  if (causes.length === 0) return [words.noCauses];
  const { count, fault, where, first, last, said } = words.columns;
  const rows = causes.map((cause) => [
    String(cause.count),
    words.named(text(cause.title), name(cause.name)),
    name(cause.where),
    secondOf(cause.firstAt),
    secondOf(cause.lastAt),
    text(cause.said),
  ]);
  return markdownTable([count, fault, where, first, last, said], rows);
}

/** A heading for each day, then a list. */
function timelineSections(incident: IncidentFacts, words: IncidentWords): readonly (readonly string[])[] {
  const sections: string[][] = [];
  let day = "";
  incident.timeline.forEach((moment, index) => {
    if (dayOf(moment.at) !== day) {
      day = dayOf(moment.at);
      sections.push([`### ${day}`], []);
    }
    // Without moments left out, that is behind the last one.
    if (index === incident.leftOutAfter) sections.at(-1)?.push(`- ${words.more(incident.leftOut)}`);
    sections.at(-1)?.push(...momentLines(moment));
  });
  return sections;
}

function momentLines({ at, who, what, more }: TimelineMoment): readonly string[] {
  const subject = who === "" ? "" : `**${text(who)}** `;
  return [`- \`${timeOfDay(at)}\` ${subject}${text(what)}`, ...more.map((line) => `  - ${text(line)}`)];
}

function costLines({ costs, wasted, spending }: IncidentFacts, words: IncidentWords): readonly string[] {
  if (isNothing(spending)) return [words.noCosts];
  const { target, attempts, failed, cost, wasted: lost } = words.columns;
  const rows = costs.map((row) => [
    name(row.target),
    String(row.attempts),
    String(row.failed),
    spendingText(row.spent, words),
    spendingText(row.wasted, words),
  ]);
  const table = markdownTable([target, attempts, failed, cost, lost], rows);
  return isNothing(wasted) ? table : [...table, "", words.wasted(spendingText(wasted, words))];
}

function peopleLines({ people }: IncidentFacts, words: IncidentWords): readonly string[] {
  if (people.length === 0) return [words.nobody];
  const { when, who, what } = words.columns;
  return markdownTable(
    [when, who, what],
    people.map((deed) => [secondOf(deed.at), text(deed.by), text(deed.what)]),
  );
}

function isNothing({ microcents, unpricedAttempts }: Spending): boolean {
  return microcents === 0 && unpricedAttempts === 0;
}

function spendingText({ microcents, estimatedMicrocents, unpricedAttempts }: Spending, words: IncidentWords): string {
  const sum = dollars(microcents);
  const known = text(estimatedMicrocents > 0 ? words.estimated(sum) : sum);
  return unpricedAttempts === 0 ? known : `${known}, ${words.unpriced(unpricedAttempts)}`;
}
