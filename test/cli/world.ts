import { expect } from 'vitest'
import type { ProgramParts, RunningService, ServiceInit, WorkshopInit } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import type { Disk } from '../../src/host/disk.ts'
import type { Host } from '../../src/host/host.ts'
import type { PlanItem } from '../../src/project/plan.ts'
import type { Workshop } from '../../src/workshop.ts'
import { noOwnProcess } from '../kit/own-process.ts'

/** An error as Node's file system throws it. */
export function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: made up, ${syscall} '${path}'`), { code, syscall, path, errno: -1 })
}

/** Files in memory. Folders are implied, as far as the CLI needs them. */
export function memoryDisk(files: Map<string, Uint8Array>): Disk {
  const must = (path: string): Uint8Array => {
    const bytes = files.get(path)
    if (!bytes) throw systemError('ENOENT', 'open', path)
    return bytes
  }
  return {
    read: async (path) => must(path),
    list: async () => [],
    links: async () => [],
    stat: async (path) => {
      const bytes = files.get(path)
      if (bytes) return { bytes: bytes.length, changedMs: 0, isFolder: false }
      return [...files.keys()].some((name) => name.startsWith(`${path}/`)) ? { bytes: 0, changedMs: 0, isFolder: true } : undefined
    },
    makeFolder: async () => {},
    writeTemp: async (path, bytes) => void files.set(path, bytes),
    append: async (path, bytes) => void files.set(path, new Uint8Array([...(files.get(path) ?? []), ...bytes])),
    sync: async () => {},
    link: async (from, to) => {
      if (files.has(to)) throw systemError('EEXIST', 'link', to)
      files.set(to, must(from))
    },
    syncFolder: async () => {},
    move: async (from, to) => {
      files.set(to, must(from))
      files.delete(from)
    },
    remove: async (path) => void files.delete(path),
    touch: async (path) => void must(path),
  }
}

/** The settings of a world. */
export interface WorldInit {
  readonly workshop?: Partial<Workshop>
  readonly files?: Readonly<Record<string, string>>
  readonly isInteractive?: boolean
  readonly canAsk?: boolean
  readonly isOutputTerminal?: boolean
  /** @default 80 */
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly answer?: boolean | undefined
  /** The text that a person types at a question. */
  readonly typed?: string | undefined
  /** What a person chooses, in the order of the questions; `undefined` is Ctrl-C. */
  readonly chosen?: readonly (string | undefined)[]
  readonly startService?: (init: ServiceInit) => Promise<RunningService>
  /** Replaces the made-up workshop. */
  readonly createWorkshop?: ProgramParts['createWorkshop']
}

/** A program that runs in this process: its world, and its output and actions. */
export interface World {
  readonly files: Map<string, Uint8Array>
  readonly opened: WorkshopInit[]
  readonly questions: string[]
  closed: number
  /** Milliseconds of both clocks. */
  now: number
  readonly interrupt: AbortController
  out(): string
  err(): string
  text(path: string): string
  run(...argv: string[]): Promise<number>
  json(): Record<string, unknown>
}

/** Makes a world around a workshop with only the tested methods. */
export function createWorld(init: WorldInit = {}): World {
  const files = new Map<string, Uint8Array>(
    Object.entries({ '/game/package.json': '{}', ...init.files }).map(([path, text]) => [path, new TextEncoder().encode(text)]),
  )
  const out: string[] = []
  const err: string[] = []
  const interrupt = new AbortController()
  const world: World = {
    files,
    opened: [],
    questions: [],
    closed: 0,
    now: 0,
    interrupt,
    out: () => out.join(''),
    err: () => err.join(''),
    text: (path) => new TextDecoder().decode(files.get(path)),
    json: () => JSON.parse(out.join('')) as Record<string, unknown>,
    run: (...argv) => runProgram(argv, parts),
  }
  let chance = 0
  const chosen = [...(init.chosen ?? [])]
  const host: Host = {
    clock: { wall: () => world.now, mono: () => world.now, sleep: (_ms, signal) => untilAborted(signal) },
    disk: memoryDisk(files),
    net: { request: async () => Promise.reject(new Error('No network in this test.')), close: async () => {} },
    random: { bytes: (count) => new Uint8Array(count).fill(++chance), uuid: () => `uuid-${++chance}`, unit: () => 0.5 },
    terminal: {
      write: (text) => void out.push(text),
      note: (text) => void err.push(text),
      isOutputTerminal: init.isOutputTerminal ?? false,
      isInteractive: init.isInteractive ?? false,
      canAsk: init.canAsk ?? false,
      columns: init.columns ?? 80,
    },
    env: init.env ?? {},
    stateFolder: '/state',
    tempFolder: '/tmp',
    workingFolder: '/game',
    processId: 1,
    glob: async (_root, patterns) => {
      const hasOwn = patterns.some((one) => one.endsWith('.aseprite'))
      const ending = hasOwn ? /\.sprite\.(?:json|ya?ml)$|\.sprites\/|\.aseprite$/ : /\.sprite\.(?:json|ya?ml)$|\.sprites\//
      return patterns.some((one) => one.includes('.sprite.')) ? [...files.keys()].filter((file) => ending.test(file)) : []
    },
  } satisfies Partial<Host> as unknown as Host
  const parts: ProgramParts = {
    host,
    version: '1.2.3',
    signal: interrupt.signal,
    createWorkshop: async (asked) => {
      world.opened.push(asked)
      if (init.createWorkshop) return init.createWorkshop(asked)
      const options = { root: '/game', specs: ['**/*.sprite.json'] }
      const requests = { list: async () => [] }
      return { options, requests, close: async () => void world.closed++, ...init.workshop } as unknown as Workshop
    },
    startService: init.startService ?? (async () => Promise.reject(new Error('No service in this test.'))),
    watchFiles: async () => Promise.reject(new Error('No watching in this test.')),
    ownProcess: noOwnProcess,
    specSchema: async () => ({ title: 'A sprite' }),
    ask: async (question) => {
      world.questions.push(question)
      return init.answer
    },
    askText: async (question, preset) => {
      world.questions.push(question)
      return init.typed ?? preset
    },
    choose: async (question, choices) => {
      world.questions.push(`${question} ${choices.map(({ label }) => label).join(' / ')}`)
      return chosen.shift()
    },
  }
  return world
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

/** An animation of a made-up project. */
export function planItem(id: string, more: Partial<PlanItem> & { readonly price?: string } = {}): PlanItem {
  const [sprite = '', animation = ''] = id.split('.')
  const { price, ...rest } = more
  return {
    id,
    spec: { name: sprite, file: `/game/sprites/${sprite}.sprite.json` },
    animation: { name: animation, frames: 12, take: 1 },
    request: { id, operation: 'sprite_sheet' },
    state: 'missing',
    changed: [],
    ...(price === undefined ? {} : { quote: { credits: parseCredits(price), priceVersion: 'v1', referenceUsd: '0.24' } }),
    ...rest,
  } as unknown as PlanItem
}

/** Runs a command as text and with `--json`. Both end with the same exit code. */
export async function runBoth(
  init: WorldInit,
  ...argv: string[]
): Promise<{ code: number; text: string; err: string; json: Record<string, unknown> }> {
  const [text, json]: [World, World] = [createWorld(init), createWorld(init)]
  const code = await text.run(...argv)
  expect(await json.run(...argv, '--json')).toBe(code)
  return { code, text: text.out(), err: text.err(), json: json.json() }
}

const styles: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' }

/** Shows a styled text as `red{text}`, and an erased line as `<erase>`. */
export function toStyleWords(text: string): string {
  return text
    .replaceAll('\r\u001b[K', '<erase>')
    .split('\u001b[')
    .map((part) => part.replace(/^(\d+)m/, (_, number: string) => (styles[number] ? `${styles[number]}{` : '}')))
    .join('')
}

/** Runs a command on a wide terminal with colours. The texts are as {@link toStyleWords} shows them. */
export async function runColored(init: WorldInit, ...argv: string[]): Promise<{ code: number; text: string; err: string }> {
  const world = createWorld({ isOutputTerminal: true, isInteractive: true, columns: 200, ...init })
  const code = await world.run(...argv)
  return { code, text: `\n${toStyleWords(world.out())}`, err: toStyleWords(world.err()) }
}
