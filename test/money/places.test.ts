import { expect, test } from 'vitest'
import { addSprite, simulatedWorld } from '../sim/world.ts'

test('I8: a whole life of a project writes into vault, journal, cache, lock file, output and its own state folder, and nowhere else', async () => {
  const w = await simulatedWorld(0)
  addSprite(w, 'hero', 0)
  const before = new Set(w.disk.files.keys())
  const own = [
    /^\/game\/\.spritewright\/(?:results|submissions|uploads)\/[^/]/,
    /^\/game\/\.spritewright\/(?:ledger\.jsonl|checkout\.json)$/,
    /^\/game\/sprites\.lock\.json$/,
    /^\/game\/node_modules\/\.cache\/spritewright\//,
    /^\/game\/out\//,
    /^\/game\/sprites\/hero\.sprite\.d\.json\.ts$/,
    /^\/home\/state\/(?:journals|limits|projects)\//,
    /^\/home\/state\/signing-key\.pem$/,
  ]
  const workshop = await w.workshop()
  await w.clock.run(workshop.plan())
  await w.clock.run(workshop.approve({ names: [], confirm: async () => true }))
  await w.clock.run(workshop.build({ buyOnly: true }))
  // Making atlases takes real time and no time of the clock.
  const { sheets } = await workshop.build()
  await workshop.write(sheets, 'out')
  await workshop.writeTypings()
  await workshop.status()
  await w.clock.run(workshop.verifyLedger())
  await w.clock.run(workshop.store.verify())
  await w.clock.run(workshop.forget('hero', async () => true))
  const calls = w.disk.calls
    .filter((call) => !/^(?:sync|syncFolder) /.test(call))
    .map((call) => call.replace(/^\w+ /, '').replace(/\.[0-9a-f]{16}\.tmp$/, ''))
  const paths = [...new Set([...calls, ...[...w.disk.files.keys()].filter((path) => !before.has(path))])]
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !own.some((pattern) => pattern.test(path)))).toEqual([])
  expect([...w.disk.files.keys()].filter((path) => path.endsWith('.tmp'))).toEqual([])
  for (const path of before) expect(w.disk.files.has(path)).toBe(true)
})
