import { approveOffer, readOffer } from '../../plugin/panel/server/approval-offer.ts'
import type { ProgramParts } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { parseSigningKey, type SigningKey } from '../../src/credit/signing-key.ts'
import type { Host } from '../../src/host/host.ts'
import { createWorkshop, type PersonRequest, type Workshop } from '../../src/workshop.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { noOwnProcess } from '../kit/own-process.ts'
import { figurePng } from '../kit/project.ts'
import type { SimulatedWorld } from '../sim/world.ts'

/** How a command is run. */
export interface Shell {
  /** Environment variables beside those of the desk; an empty text takes one away. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether the command has a terminal of its own, at which the program that runs it answers yes to everything. */
  readonly isTerminal?: boolean
  /** The text that it types at a question. */
  readonly types?: string
}

/** The variables by which a coding agent marks its shells. */
export const agentShell: Readonly<Record<string, string>> = { CLAUDECODE: '1' }

/** A machine with a checkout of the project at `/game`, and the programs that run as its user. */
export interface Desk {
  /** Runs a command to its end, and returns its exit code and all that it has written. */
  run(argv: readonly string[], shell?: Shell): Promise<{ readonly code: number; readonly text: string }>
  /** Opens a workshop, and closes it. */
  with<T>(work: (workshop: Workshop) => Promise<T>, env?: Readonly<Record<string, string>>): Promise<T>
  /** Does what the panel's server does for whoever has its token: approves all, or reads the offer alone. */
  click(env?: Readonly<Record<string, string>>): Promise<void>
  read(path: string): string | undefined
  write(path: string, text: string | Uint8Array): void
  requests(): Promise<readonly PersonRequest[]>
  /** The lock file with the approvals that a person took back. */
  takenBack: string
  /** The signing key of the desk's user, which every program of that user can read. */
  key(): SigningKey | undefined
}

/** Makes a desk with a spec of one animation. */
export function createDesk(world: SimulatedWorld, env: Host['env'], disk: MemoryDisk = new MemoryDisk(), ports: Partial<Host> = {}): Desk {
  const write: Desk['write'] = (path, text) =>
    void disk.files.set(`/game/${path}`, typeof text === 'string' ? new TextEncoder().encode(text) : text)
  write('package.json', '{"name":"game"}')
  write('sprites/hero.png', figurePng(1))
  write(
    'sprites/hero.sprite.json',
    JSON.stringify({ reference: './hero.png', prompt: 'a knight', animations: { walk: { frames: 7 }, idle: { frames: 7 } } }),
  )
  const random = countingRandom()
  const hostOf = ({ env: more = {}, isTerminal = false }: Shell, write_: (text: string) => void): Host => ({
    clock: world.clock,
    disk,
    random,
    net: world.net,
    glob: async (root) =>
      [...disk.files.keys()].filter((path) => path.startsWith(`${root}/sprites/`) && path.endsWith('.sprite.json')).sort(),
    loadModule: async () => undefined,
    encodeTexture: () => Promise.reject(new Error('Expected no texture to be encoded.')),
    connectDatabase: () => Promise.reject(new Error('Expected no database to be asked.')),
    openQueue: () => {
      throw new Error('Expected no queue to be opened.')
    },
    terminal: {
      ...{ write: write_, note: write_, isOutputTerminal: isTerminal, isInteractive: isTerminal, canAsk: isTerminal },
      columns: 100,
    },
    env: Object.fromEntries(Object.entries({ ...env, ...more }).filter(([, value]) => value !== '')),
    ...{ stateFolder: more.XDG_STATE_HOME ?? '/state', tempFolder: '/tmp', workingFolder: '/game', processId: 1 },
    ...ports,
  })
  const never = (): Promise<never> => Promise.reject(new Error('Not in this world.'))
  const self: Desk = {
    takenBack: '',
    write,
    run: async (argv, shell = {}) => {
      let text = ''
      const host = hostOf(shell, (more) => {
        text += more
      })
      const parts: ProgramParts = {
        ...{ host, version: '0.0.0', createWorkshop, signal: new AbortController().signal },
        ...{ startService: never, ownProcess: noOwnProcess, specSchema: async () => ({}), watchFiles: never },
        // A program with a terminal of its own says what the question wants to hear.
        ...{ ask: async () => true, askText: async () => shell.types ?? 'yes', choose: async (_question, [first]) => first?.value },
      }
      return { code: await world.clock.run(runProgram(argv, parts)), text }
    },
    with: async (work, more = {}) =>
      world.clock.run(
        (async () => {
          const workshop = await createWorkshop({ root: '/game', host: hostOf({ env: more }, () => {}) })
          return work(workshop).finally(() => workshop.close())
        })(),
      ),
    click: (more = {}) =>
      self.with(async (workshop) => {
        const ask = { ids: [] }
        const offer = await readOffer(workshop, ask)
        await approveOffer(workshop, { ...ask, lines: offer.lines, sum: offer.sum }, { given: 'clicked' })
      }, more),
    read: (path) => {
      const bytes = disk.files.get(`/game/${path}`)
      return bytes && new TextDecoder().decode(bytes)
    },
    requests: () => self.with((workshop) => workshop.requests.list()),
    key: () => {
      const kept = disk.files.get('/state/signing-key.pem')
      const text = env.SPRITEWRIGHT_SIGNING_KEY ?? (kept && new TextDecoder().decode(kept))
      return text === undefined ? undefined : parseSigningKey(text, 'the key of the desk')
    },
  }
  return self
}
