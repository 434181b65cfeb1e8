// Starts the dev server of the project in the working folder, in a process that is measured as a whole. Requests
// what a page with twenty sprites does, and then what the panel does. Writes a line of JSON for each point that it
// reaches. After the last point, another process buys the last sprite.
// - `SCALE_UPDATES`: how often the panel asks again at most; default: until it has all sprites
import { setTimeout as sleep } from 'node:timers/promises'
import { openGame } from './scale-game.mjs'
import { takeOutPurchase } from './scale-purchase.mjs'

/** Milliseconds without an event of the server after which a purchase is over. The buyer looks a second after the last. */
const quietMs = 2500

const cpuNow = () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return (userCPUTime + systemCPUTime) / 1e6
}
const start = { cpuS: 0, at: performance.now() }
const reached = (point, facts = {}, since = start) => {
  const figures = { wallS: (performance.now() - since.at) / 1000, cpuS: cpuNow() - since.cpuS, ...facts }
  console.log(JSON.stringify({ point, mb: process.memoryUsage.rss() / 2 ** 20, ...figures }))
}

const { id, putBack } = takeOutPurchase(process.cwd())
process.once('exit', putBack)
const { server, panel, get } = await openGame()
reached('first page')

let text = await get(new URL('api/state?whole', panel))
reached('panel, first state', { bytes: text.length })
let bytes = 0
let requests = 0
const update = async () => {
  text = await get(new URL('api/state', panel))
  bytes += text.length
  requests++
}
// A page asks again after each event of a new state, until all pictures are made.
while (text.includes('"art":""') && requests < Number(process.env.SCALE_UPDATES ?? Infinity)) await update()
reached('panel, all sprites', { bytes, requests })

const events = await fetch(new URL('api/events', panel))
let isNew = false
let lastEvent = performance.now()
const listening = events.body.pipeTo(
  new WritableStream({
    write: (part) => {
      if (!new TextDecoder().decode(part).includes('event: state')) return
      isNew = true
      lastEvent = performance.now()
    },
  }),
)
listening.catch(() => {})
const isQuiet = () => performance.now() - lastEvent > quietMs
const rowOf = () =>
  JSON.parse(text)
    .sprites.flatMap(({ animations }) => animations)
    .find((row) => row.id === id)
if (rowOf()?.state === 'bought') throw new Error(`Expected ${id} not to be bought yet.`)
// What follows the start is over.
await sleep(quietMs)
const before = { cpuS: cpuNow(), at: performance.now() }
bytes = 0
requests = 0
isNew = false
putBack()
// A page asks at once after each event. While pictures are missing, each answer is an event: then it asks once.
const isComplete = !text.includes('"art":""')
do {
  while (!isNew || !(isComplete || isQuiet())) await sleep(10)
  isNew = false
  await update()
  while (!isNew && !isQuiet()) await sleep(10)
} while (isNew && isComplete)
reached('a purchase', { bytes, requests }, before)
if (rowOf()?.state !== 'bought') throw new Error(`Expected ${id} to be bought, found ${JSON.stringify(rowOf())}`)
await server.close()
