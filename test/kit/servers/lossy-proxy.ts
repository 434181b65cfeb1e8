import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to the first insert that passes: it reaches the server or not, and its answer never arrives. */
export type Loss = 'before' | 'during' | 'after'

/** A proxy on loopback. */
export interface LossyProxy {
  readonly port: number
  close(): Promise<void>
}

/** The end of an answer: the server is ready for a query, outside of a transaction. */
const ready = Buffer.from('5a0000000549', 'hex')

/**
 * Starts a proxy before PostgreSQL that closes the connection of the first insert: `before` the server gets it,
 * `during` its work, or `after` it has answered.
 */
export async function startLossyProxy(target: number, loss: Loss): Promise<LossyProxy> {
  const open = new Set<Socket>()
  let isLost = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    let isWatched = false
    const end = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end).on('close', () => {
        open.delete(socket)
        end()
      })
    }
    near.on('data', (part: Buffer) => {
      const isInsert = !isLost && part.includes('INSERT INTO')
      isLost ||= isInsert
      if (isInsert && loss === 'before') return end()
      isWatched ||= isInsert
      far.write(part, () => {
        // The server has all of it, and goes on without us.
        if (isInsert && loss === 'during') setTimeout(end, 5)
      })
    })
    far.on('data', (part: Buffer) => {
      if (!isWatched) near.write(part)
      else if (loss === 'after' && part.subarray(-ready.length).equals(ready)) end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
