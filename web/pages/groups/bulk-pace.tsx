// How many runs are acted on at a time: the first wave, the second, and so on.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords, wordTable } from "../../app/words.ts";

const [MOST_RUNS, MOST_WAVES] = [1_000, 20];

/** `1, 5, 20` as numbers; null when it is none. */
export function paceIn(text: string): number[] | null {
  const sizes = text.split(/[\s,，、]+/u).filter((size) => size !== "");
  const pace = sizes.map(Number);
  const isFit = pace.every((size) => Number.isInteger(size) && size >= 1 && size <= MOST_RUNS);
  return isFit && pace.length >= 1 && pace.length <= MOST_WAVES ? pace : null;
}

export interface BulkPaceProps {
  /** As it was typed. */
  readonly text: string;
  /** How many runs each wave would have. */
  readonly waves: readonly number[];
  readonly onText: (text: string) => void;
}

export function BulkPace({ text, waves, onText }: BulkPaceProps): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  const isFit = paceIn(text) !== null;
  const shown = waves.slice(0, 8).map(count).join(" → ");
  return (
    <label className="bulk-pace">
      <span>{words.pace}</span>
      <input
        value={text}
        inputMode="numeric"
        aria-invalid={!isFit}
        aria-describedby="bulk-pace-says"
        onChange={({ target }) => onText(target.value === "" ? " " : target.value)}
      />
      <small id="bulk-pace-says" className={isFit ? "dim" : "bulk-pace-wrong"}>
        {isFit ? words.waves(waves.length > 8 ? `${shown} → …` : shown) : words.wrong}
      </small>
    </label>
  );
}

const WORDS = wordTable({
  "en": {
    pace: "Pace: runs per wave; the last number holds for all further waves",
    waves: (waves: string) => `Waves: ${waves}. The next wave begins when the one before has settled.`,
    wrong: "Write whole numbers from 1 to 1,000, parted by commas, such as 1, 5, 20.",
  },
  "zh-CN": {
    pace: "节奏：每一批的运行数；最后一个数字用于之后的所有批次",
    waves: (waves: string) => `批次：${waves}。前一批有结果后，才开始下一批。`,
    wrong: "请填写 1 到 1,000 的整数，用逗号分隔，例如 1, 5, 20。",
  },
});
