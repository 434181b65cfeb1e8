import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AskQuestion, HookedRequest } from '../../src/embedded/options/options.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { heroSpec } from '../kit/project.ts'
import { level } from '../level.ts'
import { type Desk, expectAllBought, onDesk, openDesk } from './desk.ts'
import { runMortalCli, untilAlive } from './mortal-cli.ts'

/** The long run kills at every step. The short run kills at every third step that changes the disk. */
const deed = level === 'long' ? 'before' : 'change'
const stride = level === 'long' ? 1 : 3

/** The entries of the lock file. Returns none if there is no file. */
async function entriesOf({ project }: Desk): Promise<readonly LockEntry[]> {
  const path = join(project.root, 'sprites.lock.json')
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) return []
  return Object.values(parseLockFile(await readFile(path, 'utf8'), path).animations).flatMap((requests) => Object.values(requests))
}

function expectWhole(entries: readonly LockEntry[], context: string): void {
  for (const { approval, submission } of entries) {
    expect(approval?.ceiling, context).toBe('1.6')
    if (submission) expect(sha256(new TextEncoder().encode(submission.body)), context).toBe(submission.bodySha256)
  }
}

describe('a real process killed with SIGKILL at changes of the disk and at requests', () => {
  test('approve: both approvals are written or neither, whole; the next one makes good what is missing, and all is bought once', {
    timeout: 600_000,
  }, async () => {
    const kills = await untilAlive(
      (at) =>
        onDesk(openDesk(), async (desk) => {
          const killed = await runMortalCli(desk, ['approve', '--yes'], `${deed} ${at}`)
          const context = `${deed} ${at}, ${killed.steps.at(-1)}`
          const entries = await entriesOf(desk)
          expect([0, 2], context).toContain(entries.length)
          expectWhole(entries, context)
          expect([desk.posts.count(), desk.service.charges(), desk.service.holds()], context).toEqual([0, [], []])
          const again = await desk.run('approve', '--yes')
          expect(again.code, `${context}: ${again.stderr}`).toBe(0)
          const mended = await entriesOf(desk)
          expect(mended, context).toHaveLength(2)
          expectWhole(mended, context)
          expect(await desk.run('build', '--buy-only'), context).toMatchObject({ code: 0 })
          await expectAllBought(desk, 2, context)
          return killed.signal === 'SIGKILL'
        }),
      stride,
    )
    console.log(`approve: ${kills} schedules, nothing half-written, ${2 * kills} charges for ${2 * kills} approvals`)
    expect(kills).toBeGreaterThan(level === 'long' ? 12 : 4)
  })

  test('answer: the question is answered once, whatever the process died at, and the hold is settled once', {
    timeout: 600_000,
  }, async () => {
    const ask = ({ answers }: AskQuestion) => (answers.length === 0 ? { text: 'With which hand?' } : undefined)
    const kills = await untilAlive((at) => {
      const keys = new Set<string | undefined>()
      const before = async ({ method, path, headers }: HookedRequest) => {
        if (method === 'POST' && path.endsWith('/answers')) keys.add(headers['idempotency-key'])
        return undefined
      }
      return onDesk(openDesk({ ask, before }, { 'sprites/hero.sprite.json': heroSpec() }), async (desk) => {
        expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
        expect(await desk.run('build', '--buy-only')).toMatchObject({ code: 5 })
        const killed = await runMortalCli(desk, ['answer', 'hero.walk', 'the left one'], `${deed} ${at}`)
        const context = `${deed} ${at}, ${killed.steps.at(-1)}`
        // The same command again either answers, or finds that no question waits any more.
        const again = await desk.run('answer', 'hero.walk', 'the left one')
        if (again.code !== 0) expect(again.stderr, context).toContain('Expected a question waiting at "hero.walk", found none')
        const built = await desk.run('build', '--buy-only')
        expect(built.code, `${context}: ${built.stderr}`).toBe(0)
        await expectAllBought(desk, 1, context)
        expect(keys.size, `${context}: keys of answers`).toBe(1)
        return killed.signal === 'SIGKILL'
      })
    }, stride)
    console.log(`answer: ${kills} schedules, ${kills} charges for ${kills} approvals`)
    expect(kills).toBeGreaterThan(level === 'long' ? 10 : 3)
  })
})
