// Our own lint rule catches silent catches and lets those through that tell.

import { RuleTester } from "oxlint/plugins-dev";
import { describe, it } from "vitest";
import { catchTells } from "../lint/catch-tells.js";

RuleTester.describe = describe;
RuleTester.it = it;

new RuleTester().run("catch-tells", catchTells, {
  valid: [
    "const seen = await promise.catch((error) => classify({ surface: 'node', error }));",
    "promise.catch((error) => report(classify({ surface: 'node', error })));",
    "promise.catch((error) => { throw new Error('while loading', { cause: error }); });",
    "promise.catch(report);",
    "promise.then((value) => value + 1);",
    "promise.then(f, (error) => report(classify({ surface: 'node', error })));",
    "try { f(); } catch (error) { throw new Error('while loading', { cause: error }); }",
    "function g() { try { f(); } catch (error) { return classify({ surface: 'node', error }); } }",
    "try { f(); } catch (error) { events.push(suppressed(classify({ error }), 'optional', now)); }",
    "try { f(); } catch (error) { host.suppress(error, 'optional'); }",
    "new Promise((resolve, reject) => { try { f(); } catch (error) { reject(error); } });",
    "function g() { try { f(); } catch (error) { if (error.code === 'ENOENT') return undefined; throw error; } }",
  ],
  invalid: [
    { code: "promise.catch((error) => classify({ error }));", errors: [{ messageId: "silent" }] },
    { code: "void promise.catch((error) => classify({ error })).finally(f);", errors: [{ messageId: "silent" }] },
    { code: "async () => { await p?.catch((error) => classify({ error })); }", errors: [{ messageId: "silent" }] },
    { code: "try { f(); } catch (error) { classify({ error }); }", errors: [{ messageId: "silent" }] },
    {
      code: "function g() { try { f(); } catch (error) { void classify({ error }); return 1; } }",
      errors: [{ messageId: "silent" }],
    },
    { code: "promise.then(f, (error) => classify({ error }));", errors: [{ messageId: "silent" }] },
    { code: "promise.then(f, function (error) { classify({ error }); g(); });", errors: [{ messageId: "silent" }] },
    { code: "promise.catch(() => undefined);", errors: [{ messageId: "silent" }] },
    { code: "promise.catch((error) => { console.error(error); });", errors: [{ messageId: "silent" }] },
    { code: "try { f(); } catch {}", errors: [{ messageId: "silent" }] },
    { code: "try { f(); } catch { /* ignore */ }", errors: [{ messageId: "silent" }] },
    { code: "try { f(); } catch (error) { console.error(error); }", errors: [{ messageId: "silent" }] },
    { code: "function g() { try { f(); } catch { return null; } }", errors: [{ messageId: "silent" }] },
    {
      code: "try { f(); } catch (outer) { try { g(); } catch (inner) { throw inner; } }",
      errors: [{ messageId: "silent" }],
    },
  ],
});
