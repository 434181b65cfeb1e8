import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { type Net, readBody } from '../../host/net.ts'
import { publish } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { type Listener, listen, type RequestHandler, type ServedResponse } from '../../host/server.ts'
import { jsonResponse } from './http.ts'

/** The ports that are needed to find the process that owns a folder. */
export interface DoorPorts {
  readonly disk: Disk
  readonly random: Random
  readonly net: Net
}

/** A running service, as another process of this machine uses it. */
export interface JoinedService {
  readonly url: string
  readonly assetsUrl: string
  /** A new test key for this process. */
  readonly key: string
}

/**
 * `door.json`: the port of the process that owns the folder. The token proves that the port is still this
 * process's, and that the caller can read the folder.
 */
interface DoorRecord {
  readonly port: number
  readonly token: string
}

/**
 * Locks a state folder for this process. Two processes in one folder would each spend what the other one
 * holds. The lock is a loopback port, because the system frees it when the process ends, even after a crash;
 * `door.json` names the port.
 *
 * @param whoIsHere Answers a process that joins.
 * @throws `SW_DISK` if another process runs in the folder.
 */
export async function takeFolder(ports: DoorPorts, folder: string, whoIsHere: () => Promise<JoinedService>): Promise<Listener> {
  const file = join(folder, 'door.json')
  for (;;) {
    const known = await readDoor(ports.disk, file)
    const token = known?.token ?? Buffer.from(ports.random.bytes(24)).toString('hex')
    const door = await listen(doorkeeper(token, whoIsHere), known?.port ?? 0).catch((error: NodeJS.ErrnoException) => {
      if (known === undefined || error.code !== 'EADDRINUSE') throw error
      return undefined
    })
    if (door !== undefined && known !== undefined) return door
    if (door !== undefined) {
      const record: DoorRecord = { port: door.port, token }
      if (await publish(ports.disk, ports.random, file, new TextEncoder().encode(JSON.stringify(record)))) return door
      await door.close()
      continue
    }
    if ((await knock(ports.net, known!, 'GET')) !== undefined) throw occupied(folder)
    // An unrelated program has taken the port that `door.json` names.
    if ((await readDoor(ports.disk, file))?.port === known?.port) await ports.disk.remove(file)
  }
}

/**
 * Finds the service that another process runs in a folder, with a key for this process; undefined if there is
 * none.
 */
export async function joinFolder(ports: Pick<DoorPorts, 'disk' | 'net'>, folder: string): Promise<JoinedService | undefined> {
  const known = await readDoor(ports.disk, join(folder, 'door.json'))
  return known === undefined ? undefined : knock(ports.net, known, 'POST')
}

/**
 * GET returns the token, which proves that the process runs. POST returns the address and a new key. Both
 * need the token.
 */
function doorkeeper(token: string, whoIsHere: () => Promise<JoinedService>): RequestHandler {
  return async ({ method, headers }): Promise<ServedResponse> => {
    if (headers['x-door-token'] !== token) return jsonResponse(403, {})
    // While the state is loading there is no address yet. GET only has to know that a process is there.
    return jsonResponse(200, method === 'POST' ? await whoIsHere() : { token })
  }
}

async function readDoor(disk: Disk, file: string): Promise<DoorRecord | undefined> {
  if ((await disk.stat(file)) === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(await disk.read(file))) as DoorRecord
  } catch (cause) {
    throw new SpritewrightError('SW_DISK', {
      message: `Expected port and token in the embedded service's ${file}, found something else. Remove the file; nothing else is lost with it.`,
      facts: { file },
      cause,
    })
  }
}

async function knock(net: Net, { port, token }: DoorRecord, method: 'GET' | 'POST'): Promise<JoinedService | undefined> {
  try {
    const url = `http://127.0.0.1:${port}/`
    const response = await net.request({ method, url, headers: { 'x-door-token': token }, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 })
    if (response.status !== 200) return undefined
    const body = JSON.parse(new TextDecoder().decode(await readBody(response, 10_000))) as JoinedService & { token?: string }
    return body.token === token || body.key !== undefined ? body : undefined
  } catch {
    // No program answers, or another one does: in either case, no service of this folder runs.
    return undefined
  }
}

function occupied(folder: string): SpritewrightError {
  return new SpritewrightError('SW_DISK', {
    message: `Expected to have the folder ${folder} alone, found another process running the embedded service in it. End that one, take another folder, or use it as a service: npx spritewright serve prints its address and key.`,
    facts: { folder },
  })
}
