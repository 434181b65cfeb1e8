import type { Command } from './context.ts'

/** An option of a command, in the notation of the help text: `--max <credits>`. */
export interface OptionEntry {
  readonly flags: string
  readonly text: string
}

/** A verb of the command line. */
export interface CommandEntry {
  readonly verb: string
  /** Whether it takes names: `sprite` or `sprite.animation`. */
  readonly takesNames: boolean
  /** Whether the command does not depend on the project in its working folder. */
  readonly worksAnywhere?: true
  /** Whether its workshop has no API key: no `.env` file is read. */
  readonly hasNoKey?: true
  /** Whether it waits for a shared store that does not answer. The others report that at once. */
  readonly isPatient?: true
  /** For the help: arguments that the command takes instead of names. */
  readonly takes?: string
  /** For the help: required arguments before the names. */
  readonly takesFirst?: string
  /** Description in one line. */
  readonly text: string
  readonly options: readonly OptionEntry[]
  readonly examples: readonly string[]
  /** Loads the code of the command. No command is loaded before it is needed. */
  readonly load: () => Promise<Command>
}

/** Options of every command. */
export const globalOptions: readonly OptionEntry[] = [
  { flags: '--root <dir>', text: 'The project (default: the current folder)' },
  { flags: '--config <file>', text: 'The config file (default: spritewright.config.* in the project)' },
  { flags: '--json', text: 'One JSON document on stdout, for errors too' },
  { flags: '--quiet', text: 'Only results, warnings and errors' },
  { flags: '--no-color', text: 'No colours (NO_COLOR does the same)' },
  { flags: '-h, --help', text: 'This text' },
  { flags: '-v, --version', text: 'The version' },
]

/** The option of the commands that only a person decides. */
const personOption: OptionEntry = {
  flags: '--i-am-a-person',
  text: 'In the shell of a coding agent: act, since a person gives the command; without it, the command only asks',
}

/** All commands, in the order in which a project needs them. */
export const commandEntries: readonly CommandEntry[] = [
  {
    verb: 'init',
    takesNames: false,
    text: 'A config, the ignore lines and a first spec; never overwrites',
    options: [
      { flags: '--embedded', text: 'This machine draws, for play money (default: asks; without a terminal, a service draws)' },
      { flags: '--own', text: 'Only own art: no service, no key, no lock file' },
      { flags: '--engine <engine>', text: 'phaser or pixi, unless the dependencies name one (default: asks; without a terminal, both)' },
      { flags: '--here', text: 'A separate project in this folder, although another is above or below it' },
      { flags: '--folder <dir>', text: 'Folder of the first sprite (default: asks; without a terminal, sprites)' },
    ],
    examples: ['init', 'init --embedded --engine phaser --folder art/sprites'],
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    verb: 'new',
    takesNames: true,
    takes: 'NAME PICTURE',
    text: 'A spec for a picture; never overwrites',
    options: [{ flags: '--prompt <text>', text: 'Description of the sprite (default: asks)' }],
    examples: ['new hero drawings/hero.png --prompt "a small knight, side view"'],
    load: async () => (await import('./commands/new.ts')).newSprite,
  },
  {
    verb: 'import',
    takesNames: true,
    takes: 'FILE…',
    text: "Specs from another packer's project: .tps, .ftpp or a folder of AssetPack; never overwrites",
    options: [{ flags: '--dry-run', text: 'Print the specs, and write nothing' }],
    examples: ['import art/sheets.tps', 'import raw-assets --dry-run'],
    load: async () => (await import('./commands/import.ts')).importSpecs,
  },
  {
    verb: 'plan',
    takesNames: true,
    isPatient: true,
    text: 'Shows bought and missing animations with prices; spends nothing',
    options: [
      { flags: '--markdown', text: 'As Markdown, for a comment on a pull request' },
      { flags: '--pictures <folder>', text: 'With --markdown: writes moving pictures of each change there, and links them' },
      { flags: '--pictures-url <url>', text: 'Address of that folder for readers (default: the folder itself)' },
    ],
    examples: ['plan', 'plan hero', 'plan --markdown', 'plan --markdown --pictures sprite-pictures'],
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  {
    verb: 'approve',
    takesNames: true,
    isPatient: true,
    text: 'Asks, then records the approved ceilings',
    options: [
      { flags: '--max <credits>', text: 'Ceiling of each animation (default: its estimate)' },
      { flags: '--total <credits>', text: 'Refuse when the ceilings add up to more' },
      { flags: '--yes', text: 'Do not ask; the approval is recorded as unattended' },
      { flags: '--adopt', text: 'Take over approvals that are not yours' },
      { flags: '--revoke', text: 'Take unused approvals back; alone or with names' },
      { flags: '--standing', text: "Accept the configuration's standing ceilings, shown with what they allow" },
      personOption,
    ],
    examples: ['approve', 'approve hero.walk --max 2.4', 'approve --total 10 --yes', 'approve --revoke hero', 'approve --standing'],
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    verb: 'build',
    takesNames: true,
    isPatient: true,
    text: 'Buys approved animations, makes the atlases and writes them',
    options: [
      { flags: '--out <dir>', text: 'Output folder, relative to the project (default: public/sprites)' },
      { flags: '--frozen', text: 'Buy nothing; fail if anything would have to be bought' },
      { flags: '--buy-only', text: 'Buy, and make no atlas' },
      { flags: '--disclose <file>', text: 'Write the origins of all frames into a .csv, .json or .txt file; see the command disclose' },
      { flags: '--watch', text: 'Build again whenever a file of the project changes, until Ctrl-C' },
    ],
    examples: ['build', 'build --out static/sprites', 'build --frozen', 'build --watch'],
    load: async () => (await import('./commands/build/build.ts')).build,
  },
  {
    verb: 'status',
    takesNames: true,
    text: 'The state of each animation, without asking the service',
    options: [],
    examples: ['status', 'status hero'],
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    verb: 'types',
    takesNames: false,
    text: 'Writes typings of literal names beside each spec; init, plan, approve and build do so too if there is a tsconfig.json',
    options: [],
    examples: ['types'],
    load: async () => (await import('./commands/write-types.ts')).types,
  },
  {
    verb: 'answer',
    takesNames: true,
    isPatient: true,
    takes: 'NAME TEXT',
    text: "Answers an execution's question",
    options: [{ flags: '--asset <file>', text: 'A picture, if the question asks for one' }, personOption],
    examples: ['answer hero.walk "with the left hand"', 'answer hero "like this" --asset sketch.png'],
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  {
    verb: 'review',
    takesNames: true,
    takes: 'NAME',
    text: 'Draws the bought frames of a name in one picture, with suspicious frames marked',
    options: [
      { flags: '--out <file>', text: 'The picture (default: node_modules/.cache/spritewright/review/NAME.png)' },
      { flags: '--frames <dir>', text: 'Writes the frames as they were delivered into this folder, to be touched up; never over a file' },
    ],
    examples: ['review hero', 'review hero.walk --out walk.png', 'review hero --frames touch-up'],
    load: async () => (await import('./commands/review.ts')).review,
  },
  {
    verb: 'recover',
    takesNames: true,
    isPatient: true,
    takes: 'NAME',
    text: 'Resolves a submission whose outcome is unknown and too old to retry safely',
    options: [
      { flags: '--replay', text: 'Send the same bytes again under the same key; may be charged twice if the service forgot the key' },
      { flags: '--abandon', text: 'Give the attempt up; its ceiling stays counted as spent' },
      personOption,
    ],
    examples: ['recover hero.walk --replay', 'recover hero.walk --abandon'],
    load: async () => (await import('./commands/recover.ts')).recover,
  },
  {
    verb: 'cancel',
    takesNames: true,
    isPatient: true,
    takes: 'NAME',
    text: 'Cancels pictures that are being made; sprite executions cannot be cancelled',
    options: [],
    examples: ['cancel hero'],
    load: async () => (await import('./commands/cancel.ts')).cancel,
  },
  {
    verb: 'forget',
    takesNames: true,
    isPatient: true,
    takes: 'NAME',
    text: 'Deletes the conversations of a sprite at the service; the paid results here stay',
    options: [{ flags: '--yes', text: 'Do not ask' }],
    examples: ['forget hero'],
    load: async () => (await import('./commands/forget.ts')).forget,
  },
  {
    verb: 'ledger',
    takesNames: false,
    text: 'Held, settled and restored credits of all who share the journal, for each sprite and in total',
    options: [
      { flags: '--since <date>', text: 'From this day or month on, by UTC: 2026-11-01 or 2026-11' },
      { flags: '--until <date>', text: 'Until the end of this day or month' },
      { flags: '--by <group>', text: 'Sums by person, project, month or sprite, in credits and USD' },
      { flags: '--csv', text: 'As CSV: a line for each purchase, or for each group' },
      { flags: '--verify', text: 'Read every execution again at the service and compare; exit code 1 if they differ' },
    ],
    examples: ['ledger', 'ledger --since 2026-11 --by person', 'ledger --by project --csv > projects.csv', 'ledger --verify'],
    load: async () => (await import('./commands/ledger.ts')).ledger,
  },
  {
    verb: 'disclose',
    takesNames: false,
    text: 'Where every shipped frame comes from, by the records; exit code 1 if a frame has no origin',
    options: [
      { flags: '--csv', text: 'As CSV, a line for each frame' },
      { flags: '--texts', text: 'Texts for the forms of Steam and itch.io' },
      { flags: '--out <dir>', text: 'Output folder of a build whose pixels are compared (default: public/sprites, if a build wrote it)' },
    ],
    examples: ['disclose', 'disclose --csv > origins.csv', 'disclose --texts', 'disclose --out static/sprites'],
    load: async () => (await import('./commands/disclose.ts')).disclose,
  },
  {
    verb: 'store',
    takesNames: true,
    takesFirst: 'ls|verify|prune|push|pull',
    text: 'The paid results: list, verify, prune and share them',
    options: [
      { flags: '--yes', text: 'With prune: do not ask' },
      { flags: '--force', text: 'With prune: also delete results that nothing could restore' },
      { flags: '--shared', text: 'With prune: from the shared store, by hash' },
    ],
    examples: ['store ls', 'store verify', 'store prune', 'store prune hero.walk 3f2a91c0', 'store push', 'store pull'],
    load: async () => (await import('./commands/store/store.ts')).store,
  },
  {
    verb: 'doctor',
    takesNames: false,
    text: 'Checks the key, the account and the configuration',
    options: [
      { flags: '--contract', text: 'Check the service against its interface, clause by clause' },
      { flags: '--spend <credits>', text: 'With --contract: buy one execution under this ceiling, to check the other clauses' },
      { flags: '--openapi <file>', text: 'Compare an OpenAPI 3.1 description with our requests and readers' },
      personOption,
    ],
    examples: ['doctor', 'doctor --contract', 'doctor --contract --spend 2', 'doctor --openapi service.yaml'],
    load: async () => (await import('./commands/doctor/doctor.ts')).doctor,
  },
  {
    verb: 'trust',
    takesNames: true,
    takes: '[HOST]',
    text: 'Addresses that may get the API key, and keys whose touch approves; asks before it adds one',
    options: [
      { flags: '--touch <key>', text: 'Let a security key or fingerprint reader approve; asks for its word' },
      { flags: '--remove', text: 'Take the confirmation of an address or a key back' },
      personOption,
    ],
    examples: ['trust', 'trust api.example.com', 'trust api.example.com --remove'],
    load: async () => (await import('./commands/trust.ts')).trust,
  },
  {
    verb: 'worker',
    takesNames: true,
    isPatient: true,
    takes: '[status]',
    text: 'Buys for machines without an API key, until Ctrl-C; status: shows workers and orders',
    options: [
      {
        flags: '--http <address>',
        text: 'Answer GET /healthz and GET /metrics here, e.g. 127.0.0.1:9464; with --json, the log is JSON lines',
      },
    ],
    examples: ['worker', 'worker --json --http 127.0.0.1:9464', 'worker status'],
    load: async () => (await import('./commands/worker/worker.ts')).worker,
  },
  {
    verb: 'mcp',
    takesNames: false,
    hasNoKey: true,
    text: 'Tools for a coding agent, over stdio: it sees, writes specs and asks; it cannot approve or spend',
    options: [],
    examples: ['mcp'],
    load: async () => (await import('./commands/mcp/mcp.ts')).mcp,
  },
  {
    verb: 'serve',
    takesNames: false,
    worksAnywhere: true,
    text: 'Runs the embedded service on this machine, to try everything for free',
    options: [
      { flags: '--port <port>', text: 'Port on loopback (default: 4747; 0 takes a free one)' },
      { flags: '--dir <dir>', text: 'Folder of its state (default: .spritewright/embedded)' },
      { flags: '--key <key>', text: 'A test key to accept (default: its own)' },
      { flags: '--credits <credits>', text: 'Balance of a new account (default: 100)' },
      { flags: '--faults <file>', text: 'A plan of faults, to test a pipeline against' },
    ],
    examples: ['serve', 'serve --port 0 --credits 50', 'serve --faults faults.json'],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    verb: 'merge',
    takesNames: true,
    takes: '[BASE OURS THEIRS]',
    text: "Resolves a merge conflict in sprites.lock.json; with three files, as git's merge driver",
    options: [
      { flags: '--ours', text: 'Keep the upper side of entries that both sides changed; with names, of these entries' },
      { flags: '--theirs', text: 'Keep the lower side; a purchase is kept in any case' },
    ],
    examples: ['merge', 'merge --theirs', 'merge hero.walk --ours', 'merge %O %A %B'],
    load: async () => (await import('./commands/merge.ts')).merge,
  },
  {
    verb: 'schema',
    takesNames: false,
    worksAnywhere: true,
    text: 'The JSON Schema of a spec, for editors',
    options: [],
    examples: ['schema > sprite.schema.json'],
    load: async () => (await import('./commands/schema.ts')).schema,
  },
]
