// What the process around the commands says. It imports nothing: an old Node has to be able to load it.

const EN = {
  diskFull: "the disk is full",
  cannotWrite: (why: string) => `cannot write the output: ${why}. Free some space or write it elsewhere.`,
  oldNode: (least: string, now: string) =>
    `the command line needs Node ${least} or newer; this is ${now}. Install Node 24, or use one for this command only: npx -p node@24 -p faultline faultline …`,
  bug: "an unexpected error; please report it.",
};

export type MainWords = typeof EN;

const ZH: MainWords = {
  diskFull: "磁盘已满",
  cannotWrite: (why) => `无法写入输出：${why}。请腾出空间，或写到其他地方。`,
  oldNode: (least, now) =>
    `命令行需要 Node ${least} 或更新版本；当前是 ${now}。请安装 Node 24，或只为此命令使用：\`npx -p node@24 -p faultline faultline …\``,
  bug: "意外错误；请报告。",
};

export const MAIN_WORDS: Readonly<Record<"en" | "zh-CN", MainWords>> = { "en": EN, "zh-CN": ZH };
