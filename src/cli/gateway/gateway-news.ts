// What is printed while a gateway runs: changes of its file, budgets that run low, targets that fail, and a journal that cannot be written.

import { dollars } from "../../core/flow/money.ts";
import { formatMs, secondOf } from "../../core/fault/words/time-words.ts";
import { isFaultCode, wordsFor } from "../../core/index.ts";
import type { GatewayFileNews } from "../../server/gateway-file.ts";
import type { BudgetAlert } from "../../gateway/ledger/budget-alert.ts";
import type { GatewayListener } from "../../gateway/gateway.ts";
import type { LedgerDecision } from "../../gateway/ledger/ledger-line.ts";
import { gatewayRecourse } from "../../gateway/ledger/recourse-word.ts";
import type { JournalNews } from "../../gateway/ledger/write-trouble.ts";
import type { GatewayNewsListener } from "../../server/gateway.ts";
import { calmly } from "../../workflow/driver.ts";
import { printDiagnostics } from "../check-file.ts";
import { faultJson } from "../fault-json.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { GATEWAY_WORDS } from "../render/words/gateway-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

/** Prints one piece of news: a line with its time, or an object with --json. */
function newsPrinter(io: Io, { json }: GlobalOptions): (line: string, asJson: object) => Promise<void> {
  return (line, asJson) => io.stderr.write(json ? `${safeJson(asJson)}\n` : `${secondOf(io.clock.now())}  ${line}\n`);
}

export function gatewayTeller(file: string, io: Io, shared: GlobalOptions): (news: GatewayFileNews) => Promise<void> {
  const words = GATEWAY_WORDS[shared.locale];
  const tell = { loaded: words.reloaded, wrong: words.kept, gone: words.gone };
  const print = newsPrinter(io, shared);
  return async (news) => {
    if (news.state !== "gone") await printDiagnostics(news.diagnostics, news.text, io, shared);
    await print(tell[news.state](oneLine(file, 500)), { gatewayFile: { file, state: news.state } });
  };
}

function budgetTeller(io: Io, shared: GlobalOptions): (alert: BudgetAlert) => void {
  const { budgetLow } = GATEWAY_WORDS[shared.locale];
  const print = newsPrinter(io, shared);
  return (alert) => {
    const { client, window, spentMicrocents, limitMicrocents } = alert;
    const line = budgetLow(oneLine(client, 200), window, dollars(spentMicrocents), dollars(limitMicrocents));
    void print(line, { budgetLow: alert });
  };
}

/** The same failure of the same target is printed once a minute. */
export function decisionTeller(io: Io, shared: GlobalOptions): (decision: LedgerDecision) => void {
  const { locale } = shared;
  const { failed, silent } = GATEWAY_WORDS[locale];
  const print = newsPrinter(io, shared);
  const tell = calmly<{ message: string; decision: LedgerDecision }>(io.clock, (target, { decision }) => {
    const { code, recourse } = decision;
    const why =
      code === null
        ? silent
        : isFaultCode(code)
          ? PUNCTUATION[locale].bracketed(wordsFor(code, locale).title, code)
          : code;
    const line = failed(oneLine(target, 200), why, gatewayRecourse(recourse, locale));
    void print(line, { targetFailed: { at: io.clock.now(), ...decision } });
  });
  return (decision) => tell(decision.target, { message: `${decision.code} ${decision.recourse}`, decision });
}

const AGAIN_MS = 60_000;

/** Tells that the journal cannot be written: at once, then once a minute. If it told that, it also tells the end. */
export function journalTeller(io: Io, shared: GlobalOptions): (news: JournalNews) => void {
  const { locale } = shared;
  const print = newsPrinter(io, shared);
  const { unwritten, written } = GATEWAY_WORDS[locale];
  const said = (news: JournalNews): string => {
    const { at, since, lostLines } = news;
    const lasted = formatMs(at - since, locale);
    if (news.state === "written") return written(lasted, lostLines);
    const why = oneLine(messageIn(locale, news.fault.message), 500).replace(/[.。]$/u, "");
    return unwritten(why, at === since ? null : lasted, news.lines, lostLines);
  };
  let toldAt = -Infinity;
  let isTold = false;
  return (news) => {
    const { state, at } = news;
    if (state === "unwritten" ? at - toldAt < AGAIN_MS : !isTold) return;
    isTold = state === "unwritten";
    if (isTold) toldAt = at;
    void print(said(news), journalJson(news));
  };
}

function journalJson(news: JournalNews): object {
  const { at, since, lostLines } = news;
  if (news.state === "written") return { journalWritten: { since, at, lostLines } };
  return { journalUnwritten: { since, at, lines: news.lines, lostLines, ...faultJson(news.fault) } };
}

/** What a gateway tells besides changes of its file. */
export function gatewayTellers(io: Io, shared: GlobalOptions): GatewayListener {
  return {
    onBudgetLow: budgetTeller(io, shared),
    onDecided: decisionTeller(io, shared),
    onJournal: journalTeller(io, shared),
  };
}

export function gatewayListener(file: string, io: Io, shared: GlobalOptions): GatewayNewsListener {
  const tell = gatewayTeller(file, io, shared);
  return { locale: shared.locale, onNews: (news) => void tell(news), ...gatewayTellers(io, shared) };
}
