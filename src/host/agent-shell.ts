/**
 * Environment variables by which coding agents mark the shells that they run, each with its agent. A variable that a
 * person's own terminal has too, such as `TERM_PROGRAM`, `CURSOR_TRACE_ID` or `REPL_ID`, is not among them.
 *
 * Sources: `src/agents.ts` of unjs/std-env, `agents.json` of vercel/detect-agent, the list of agent harnesses of
 * huggingface_hub, and ascorbic/am-i-vibing. Where an agent's own documentation or source has it, a comment says so.
 */
export const agentVariables: Readonly<Record<string, string>> = {
  // Set by any agent: vercel/detect-agent; for the second, a proposal to the agents project of agentsmd.
  AI_AGENT: 'any agent',
  AGENT: 'any agent',
  // code.claude.com/docs, "Environment variables".
  CLAUDECODE: 'Claude Code',
  CLAUDE_CODE: 'Claude Code',
  CLAUDE_CODE_IS_COWORK: 'Claude Cowork',
  // openai/codex, codex-rs/core/src/spawn.rs, and the instructions for agents in that repository.
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  CODEX_CI: 'Codex',
  CURSOR_AGENT: 'Cursor',
  // google-gemini/gemini-cli, documentation of its shell tool.
  GEMINI_CLI: 'Gemini CLI',
  ANTIGRAVITY_AGENT: 'Antigravity',
  OPENCODE: 'opencode',
  OPENCODE_CLIENT: 'opencode',
  COPILOT_CLI: 'GitHub Copilot CLI',
  AMP_CURRENT_THREAD_ID: 'Amp',
  // docs.augmentcode.com, "Environment variables" of the CLI.
  AUGMENT_AGENT: 'Auggie',
  CLINE_ACTIVE: 'Cline',
  ROO_ACTIVE: 'Roo Code',
  CRUSH: 'Crush',
  // block/goose, the developer extension's shell.
  GOOSE_TERMINAL: 'Goose',
  QWEN_CODE: 'Qwen Code',
  JUNIE_DATA: 'Junie',
  JUNIE_SHIM_PATH: 'Junie',
  PI_CODING_AGENT: 'Pi',
  OPENCLAW_SHELL: 'OpenClaw',
  HERMES_SESSION_ID: 'Hermes Agent',
  TRAE_AI_SHELL_ID: 'Trae',
}

/**
 * The variable that marks this shell as one of a coding agent; `undefined` if none does. Empty values and those that
 * say no (`0`, `false`, `no`, `off`) do not count. A program can remove the variables, so this stops habit, not malice.
 */
export function agentShell(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return Object.keys(agentVariables).find((name) => !/^\s*(?:0|false|no|off)?\s*$/i.test(env[name] ?? ''))
}
