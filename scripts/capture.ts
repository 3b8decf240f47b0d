// Writes `docs/images/demo.svg`: a real run of `faultline start --once` in a terminal, as an animated picture. Needs `script` of
// util-linux, which gives the program a terminal. `npm run capture`

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";

const COLUMNS = 96;
const ROWS = 27;
const FRAME_MS = 120;
/** A still picture is shown no longer than this, except for the last one. */
const LONGEST_MS = 1_500;
const LAST_MS = 6_000;
/** The rest of the output names folders of this machine. */
const END = /\r\n\r\n\S*cost/;

/** What belongs to this machine and this run only. */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\/\S*\/faultline-demo-\w+/g, "faultline-demo"],
  [/#login=[\w-]+/g, "#login=…"],
];

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const BAR = 34;

const root = fileURLToPath(new URL("..", import.meta.url));

interface Chunk {
  readonly atMs: number;
  readonly text: string;
}

/** Every piece of output with its time. */
function record(): Promise<readonly Chunk[]> {
  const program = `${process.execPath} ${root}dist/cli/main.js start --once`;
  const child = spawn("script", ["-qefc", `stty cols ${COLUMNS} rows ${ROWS}; exec ${program}`, "/dev/null"], {
    env: { ...process.env, TERM: "xterm-256color", FORCE_COLOR: "1", LANG: "en_US.UTF-8" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Chunk[] = [{ atMs: 0, text: "\x1b[2m$\x1b[22m npx faultline start\r\n\r\n" }];
  const decoder = new TextDecoder();
  const startedAt = performance.now();
  child.stdout.on("data", (bytes: Buffer) => {
    const text = decoder.decode(bytes, { stream: true });
    chunks.push({
      atMs: performance.now() - startedAt,
      text: HIDDEN.reduce((now, [from, to]) => now.replaceAll(from, to), text),
    });
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(chunks) : reject(new Error(`faultline start ended with exit code ${code}`)),
    );
  });
}

interface Frame {
  readonly rows: readonly string[];
  readonly forMs: number;
}

/** What the terminal showed, whenever it changed. */
async function framesOf(chunks: readonly Chunk[]): Promise<readonly Frame[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const shown: { atMs: number; rows: readonly string[] }[] = [];
  let seen = "";
  let isOver = false;
  for (const { atMs, text } of chunks) {
    if (isOver) break;
    const whole = seen + text;
    const end = END.exec(whole)?.index;
    isOver = end !== undefined;
    await new Promise<void>((done) => terminal.write(end === undefined ? text : whole.slice(seen.length, end), done));
    seen = whole;
    const rows = screenOf(terminal);
    const last = shown.at(-1);
    if (last !== undefined && last.rows.join("\n") === rows.join("\n")) continue;
    // Changes that follow each other closely make one frame.
    if (last !== undefined && atMs - last.atMs < FRAME_MS) last.rows = rows;
    else shown.push({ atMs, rows });
  }
  return shown.map(({ atMs, rows }, index) => {
    const next = shown[index + 1];
    return { rows, forMs: next === undefined ? LAST_MS : Math.min(LONGEST_MS, next.atMs - atMs) };
  });
}

function screenOf(terminal: InstanceType<typeof xterm.Terminal>): readonly string[] {
  const { active } = terminal.buffer;
  return Array.from({ length: ROWS }, (_, row) => rowOf(active.getLine(active.baseY + row)));
}

type Line = ReturnType<InstanceType<typeof xterm.Terminal>["buffer"]["active"]["getLine"]>;

/** One row of the screen as spans. Neighbours of one style make one span. */
function rowOf(line: Line): string {
  if (line === undefined) return "";
  const spans: { style: string; text: string }[] = [];
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = [
      cell.isBold() ? "b" : "",
      cell.isDim() ? "d" : "",
      cell.isFgDefault() ? "" : `c${cell.getFgColor() % 8}`,
    ]
      .filter((name) => name !== "")
      .join(" ");
    const text = cell.getChars() || " ";
    const last = spans.at(-1);
    if (last?.style === style) last.text += text;
    else spans.push({ style, text });
  }
  const last = spans.at(-1);
  if (last?.style === "") last.text = last.text.trimEnd();
  return spans
    .map(({ style, text }) => (style === "" ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`))
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Each row is written once and used by every frame that shows it. */
function svgOf(frames: readonly Frame[]): string {
  const width = Math.round(COLUMNS * CELL.width + 2 * MARGIN);
  const height = Math.round(ROWS * CELL.height + BAR + MARGIN);
  const ids = new Map<string, string>();
  for (const { rows } of frames) for (const row of rows) if (row !== "" && !ids.has(row)) ids.set(row, `r${ids.size}`);
  const defs = Array.from(ids, ([row, id]) => `<text id="${id}" xml:space="preserve">${row}</text>`);
  const groups = frames.map(({ rows }, index) => {
    const uses = rows.flatMap((row, y) => {
      const id = ids.get(row);
      return id === undefined ? [] : [`<use href="#${id}" y="${y * CELL.height}"/>`];
    });
    return `<g transform="translate(${index * width} 0)">${uses.join("")}</g>`;
  });
  const totalMs = frames.reduce((sum, { forMs }) => sum + forMs, 0);
  let atMs = 0;
  const steps = frames.map(({ forMs }, index) => {
    const step = `${((atMs / totalMs) * 100).toFixed(2)}%{transform:translateX(${-index * width}px)}`;
    atMs += forMs;
    return step;
  });
  const last = `translateX(${-(frames.length - 1) * width}px)`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>faultline start: a team of agents finishes its work while a rate limit, a broken stream, a hanging tool and kill -9 get in its way</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6dbe5;white-space:pre}
.b{font-weight:700;fill:#fff}.d{fill:#8b93a5}.c1{fill:#ff7b72}.c2{fill:#56d364}.c3{fill:#e3b341}.c4{fill:#79c0ff}.c5{fill:#d2a8ff}.c6{fill:#56d4dd}.c7{fill:#fff}.c0{fill:#8b93a5}
#film{animation:film ${(totalMs / 1000).toFixed(1)}s step-end infinite}
@keyframes film{${steps.join("")}}
@media (prefers-reduced-motion:reduce){#film{animation:none;transform:${last}}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#12161f"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<defs>${defs.join("")}</defs>
<svg x="${MARGIN}" y="${BAR}" width="${width - 2 * MARGIN}" height="${height - BAR}"><g transform="translate(0 14)"><g id="film">${groups.join("\n")}</g></g></svg>
</svg>
`;
}

const frames = await framesOf(await record());
const folder = `${root}docs/images`;
mkdirSync(folder, { recursive: true });
const svg = svgOf(frames);
writeFileSync(`${folder}/demo.svg`, svg);
console.log(`docs/images/demo.svg: ${frames.length} frames, ${Math.round(svg.length / 1024)} KB`);
