// The documentation site. site/build.ts gathers its pages in .pages. Nothing is loaded from elsewhere, so it works offline.
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

export default defineConfig({
  title: "Faultline",
  description: "Your agent survives rate limits, dead providers and kill -9.",
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  base: process.env["SITE_BASE"] ?? "/",
  // In our pages, angle brackets and double braces are text, neither HTML nor templates of Vue.
  markdown: {
    html: false,
    config: (md) => {
      const { escapeHtml } = md.utils;
      md.renderer.rules.code_inline = (tokens, index) => `<code v-pre>${escapeHtml(tokens[index].content)}</code>`;
      md.renderer.rules.text = (tokens, index) => escapeHtml(tokens[index].content).replaceAll("{{", "&#123;&#123;");
    },
  },
  // The search index is one large file, and the compiler of the site does not know our target.
  vite: { build: { chunkSizeWarningLimit: 4_000 }, esbuild: { tsconfigRaw: {} } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/start/" },
      { text: "Concepts", link: "/concepts/" },
      { text: "How-to", link: "/how-to/" },
      { text: "Operate", link: "/operate/" },
      { text: "Reference", link: "/reference/" },
      { text: "FAQ", link: "/start/FAQ" },
    ],
    sidebar: JSON.parse(readFileSync(new URL("../.pages/sidebar.json", import.meta.url), "utf8")),
    outline: [2, 3],
  },
});
