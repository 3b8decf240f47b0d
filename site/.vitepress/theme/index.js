// VitePress's own theme. The home page shows the terminal capture of the demo beside its first sentence.
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import demo from "../../.pages/reference/images/demo.svg";
import "./style.css";

const ALT =
  "A terminal: a team of agents finishes its work while a rate limit, a broken stream, a hanging tool and kill -9 get in its way";

const capture = () =>
  h("figure", { class: "capture" }, [
    h("div", { class: "capture-screen" }, h("img", { src: demo, alt: ALT, width: 838, height: 536 })),
    h("figcaption", null, "A real run of the demo. It needs no key and no network."),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "home-hero-image": capture }),
};
