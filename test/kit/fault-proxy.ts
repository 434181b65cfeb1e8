import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A request as the proxy sees it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** What the proxy does with one answer. Bytes are counted from the `H` of its status line. */
export interface Deed {
  /**
   * What happens after `at` bytes. `cut` closes the connection, `half` closes only our end of it, `reset`
   * resets it, and `stall` sends nothing more.
   */
  readonly end?: 'cut' | 'half' | 'reset' | 'stall'
  /** @default 0 */
  readonly at?: number
  /**
   * Whether every byte is written by itself.
   *
   * @default false
   */
  readonly isSliced?: boolean
  /** The proxy sends nothing before this settles. */
  readonly until?: Promise<unknown>
}

/** A proxy on loopback. */
export interface FaultProxy {
  readonly url: string
  close(): Promise<void>
}

/** The rules of a proxy. */
export interface ProxyRules {
  /** Chooses what happens to an answer. If it returns `undefined`, the answer passes unchanged. */
  readonly pick?: (asked: Asked) => Deed | undefined
  /** Called when an answer has stalled. */
  readonly onStall?: () => void
  /** Called for every complete, undamaged answer with its length in bytes. */
  readonly onPassed?: (asked: Asked, bytes: number) => void
  /** Two texts; each is replaced by the other in the headers of answers. */
  readonly rename?: readonly [from: string, to: string]
}

/**
 * Starts a proxy in front of a server on loopback. The proxy knows nothing of HTTP except where a request
 * ends. A connection carries one request.
 */
export async function startFaultProxy(target: string, rules: ProxyRules = {}): Promise<FaultProxy> {
  const port = Number.parseInt(new URL(target).port, 10)
  const open = new Set<Socket>()
  const keep = (socket: Socket): void => {
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => open.delete(socket))
    // A broken connection concerns only this proxy.
    socket.on('error', () => {})
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near)
    let received = Buffer.alloc(0)
    near.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part])
      const request = readRequest(received)
      if (!request) return
      received = Buffer.alloc(0)
      const far = connect({ port, host: '127.0.0.1', noDelay: true })
      keep(far)
      near.on('close', () => far.destroy())
      far.write(request.bytes)
      pass(near, far, request.asked, rules).catch(() => near.destroy())
    })
    near.on('end', () => near.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/**
 * The first request of these bytes, changed so that it is the last of its connection. Returns `undefined`
 * while it is incomplete.
 */
function readRequest(bytes: Buffer): { readonly asked: Asked; readonly bytes: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const length = Number.parseInt(/^content-length: *(\d+)/im.exec(head)?.[1] ?? '0', 10)
  const body = bytes.subarray(end + 4, end + 4 + length)
  if (body.length < length) return undefined
  const [method = '', path = ''] = head.split(' ')
  const closing = `${head.replace(/\r\nconnection:[^\r]*/gi, '')}\r\nconnection: close\r\n\r\n`
  return { asked: { method, path, body: body.toString('latin1') }, bytes: Buffer.concat([Buffer.from(closing, 'latin1'), body]) }
}

async function pass(near: Socket, far: Socket, asked: Asked, { pick, onStall, onPassed, rename }: ProxyRules): Promise<void> {
  const deed = pick?.(asked) ?? {}
  const limit = deed.end === undefined ? Number.POSITIVE_INFINITY : (deed.at ?? 0)
  let sent = 0
  for await (const part of renamed(far, rename)) {
    await deed.until
    const rest = part.subarray(0, Math.max(0, limit - sent))
    sent += rest.length
    if (deed.isSliced) for (const byte of rest) await write(near, Buffer.of(byte))
    else await write(near, rest)
    if (sent < limit) continue
    if (deed.end === 'stall') return onStall?.()
    if (deed.end === 'reset') near.resetAndDestroy()
    else if (deed.end === 'half') near.end()
    else near.destroySoon()
    far.destroy()
    return
  }
  onPassed?.(asked, sent)
  near.end()
}

async function* renamed(far: Socket, rename: ProxyRules['rename']): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0)
  let isBody = false
  for await (const part of far as AsyncIterable<Buffer>) {
    if (isBody) {
      yield part
      continue
    }
    head = Buffer.concat([head, part])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) continue
    isBody = true
    const text = head.subarray(0, end).toString('latin1')
    yield Buffer.concat([Buffer.from(rename ? text.replaceAll(...rename) : text, 'latin1'), head.subarray(end)])
  }
  if (!isBody) yield head
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.destroyed || bytes.length === 0) return Promise.resolve()
  return new Promise((resolve) => socket.write(bytes, () => resolve()))
}
