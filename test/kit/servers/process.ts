import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The user that a server runs as, because some refuse root. Empty if the tests are not root. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/** A user without rights, if the tests run as root. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // There is no such user.
    }
  }
  return {}
}

/** Makes a folder that the server's user owns. */
export function serverFolder({ uid, gid }: ServerUser): string {
  const folder = mkdtempSync(join(tmpdir(), 'spritewright-server-'))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}

/** A server in the foreground. */
export interface ServerProcess {
  /** Sends the signal and waits until the process has ended. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/**
 * Starts a server and waits until it takes connections.
 *
 * @throws With what it printed if it ends before.
 */
export async function startProcess(command: string, args: readonly string[], port: number, user: ServerUser): Promise<ServerProcess> {
  const child: ChildProcess = spawn(command, args, { ...user, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (printed += part))
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!(await takesConnections(port))) {
    if (hasEnded) throw new Error(`Expected ${command} to listen on ${port}, found that it ended:\n${printed}`)
    await sleep(20)
  }
  return {
    stop: async (signal) => {
      child.kill(signal)
      await ended
    },
  }
}

/** Removes a server's folder. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
