import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { JobProgress } from '../../src/job/order.ts'
import type { PlanItem } from '../../src/project/plan.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { mirroredItems } from '../../src/workshop/mirrored.ts'
import { createProgressLines } from '../../src/workshop/progress-line.ts'

test('a log has one line for each change that a person wants to know, with the credits when they begin to be held', () => {
  const [id, held] = ['hero.walk', parseCredits('1.6')]
  const reports: readonly (readonly [JobProgress, string?])[] = [
    [{ id, phase: 'checking' }],
    [{ id, phase: 'uploading' }],
    [{ id, phase: 'submitting' }],
    [{ id, phase: 'waiting', message: 'the limit' }, 'hero.walk: waits: the limit.'],
    [{ id, phase: 'waiting', message: 'the limit' }],
    [{ id, phase: 'waiting', message: 'a place', held }, 'hero.walk: waits: a place.'],
    [{ id: 'rogue.walk', phase: 'waiting' }, 'rogue.walk: waits.'],
    [{ id, phase: 'queued', message: 'soon', held: parseCredits('2') }, 'hero.walk: waits for its turn at the service, 2 credits held.'],
    [{ id, phase: 'queued', message: 'later' }],
    [{ id, phase: 'running', progress: 0.5, held: parseCredits('2') }, 'hero.walk: is being drawn.'],
    [{ id, phase: 'running', progress: 0.9 }],
    [{ id: 'rogue.walk', phase: 'running', held: parseCredits('0') }, 'rogue.walk: is being drawn.'],
    [{ id, phase: 'downloading' }],
    [{ id, phase: 'running', held: parseCredits('3') }, 'hero.walk: is being drawn, 3 credits held.'],
    [{ id, phase: 'bought', settled: held }],
    [{ id: 'rogue.walk', phase: 'failed', message: 'no' }],
  ]
  const lines: string[] = []
  const listen = createProgressLines((line) => lines.push(line))
  const told = reports.map(([now]) => {
    listen(now)
    return lines.splice(0)
  })
  expect(told).toEqual(reports.map(([, line]) => (line === undefined ? [] : [line])))
})

test('mirror images are listed by their sources, each with what its source costs or has cost at most', () => {
  const text = JSON.stringify({
    reference: './hero.png',
    prompt: 'a knight',
    animations: { left: {}, up: {}, down: {} },
    mirror: { right: 'left', back: 'down', east: 'left', top: 'up' },
  })
  const spec = parseSpec(text, '/game/hero.sprite.json')
  const [quote, maxCredits] = [{ credits: parseCredits('2'), priceVersion: '1' }, '3.5']
  const more: Record<string, Partial<PlanItem>> = { left: { quote, hash: 'l' }, up: { hash: 'u' }, down: {} }
  const items = spec.animations.map((animation) => ({ id: `hero.${animation.name}`, spec, animation, ...more[animation.name] }) as PlanItem)
  const entry = (hash: string): object => ({ [hash]: { submission: { maxCredits } } })
  const lock = {
    version: 1,
    animations: { 'hero.left': entry('l'), 'hero.up': entry('u'), 'hero.down': entry('d') },
  } as unknown as LockFile
  expect(mirroredItems(items, lock)).toEqual({
    mirrored: [
      { id: 'hero.right', of: 'hero.left', credits: parseCredits('2') },
      { id: 'hero.east', of: 'hero.left', credits: parseCredits('2') },
      { id: 'hero.top', of: 'hero.up', credits: parseCredits('3.5') },
      { id: 'hero.back', of: 'hero.down', credits: undefined },
    ],
  })
  expect(mirroredItems(items.slice(0, 0), lock)).toEqual({})
})
