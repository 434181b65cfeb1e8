import { beforeAll, expect, test } from 'vitest'
import { inspectQuality } from '../../atlas/quality.ts'
import type { QualityFault } from '../../atlas/quality-report.ts'
import { type Drawn, drawAll, seeded } from './drawn.ts'
import { spoils } from './faulty.ts'

let clean: readonly Drawn[] = []
beforeAll(async () => {
  clean = await drawAll()
})

const faults = Object.keys(spoils) as QualityFault[]

test('of faults that were put into drawn animations, at least 95 of 100 are found by their name and place', async () => {
  const chance = seeded(5)
  const missed: string[] = []
  const tally = new Map(faults.map((fault) => [fault, { put: 0, found: 0, others: 0 }]))
  for (const drawn of clean)
    for (const fault of faults)
      for (const strength of twoOf(spoils[fault].strengths, chance)) {
        const faulty = await spoils[fault].spoil(drawn, strength, chance)
        if (faulty === undefined) continue
        const { flags, figures } = inspectQuality(faulty.frames, { loop: true })
        const line = tally.get(fault)!
        line.put++
        line.others += flags.filter((flag) => flag.fault !== fault).length
        if (flags.some((flag) => flag.fault === fault && flag.frames.some((at) => faulty.at.includes(at)))) line.found++
        else missed.push(`${fault} × ${strength} in ${drawn.name} at ${faulty.at.join(', ')}: ${figures[fault].toFixed(3)}`)
      }
  const put = [...tally.values()].reduce((sum, line) => sum + line.put, 0)
  const found = [...tally.values()].reduce((sum, line) => sum + line.found, 0)
  const lines = [...tally].map(([fault, line]) => `  ${fault.padEnd(12)} ${line.found} of ${line.put}, other flags: ${line.others}`)
  console.log(
    `Found ${found} of ${put} faults (${((100 * found) / put).toFixed(1)} %).\n${lines.join('\n')}\nMissed:\n  ${missed.join('\n  ')}`,
  )
  expect(found / put).toBeGreaterThanOrEqual(0.95)
  for (const [fault, line] of tally) expect(line.found / line.put, fault).toBeGreaterThanOrEqual(0.9)
})

/** Two strengths of each fault for each animation: all come in turn. */
function twoOf(strengths: readonly number[], chance: () => number): readonly number[] {
  const first = Math.floor(chance() * strengths.length)
  return [strengths[first]!, strengths[(first + 1) % strengths.length]!]
}

test('of clean animations at most 5 of 100 are flagged', () => {
  const flagged = clean.flatMap(({ name, frames }) => {
    const { flags } = inspectQuality(frames, { loop: true })
    return flags.length === 0 ? [] : [`${name}: ${flags.map((flag) => flag.fault).join(', ')}`]
  })
  console.log(
    `Flagged ${flagged.length} of ${clean.length} clean animations (${((100 * flagged.length) / clean.length).toFixed(1)} %).\n  ${flagged.join('\n  ')}`,
  )
  expect(flagged.length / clean.length).toBeLessThanOrEqual(0.05)
})
