import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomOf } from '../../scripts/kill-ten.mjs'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { type CliProcess, createProject, heroSpec, runCli, serviceEnv, startCli, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Double, startS3Double } from '../kit/s3-double.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'

const people = [1, 2, 3, 4]
const animations = ['walk', 'idle', 'jump']

/** Fingerprints of everybody in the team, so that each trusts the others. */
const team = people.map((person) => testKey(person).fingerprint).join(',')

interface Desk {
  readonly project: TestProject
  readonly env: Readonly<Record<string, string>>
}

const isRunning = (one: CliProcess | undefined): boolean => one?.child.exitCode === null && one.child.signalCode === null

/** A clone for each person, all with one journal and the same specs. */
function openDesks(journal: string, service: EmbeddedService, storeEnv: Readonly<Record<string, string>>): Promise<readonly Desk[]> {
  return Promise.all(
    people.map(async (person) => ({
      project: await createProject({
        'sprites/hero.sprite.json': heroSpec(animations),
        'spritewright.config.json': JSON.stringify({ store: { journal } }),
      }),
      env: { ...serviceEnv(service), ...storeEnv, ...keyEnv(person), SPRITEWRIGHT_APPROVERS: team },
    })),
  )
}

/**
 * All approve everything and build at once. At the first request to the service, and then at one of every four, a
 * random one of those who still build is killed and builds again. Then each builds to its end.
 *
 * @returns How often somebody was killed.
 */
async function buildAmongKills(desks: readonly Desk[], onRequest: (see: () => void) => void, seed: number, kills: number): Promise<number> {
  const unit = randomOf(seed)
  const start = ({ project, env }: Desk): CliProcess => startCli(project, ['build', '--buy-only'], env)
  for (const { project, env } of desks) expect(await runCli(project, ['approve', '--yes'], env)).toMatchObject({ code: 0 })
  const running = desks.map(start)
  let left = kills
  let countdown = 1
  onRequest(() => {
    if (left === 0 || --countdown > 0) return
    countdown = 1 + Math.floor(unit() * 4)
    const building = [...running.keys()].filter((at) => isRunning(running[at]))
    const at = building[Math.floor(unit() * building.length)] ?? -1
    const [victim, desk] = [running[at], desks[at]]
    if (!victim || !desk) return
    left--
    victim.child.kill('SIGKILL')
    running[at] = start(desk)
  })
  for (;;) {
    const before = [...running]
    await Promise.all(before.map(({ ended }) => ended))
    if (before.every((one, at) => one === running[at])) break
  }
  for (const { project, env } of desks) {
    const last = await runCli(project, ['build', '--buy-only'], env)
    expect(last.code, last.stderr).toBe(0)
  }
  return kills - left
}

describe('four people with one journal, killed again and again while they buy the same three animations', () => {
  let s3: S3Double
  let postgres: PostgresServer | undefined
  beforeAll(async () => {
    s3 = await startS3Double()
    postgres = hasPostgres ? await startPostgres() : undefined
  })
  afterAll(async () => {
    await s3.close()
    await postgres?.close()
  })

  test.each([['in a bucket', 1], ['in a bucket', 2], ...(hasPostgres ? [['in PostgreSQL', 3] as const] : [])] as const)(
    'I1, I4: %s, seed %d: three charges, and everybody has three results',
    async (where, seed) => {
      let see = (): void => {}
      const before = async (_request: HookedRequest): Promise<undefined> => void see()
      const service = await startEmbeddedService({ jobMs: 0, makers: quickMakers(), before })
      const listen = (then: () => void): void => {
        see = then
      }
      const [journal, storeEnv] =
        where === 'in PostgreSQL' && postgres
          ? [`postgres://127.0.0.1:${postgres.port}/postgres`, postgres.env]
          : [`s3://studio/game-${seed}`, s3.env]
      const desks = await openDesks(journal, service, storeEnv)
      try {
        const killed = await buildAmongKills(desks, listen, seed, 8)
        const charges = service.charges()
        console.log(`${where}, seed ${seed}: ${killed} kills, ${charges.length} charges, ${service.requests().length} requests`)
        // Three purchases ask at least nine times (POST, state, result), so three kills come whoever is done first.
        expect(killed).toBeGreaterThanOrEqual(3)
        expectCount(charges, animations.length)
        expect(service.holds()).toEqual([])
        expect(service.mistakes()).toEqual([])
        for (const { project } of desks) {
          const files = await readdir(join(project.root, '.spritewright', 'results'))
          // Who was killed in the middle of a write leaves its temporary file.
          expect(files.filter((name) => !name.endsWith('.tmp'))).toHaveLength(animations.length)
        }
      } finally {
        await service.close()
        await Promise.all(desks.map(({ project }) => project.remove()))
      }
    },
  )
})
