// A workflow file with every kind of node in it, and the files it refers to: what a team would write.

export const CONTRACT_FILES: Readonly<Record<string, string>> = {
  "faults.policy.yaml": "version: 1\npreset: headless\n",
  "prompts/tester.md": "Say how to test {{ nodes.coder.output }}.\n",
  "schemas/commands.json": '{ "type": "object", "required": ["commands"] }',
};

export const CONTRACT = `faultline: 1
workflow: { id: review-loop, version: "1", name: "Code, review, test" }
inputs:
  task: { type: string, description: What to build }
  tone: { type: string, default: short }
  token: { type: string, secret: true, required: false }
limits: { max_parallel: 4, timeout: 30m, max_cost_usd: 2, on_exceed: pause_for_approval, max_nodes: 100 }
policy: faults.policy.yaml
providers:
  openai: { base_url: "http://127.0.0.1:4010/v1", api_key_env: OPENAI_API_KEY }
agents:
  coder:
    cli: claude
    fallback: [codex]
    system: You write code.
    retry: { max_attempts: 2, backoff: exponential, initial: 1s, on: [NetworkDisconnect] }
    budget: { max_cost_usd: 1 }
  reviewer:
    model: openai/gpt-5.5
    fallback: [anthropic/claude-sonnet-4-5]
    output_schema:
      type: object
      required: [decision, must_fix]
      properties: { decision: { enum: [approve, reject] }, must_fix: { type: array, items: { type: string } } }
    turn_cap: 8
    tools: [read_file]
  tester: { model: openai/gpt-5.5, output_schema: schemas/commands.json }
tools:
  read_file:
    command: [node, read.mjs]
    description: Reads a file
    input: { type: object, properties: { path: { type: string } } }
    idempotent: true
    timeout: 10s
    max_attempts: 3
  lookup: { mcp: { command: [node, server.mjs] }, tool: lookup }
nodes:
  coder:
    type: agent
    agent: coder
    prompt: "Do {{ inputs.task }}. Findings: {{ nodes.reviewer.output.must_fix? }}"
    next: reviewer
  reviewer:
    type: agent
    agent: reviewer
    role: reviewer
    prompt: |
      Review this, {{ inputs.tone }}:
      {{ nodes.coder.output }}
    next:
      - { to: coder, when: "nodes.reviewer.output.decision !== 'approve'", max: 3 }
      - { to: end, when: "nodes.reviewer.output.decision !== 'approve'", outcome: max_iterations_reached }
      - tester
  tester: { type: agent, agent: tester, role: tester, prompt: { file: prompts/tester.md }, next: run_tests }
  run_tests:
    type: command
    run: { from: "nodes.tester.output.commands" }
    allow: ["npm test", "node --test *"]
    timeout: 2m
    fails_as: TestsFailed
    stop_when_repeated: true
    on_failure: [{ to: coder, max: 3 }]
    next: gate
  gate:
    type: human_gate
    ask: Select
    prompt: What now?
    options: [{ id: confirm, label: Confirm }, { id: stop, label: Stop }]
    timeout: 1d
    on_timeout: reject
    next: [{ to: lookup1, when: "output.choice === 'confirm'" }, { to: end, outcome: stopped }]
  lookup1:
    type: tool
    tool: lookup
    input: { q: "{{ inputs.task }}", limit: 3 }
    resolution: skip
    retry: { max_attempts: 3 }
    only_if: "inputs.tone !== 'x'"
    assert: [{ that: output.found, reason: nothing was found, verdict: retry }]
    next: check
  check: { type: condition, when: "nodes.run_tests.output.results.length > 3", then: both, else: sized }
  sized: { type: condition, when: "nodes.coder.output.length > 9 ? 'big' : 'small'", cases: { small: shape, big: both } }
  both: { type: parallel, branches: [shape_a, shape_b], join: m, fail_fast: true }
  shape_a: { type: transform, value: "({ n: nodes.run_tests.output.results.length })", next: m }
  shape_b: { type: command, run: npm test, next: m }
  m: { type: merge, value: "({ a: nodes.shape_a.output })", next: shape }
  shape: { type: transform, value: "({ n: 1 })", next: { to: end, outcome: approved } }
start: coder
`;

export const readContractFile = (name: string): string | null => CONTRACT_FILES[name] ?? null;
