// Flaws in how Chinese is set: spaces between Chinese characters or beside full-width punctuation, and half-width punctuation in Chinese
// text. Code, addresses, options and the values of quoted strings are none of it.

/** What is not prose; `x` stands for a name in the sentence. */
const CODE: readonly (readonly [RegExp, string])[] = [
  // Our own lines begin with the name of the program.
  [/^faultline: /gm, ""],
  // The cells of a table in Markdown.
  [/ ?\| ?/g, "|"],
  [/`[^`\n]*`/g, "x"],
  [/"[^"\n]*"/g, "x"],
  [/\w+(?:\.\w+)*\(\)/g, "x"],
  [/\w+:\/\/[^\s，。；、）“”]+/g, "x"],
];

const HAN = "\\p{Script=Han}";
const WIDE = "，。：；、！？（）“”《》";
const FLAWS: readonly RegExp[] = [
  // A space between two Chinese characters; wider gaps are columns.
  new RegExp(`${HAN} ${HAN}`, "gu"),
  // A space beside full-width punctuation.
  new RegExp(`[${WIDE}] (?=\\S)|(?<=\\S) [${WIDE}]`, "gu"),
  // Half-width punctuation beside a Chinese character, with a space or without.
  new RegExp(`${HAN}[:;,!?](?=\\s|$|${HAN})|${HAN}\\.(?= |$|${HAN})|[:;,.!?] ?(?=${HAN})`, "gmu"),
  new RegExp(`${HAN} ?\\(|\\) ?(?=[${HAN}])|\\(${HAN}|${HAN}\\)`, "gu"),
];

/** Each flaw with what stands around it. */
export function chineseFlaws(text: string): readonly string[] {
  const prose = CODE.reduce((rest, [code, name]) => rest.replaceAll(code, name), text);
  return FLAWS.flatMap((flaw) =>
    Array.from(prose.matchAll(flaw), ({ index, 0: found }) =>
      prose.slice(Math.max(0, index - 14), index + found.length + 14).replaceAll("\n", "⏎"),
    ),
  );
}
