// What is printed while a gateway runs: changes of its file, budgets that run low, targets that fail, and a journal that cannot be written.

import { dollars } from "../../core/flow/money.ts";
import { formatMs, secondOf } from "../../core/fault/words/time-words.ts";
import { isFaultCode, wordsFor } from "../../core/index.ts";
import type { GatewayFileNews } from "../../server/gateway-file.ts";
import type { BreakerAlert } from "../../gateway/ledger/breaker-alert.ts";
import type { BudgetAlert } from "../../gateway/ledger/budget-alert.ts";
import type { GatewayListener } from "../../gateway/gateway.ts";
import type { LedgerDecision } from "../../gateway/ledger/ledger-line.ts";
import { gatewayRecourse } from "../../gateway/ledger/recourse-word.ts";
import type { JournalNews } from "../../gateway/ledger/write-trouble.ts";
import type { GatewayNewsListener } from "../../server/gateway.ts";
import { oncePerMinute } from "../../workflow/driver.ts";
import type { Cli } from "../cli.ts";
import { printDiagnostics } from "../check-file.ts";
import { faultJson } from "../fault-json.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { fitted } from "../render/table.ts";
import { GATEWAY_WORDS } from "../render/words/gateway-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

/** Prints one piece of news: a line with its time, or an object with --json. */
function newsPrinter(cli: Cli): (line: string, asJson: object) => Promise<void> {
  const { json } = cli;
  return (line, asJson) =>
    cli.stderr.write(
      json ? `${safeJson(asJson)}\n` : `${fitted(`${secondOf(cli.clock.now())}  ${line}`, cli.stderr)}\n`,
    );
}

export function fileNewsPrinter(file: string, cli: Cli): (news: GatewayFileNews) => Promise<void> {
  const words = GATEWAY_WORDS[cli.locale];
  const lines = { loaded: words.reloaded, wrong: words.kept, gone: words.gone };
  const print = newsPrinter(cli);
  return async (news) => {
    if (news.state !== "gone") await printDiagnostics(news.diagnostics, news.text, cli);
    await print(lines[news.state](oneLine(file, 500)), { gatewayFile: { file, state: news.state } });
  };
}

function budgetPrinter(cli: Cli): (alert: BudgetAlert) => void {
  const { budgetLow } = GATEWAY_WORDS[cli.locale];
  const print = newsPrinter(cli);
  return (alert) => {
    const { client, window, spentMicrocents, limitMicrocents } = alert;
    const line = budgetLow(oneLine(client, 200), window, dollars(spentMicrocents), dollars(limitMicrocents));
    void print(line, { budgetLow: alert });
  };
}

export function breakerPrinter(cli: Cli): (alert: BreakerAlert) => void {
  const { locale } = cli;
  const { breakerOpened } = GATEWAY_WORDS[locale];
  const print = newsPrinter(cli);
  return (alert) => {
    const { target, code, until } = alert;
    const why = code === null ? null : PUNCTUATION[locale].bracketed(wordsFor(code, locale).title, code);
    void print(breakerOpened(oneLine(target, 200), why, secondOf(until)), { breakerOpened: alert });
  };
}

/** The same failure of the same target is printed once a minute. */
export function decisionPrinter(cli: Cli): (decision: LedgerDecision, detail: string | null) => void {
  const { locale } = cli;
  const { failed, silent, seenAs } = GATEWAY_WORDS[locale];
  const print = newsPrinter(cli);
  const printOnce = oncePerMinute<DecisionNews>(cli.clock, (target, { decision, detail }) => {
    const { code, recourse } = decision;
    const why =
      code === null
        ? silent
        : isFaultCode(code)
          ? PUNCTUATION[locale].bracketed(wordsFor(code, locale).title, code)
          : code;
    const seen = detail === null ? why : seenAs(why, oneLine(messageIn(locale, detail), 300));
    const line = failed(oneLine(target, 200), seen, gatewayRecourse(recourse, locale));
    void print(line, { targetFailed: { at: cli.clock.now(), ...decision, ...(detail === null ? {} : { detail }) } });
  });
  return (decision, detail) =>
    printOnce(decision.target, { message: `${decision.code} ${decision.recourse}`, decision, detail });
}

interface DecisionNews {
  /** The same one is not printed again for a minute. */
  readonly message: string;
  readonly decision: LedgerDecision;
  readonly detail: string | null;
}

const AGAIN_MS = 60_000;

/** Prints that the journal cannot be written: at once, then once a minute. Once it has printed that, it also prints the end. */
export function journalPrinter(cli: Cli): (news: JournalNews) => void {
  const { locale } = cli;
  const print = newsPrinter(cli);
  const { unwritten, written } = GATEWAY_WORDS[locale];
  const lineOf = (news: JournalNews): string => {
    const { at, since, lostLines } = news;
    const lasted = formatMs(at - since, locale);
    if (news.state === "written") return written(lasted, lostLines);
    const why = oneLine(messageIn(locale, news.fault.message), 500).replace(/[.。]$/u, "");
    return unwritten(why, at === since ? null : lasted, news.lines, lostLines);
  };
  let printedAt = -Infinity;
  let isUnwritten = false;
  return (news) => {
    const { state, at } = news;
    if (state === "unwritten" ? at - printedAt < AGAIN_MS : !isUnwritten) return;
    isUnwritten = state === "unwritten";
    if (isUnwritten) printedAt = at;
    void print(lineOf(news), journalJson(news));
  };
}

function journalJson(news: JournalNews): object {
  const { at, since, lostLines } = news;
  if (news.state === "written") return { journalWritten: { since, at, lostLines } };
  return { journalUnwritten: { since, at, lines: news.lines, lostLines, ...faultJson(news.fault) } };
}

/** Prints everything except changes of the file. */
export function gatewayPrinters(cli: Cli): GatewayListener {
  return {
    onBudgetLow: budgetPrinter(cli),
    onDecided: decisionPrinter(cli),
    onBreakerOpened: breakerPrinter(cli),
    onJournal: journalPrinter(cli),
  };
}

export function gatewayListener(file: string, cli: Cli): GatewayNewsListener {
  const print = fileNewsPrinter(file, cli);
  return { locale: cli.locale, onNews: (news) => void print(news), ...gatewayPrinters(cli) };
}
