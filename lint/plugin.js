// Our own lint rules, as the plugin that `.oxlintrc.json` names.
import { catchTells } from "./catch-tells.js";
import { shortFunctions } from "./short-functions.js";

export default {
  meta: { name: "faultline" },
  rules: { "catch-tells": catchTells, "short-functions": shortFunctions },
};
