// Counts what is under way between this process and a server, PostgreSQL or Restate, so that time that a test owns stands still meanwhile.

import pg from "pg";

let underWay = 0;
let isUsed = false;
/** A write waits for a turn before it is sent, and so does what follows from an answer. */
const QUIET_TURNS = 6;

/** Returns a function to be asked once in each turn of the event loop: whether it is quiet, and has been for a few turns. */
export function createQuietCheck(): () => boolean {
  let quietTurns = 0;
  return () => {
    quietTurns = underWay > 0 ? 0 : quietTurns + 1;
    return !isUsed || quietTurns >= QUIET_TURNS;
  };
}

/** Something is under way until the function that this returns is called. */
export function beginUnderWay(): () => void {
  isUsed = true;
  underWay++;
  let isOver = false;
  return () => {
    if (!isOver) underWay--;
    isOver = true;
  };
}

type Method = (this: pg.Client, ...args: unknown[]) => unknown;

/** Counts calls of a method that answers with a callback or a promise. */
function counted(method: Method): Method {
  return function (...args) {
    const over = beginUnderWay();
    const last = args.at(-1);
    if (typeof last === "function") {
      args[args.length - 1] = (...answer: unknown[]): unknown => {
        over();
        return (last as (...answer: unknown[]) => unknown)(...answer);
      };
      return method.apply(this, args);
    }
    const answer = method.apply(this, args);
    if (answer instanceof Promise) answer.then(over, over);
    else over();
    return answer;
  };
}

const methods = pg.Client.prototype as unknown as Record<"query" | "connect" | "end", Method>;
methods.query = counted(methods.query);
methods.connect = counted(methods.connect);
methods.end = counted(methods.end);
