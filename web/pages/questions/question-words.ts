// The words around questions. The question itself, and what happens when its time is over, come from the server.

import { wordTable } from "../../app/words.ts";

export const QUESTION_WORDS = wordTable({
  "en": {
    yes: "Yes",
    no: "No",
    send: "Send answer",
    sent: "Your answer was sent.",
    answer: "Answer",
    decline: "Decline…",
    sendDecline: "Decline",
    back: "Back",
    reason: "Why do you decline?",
    optional: "optional",
    chooseOne: "Choose one of these.",
    replaces: "Your answer replaces the input that did not fit.",
    wasWrong: (expected: string, got: string) => `Before: ${expected}, but was ${got}.`,
    openPage: "Open this page and sign in",
    enterCode: "Enter this code",
    signedIn: "I have signed in",
    answeredBy: (name: string) => `${name} answered this question. The first answer counts.`,
    secret:
      "The answer is a secret, so it is never sent over the network. Answer it in the terminal or program that asks for it.",
    viewer: "You can see this question. Answering it needs the operator role.",
  },
  "zh-CN": {
    yes: "是",
    no: "否",
    send: "发送答复",
    sent: "已发送您的答复。",
    answer: "答复",
    decline: "拒绝…",
    sendDecline: "拒绝",
    back: "返回",
    reason: "为什么拒绝？",
    optional: "可选",
    chooseOne: "请选择其中一项。",
    replaces: "您的答复将替换不符合要求的输入。",
    wasWrong: (expected: string, got: string) => `之前的输入：${expected}，实际为 ${got}。`,
    openPage: "打开此页面并登录",
    enterCode: "输入此代码",
    signedIn: "我已登录",
    answeredBy: (name: string) => `${name} 已答复此问题。以第一个答复为准。`,
    secret: "答案是机密，绝不通过网络发送。请在提出此问题的终端或程序中答复。",
    viewer: "您可以查看此问题。答复需要操作员角色。",
  },
});
