import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { type Net, readBody } from '../../host/net.ts'
import { publish } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { type Listener, listen, type RequestHandler, type ServedResponse } from '../../host/server.ts'
import { jsonResponse } from './http.ts'

/** What the world must give to find out who runs in a folder. */
export interface DoorPorts {
  readonly disk: Disk
  readonly random: Random
  readonly net: Net
}

/** A running service, as another process of this machine may use it. */
export interface JoinedService {
  readonly url: string
  readonly assetsUrl: string
  /** A test key of its own, made now. */
  readonly key: string
}

/** `door.json`: where the folder's process can be knocked at. The token proves that the port is still its own, and that who knocks can read the folder. */
interface DoorRecord {
  readonly port: number
  readonly token: string
}

/**
 * Takes a state folder for this process: one process a folder, since two would each spend what the other holds. A loopback port is the lock, because the
 * system lets go of it with the process, however that ends; `door.json` names the port.
 *
 * @param whoIsHere Answers a joining process.
 * @throws `SW_DISK` where another process runs in the folder.
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
    // A stranger has the port that a process of this folder once had.
    if ((await readDoor(ports.disk, file))?.port === known?.port) await ports.disk.remove(file)
  }
}

/** The service that another process runs in a folder, with a key for us; undefined where none does. */
export async function joinFolder(ports: Pick<DoorPorts, 'disk' | 'net'>, folder: string): Promise<JoinedService | undefined> {
  const known = await readDoor(ports.disk, join(folder, 'door.json'))
  return known === undefined ? undefined : knock(ports.net, known, 'POST')
}

/** GET tells who is here, POST makes a key as well; neither without the token. */
function doorkeeper(token: string, whoIsHere: () => Promise<JoinedService>): RequestHandler {
  return async ({ method, headers }): Promise<ServedResponse> => {
    if (headers['x-door-token'] !== token) return jsonResponse(403, {})
    // While the state is still being read there is no address to give yet; that somebody is here is enough for GET.
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
    // Nobody there, or somebody who speaks otherwise: not ours in either case.
    return undefined
  }
}

function occupied(folder: string): SpritewrightError {
  return new SpritewrightError('SW_DISK', {
    message: `Expected to have the folder ${folder} alone, found another process running the embedded service in it. End that one, take another folder, or use it as a service: spritewright serve prints its address and key.`,
    facts: { folder },
  })
}
