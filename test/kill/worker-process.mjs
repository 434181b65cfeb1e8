// A worker whose lease and waits are short, so that it can be killed many times in a test.
import { createWorkshop } from '../../dist/src/index.js'

const ending = new AbortController()
process.on('SIGINT', () => ending.abort())
const workshop = await createWorkshop({ root: process.cwd() })
await workshop.work({
  onEvent: ({ message }) => console.log(message),
  signal: ending.signal,
  leaseMs: Number(process.env.LEASE_MS),
  longestRequestMs: 300,
})
await workshop.close()
