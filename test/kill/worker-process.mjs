// A worker with the shortest lease, and short waits, so that it can be killed many times in a test.
import { createWorkshop } from '../../dist/src/index.js'

const ending = new AbortController()
process.on('SIGINT', () => ending.abort())
const workshop = await createWorkshop({ root: process.cwd() })
await workshop.work({
  onEvent: ({ message }) => console.log(message),
  signal: ending.signal,
  leaseMs: 10_000,
  longestRequestMs: 300,
})
await workshop.close()
console.log(`peak memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`)
