import { expect, test } from 'vitest'
import { drawNormals } from '../../atlas/layers/normals.ts'
import { ball, render } from './solids.ts'

test('normal maps of 1,200 frames of 128 pixels take at most ten seconds of processor time', () => {
  const frames = [40, 50, 61].map((radius) => render({ ...ball(radius), side: 128 }))
  const start = process.cpuUsage()
  for (let count = 0; count < 1200; count++) drawNormals(frames[count % 3]!, { from: 'shape', soften: 1 }, 1)
  const { user, system } = process.cpuUsage(start)
  const seconds = (user + system) / 1e6
  console.log(`normal maps of 1,200 frames: ${seconds.toFixed(1)} s`)
  expect(seconds).toBeLessThan(10)
})
