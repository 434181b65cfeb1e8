import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { WebSocket } from 'undici'
import { repository } from '../e2e/game.ts'
import type { CliRun } from '../kit/project.ts'
import { createHappenings, type Happenings } from '../plugin/world.ts'

/** A message to a page of a dev server. */
export interface Told {
  readonly event?: string
  readonly data?: {
    readonly sheets?: readonly { readonly sprites: readonly { readonly name: string; readonly isPlaceholder: boolean }[] }[]
  }
}

/** A dev server in a process of its own, with a page that listens to it. */
export interface DevProcess {
  readonly told: Happenings<Told>
  /** The text of a path. */
  get(path: string): Promise<string>
  /** Its output so far. */
  printed(): string
  /** Waits until its output contains some words. Rejects if it ends without them. */
  untilPrinted(words: string): Promise<void>
  /** Ends it by Ctrl-C or like a closed terminal, and waits for its end. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<CliRun>
}

/** Starts `vite` in a game and connects a page. */
export async function startDevProcess(root: string, env: Readonly<Record<string, string>>): Promise<DevProcess> {
  const { PATH = '', HOME = '' } = process.env
  const vite = join(repository, 'node_modules/vite/bin/vite.js')
  const child = spawn(process.execPath, [vite, '--host', '127.0.0.1', '--port', '0'], {
    cwd: root,
    env: { PATH, HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: string[] = []
  const err: string[] = []
  const ended = new Promise<CliRun>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout: out.join(''), stderr: err.join('') }))
  })
  child.stderr.on('data', (part: Buffer) => err.push(part.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (part: Buffer) => {
      out.push(part.toString())
      const found = /Local:\s+(http:\S+?)\/?\s/.exec(out.join(''))?.[1]
      if (found !== undefined) resolve(found)
    })
    ended.then((run) => reject(new Error(`Expected a dev server, found its end: ${run.stderr}`)))
  })
  const get = async (path: string): Promise<string> => {
    const response = await fetch(url + path, { headers: { accept: '*/*' } })
    const text = await response.text()
    if (!response.ok) throw new Error(`Expected ${path}, found ${response.status}: ${text.slice(0, 500)}`)
    return text
  }
  const token = /wsToken = "([^"]+)"/.exec(await get('/@vite/client'))?.[1] ?? ''
  const told = createHappenings<Told>()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  socket.addEventListener('message', ({ data }) => told.push(JSON.parse(String(data)) as Told))
  return {
    told,
    get,
    printed: () => out.join(''),
    untilPrinted: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (out.join('').includes(words)) resolve()
        }
        child.stdout.on('data', look)
        ended.then((run) => reject(new Error(`Expected it to print "${words}", found its end: ${run.stdout}${run.stderr}`)))
        look()
      }),
    stop: async (signal = 'SIGTERM') => {
      socket.close()
      child.kill(signal)
      return ended
    },
  }
}
