// Builds the dashboard into `dist/web`. `npm run web` serves it while you work on it, in front of a running `faultline serve`.

import { defineConfig } from "vite";

const SERVER = "http://127.0.0.1:7431";

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: { "faultline/client": `${import.meta.dirname}/../src/client/index.ts` } },
  esbuild: { jsx: "automatic" },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // The server refuses requests of other sites; to it, the page is its own.
    proxy: { "/v1": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } },
  },
});
