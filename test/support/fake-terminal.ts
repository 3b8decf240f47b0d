// A terminal without a machine behind it: keys go in, and what a person would see is kept as lines of text.

import { PassThrough, Writable } from "node:stream";

/** What a prompt may write: a control sequence with its numbers, a line's end, or a character. */
const WRITTEN = /\u001b\[(\??)(\d*)(?:;\d+)*([A-Za-z])|[\s\S]/gu;

class Keyboard extends PassThrough {
  readonly isTTY: boolean;
  isRaw = false;

  constructor(isTTY: boolean) {
    // As the process's own input: an end does not close it.
    super({ autoDestroy: false });
    this.isTTY = isTTY;
  }

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }
}

class Display extends Writable {
  readonly isTTY: boolean;
  readonly columns = 80;
  readonly rows = 24;
  /** Everything that was ever written. */
  written = "";
  readonly #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  get text(): string {
    return this.#lines
      .map((line) => line.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    const text = String(chunk);
    this.written += text;
    for (const [all, mark = "", digits = "", command] of text.matchAll(WRITTEN)) {
      if (command === undefined) this.#print(all);
      else if (mark === "") this.#obey(command, digits === "" ? null : Number(digits));
    }
    this.emit("drawn");
    done();
  }

  #print(character: string): void {
    if (character === "\n") {
      this.#row++;
      this.#column = 0;
    } else if (character === "\r") this.#column = 0;
    else {
      const line = this.#line();
      while (line.length < this.#column) line.push(" ");
      line[this.#column++] = character;
    }
    this.#line();
  }

  #obey(command: string, count: number | null): void {
    if (command === "A") this.#row = Math.max(0, this.#row - (count ?? 1));
    else if (command === "B") this.#row += count ?? 1;
    else if (command === "C") this.#column += count ?? 1;
    else if (command === "D") this.#column = Math.max(0, this.#column - (count ?? 1));
    else if (command === "G") this.#column = (count ?? 1) - 1;
    else if (command === "K") this.#line().length = count === 2 ? 0 : this.#column;
    else if (command === "J") {
      this.#line().length = Math.min(this.#column, this.#line().length);
      this.#lines.length = this.#row + 1;
    } else if (command !== "m") throw new Error(`this terminal does not know CSI ${command}`);
  }

  #line(): string[] {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
    return this.#lines[this.#row] ?? [];
  }
}

export class FakeTerminal {
  readonly input: Keyboard;
  readonly output: Display;

  constructor({ inputIsTTY = true, outputIsTTY = true } = {}) {
    this.input = new Keyboard(inputIsTTY);
    this.output = new Display(outputIsTTY);
  }

  get streams(): Pick<FakeTerminal, "input" | "output"> {
    return { input: this.input, output: this.output };
  }

  /** What a person sees now. */
  get screen(): string {
    return this.output.text;
  }

  type(keys: string): void {
    this.input.write(keys);
  }

  /** Resolves when this can be read on the screen. */
  sees(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.screen.includes(text)) return;
        this.output.off("drawn", look);
        resolve();
      };
      this.output.on("drawn", look);
      look();
    });
  }

  /** Listeners left on keyboard and display. */
  get listeners(): Readonly<Record<string, number>> {
    const counts = ["keypress", "end", "close"].map((event) => [event, this.input.listenerCount(event)] as const);
    return Object.fromEntries([...counts, ["resize", this.output.listenerCount("resize")]]);
  }
}
