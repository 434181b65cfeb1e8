import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type CliRun, figurePng, heroSpec, runCli } from '../project.ts'
import { createGame, type Game } from './game.ts'
import { filesOf, gameFiles, runViteBuild } from './vite-process.ts'

/** A key that looks different in every encoding. */
const canary = 'sw_test_c4n4ry/+=&%?-Zz9'

let service: EmbeddedService
let game: Game

beforeAll(async () => {
  service = await startEmbeddedService({ jobMs: 0, accounts: [{ name: 'demo', keys: [{ key: canary }] }] })
  game = await createGame({ ...gameFiles, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec(['walk', 'idle']) })
})

afterAll(async () => {
  await service?.close()
  await game?.remove()
})

/** The forms in which a key might end up somewhere: plain, escaped, in base64 at each of the three alignments, in hexadecimal. */
function disguises(key: string): Record<string, Buffer> {
  const bytes = Buffer.from(key)
  const forms: Record<string, string> = {
    plain: key,
    'url-encoded': encodeURIComponent(key),
    'inside a JSON text': JSON.stringify(key).slice(1, -1),
    hexadecimal: bytes.toString('hex'),
    backwards: [...key].reverse().join(''),
  }
  for (const shift of [0, 1, 2]) {
    // Only the groups of four that no neighbour has a share in.
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const inner = whole.slice(shift === 0 ? 0 : 4, -4)
    forms[`base64, shifted by ${shift}`] = inner
    forms[`base64url, shifted by ${shift}`] = inner.replaceAll('+', '-').replaceAll('/', '_')
  }
  for (const encoding of ['utf16le'] as const) forms[encoding] = Buffer.from(key, encoding).toString('latin1')
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, Buffer.from(form, 'latin1')]))
}

function search(bytes: Uint8Array): string[] {
  const all = Buffer.from(bytes)
  return Object.entries(disguises(canary)).flatMap(([name, form]) => (all.includes(form) ? [name] : []))
}

test('the search finds a key in each of its disguises', () => {
  for (const [name, form] of Object.entries(disguises(canary))) expect(search(Buffer.concat([Buffer.from('x'), form]))).toContain(name)
  expect(search(Buffer.from(Buffer.from(`xx${canary}yy`).toString('base64')))).not.toEqual([])
})

test('C40: after a whole run the key is in no file that was written, no output and no bundle', async () => {
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: canary }
  const runs: CliRun[] = []
  for (const args of [
    ['init'],
    ['plan'],
    ['approve', '--yes'],
    ['build'],
    ['status', '--json'],
    ['ledger'],
    ['doctor'],
    ['doctor', '--json'],
  ])
    runs.push(await runCli(game, args, env))
  runs.push(await runViteBuild(game.root, env))
  expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0))
  // Failures talk more than successes: a wrong key, a service that is gone, a spec that is broken.
  runs.push(await runCli(game, ['plan', 'nobody'], env))
  await service.putAccount({ name: 'demo', keys: [{ key: canary, isRevoked: true }] })
  await game.write('sprites/hero.sprite.json', heroSpec(['walk', 'idle', 'jump']))
  for (const args of [['plan'], ['approve', '--yes'], ['doctor']]) runs.push(await runCli(game, args, env))
  runs.push(await runViteBuild(game.root, env))
  await game.write('sprites/hero.sprite.json', '{ "reference": ')
  runs.push(await runCli(game, ['build'], env), await runViteBuild(game.root, env))

  for (const { stdout, stderr } of runs) expect(search(Buffer.from(stdout + stderr))).toEqual([])
  const files = await filesOf(game.root)
  for (const expected of ['sprites.lock.json', '.spritewright/ledger.jsonl', 'dist/index.html', 'public/sprites/pack.json'])
    expect(files).toContain(expected)
  const found: string[] = []
  for (const path of files) found.push(...search(await readFile(join(game.root, path))).map((how) => `${path}: ${how}`))
  expect(found).toEqual([])
})
