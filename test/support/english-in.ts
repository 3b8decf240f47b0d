// English sentences in a text that should be Chinese. Names, code and data in backticks, quotes, addresses and options are none.

const DATA = [/`[^`]*`/g, /"[^"]*"|'[^']*'|“[^”]*”/g, /\w+:\/\/\S+/g, /(?:^|\s)\$ .*$/gm, /--[a-z-]+(?:[= ]<[^>]*>)?/g];

/** Two words in a row. */
const SENTENCE = /(?<![\w.-])[A-Za-z][a-z]*(?: [a-z]{1,20})+(?![\w.-])/g;

export function englishIn(text: string): readonly string[] {
  const prose = DATA.reduce((rest, data) => rest.replaceAll(data, " • "), text);
  return Array.from(prose.matchAll(SENTENCE), ([found]) => found);
}
