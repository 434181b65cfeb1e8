import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { describeWith } from '../kit/needs.ts'
import { createProject, heroSpec, runCli, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Double, startS3Double } from '../kit/s3-double.ts'
import { hasNginx, type Nginx, startNginx } from '../kit/servers/nginx.ts'
import { filesOf } from './vite-process.ts'

/** Where results are shared, and what a process needs to reach it. */
interface Place {
  readonly shared: string
  readonly env: Readonly<Record<string, string>>
}

const open: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A clone of a project, with the configuration and what another clone has committed: its lock file, no results. */
async function clone({ shared }: Place, from?: TestProject): Promise<TestProject> {
  const project = await createProject({
    'sprites/hero.sprite.json': heroSpec(['walk', 'jump']),
    'spritewright.config.json': JSON.stringify({ engine: 'phaser', store: { shared } }),
    ...(from ? { 'sprites.lock.json': await readFile(join(from.root, 'sprites.lock.json')) } : {}),
  })
  onTestFinished(() => project.remove())
  return project
}

/** Every file of a build, with its bytes. */
async function outputOf({ root }: TestProject): Promise<ReadonlyMap<string, string>> {
  const folder = join(root, 'public/sprites')
  const read = async (path: string): Promise<[string, string]> => [path, (await readFile(join(folder, path))).toString('base64')]
  return new Map(await Promise.all((await filesOf(folder)).sort().map(read)))
}

async function startService(): Promise<EmbeddedService> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, makers: quickMakers() })
  onTestFinished(() => service.close())
  return service
}

/** The laws, with real processes. */
function describePlace(name: string, place: () => Place): void {
  describe(name, () => {
    test('what machine A buys, machine B builds without a key and with no service in reach: the same files, byte for byte', async () => {
      const { env } = place()
      const service = await startService()
      const a = await clone(place())
      for (const args of [['approve', '--yes'], ['build']])
        expect(await runCli(a, args, { ...env, ...serviceEnv(service) })).toMatchObject({ code: 0 })
      expect(service.charges()).toHaveLength(2)
      await service.close()
      const b = await clone(place(), a)
      const alone = { ...env, SPRITEWRIGHT_BASE_URL: service.url }
      expect(await runCli(b, ['status'], alone)).toMatchObject({ code: 0, stdout: expect.stringContaining('bought') })
      expect(await runCli(b, ['build', '--frozen'], alone)).toMatchObject({ code: 0, stderr: '' })
      expect(await outputOf(b)).toEqual(await outputOf(a))
      expect((await outputOf(b)).size).toBeGreaterThan(2)
      const results = join('.spritewright', 'results')
      expect((await readdir(join(b.root, results))).sort()).toEqual((await readdir(join(a.root, results))).sort())
    })

    test('push, verify and pull by the command line, to a third machine', async () => {
      const { env } = place()
      const service = await startService()
      const a = await clone(place())
      const config = join(a.root, 'spritewright.config.json')
      const shared = await readFile(config)
      await writeFile(config, '{}')
      for (const args of [
        ['approve', '--yes'],
        ['build', '--buy-only'],
      ])
        expect(await runCli(a, args, serviceEnv(service))).toMatchObject({ code: 0 })
      await writeFile(config, shared)
      const counts = { copied: 2, present: 0 }
      const run = async (project: TestProject, ...args: string[]): Promise<{ copied: number; present: number }> => {
        const { code, stdout, stderr } = await runCli(project, ['store', ...args, '--json'], env)
        expect([code, stderr]).toEqual([0, ''])
        const { copied, present } = JSON.parse(stdout) as { copied: string[]; present: number }
        return { copied: copied.length, present }
      }
      const before = await run(a, 'push')
      expect(before.copied + before.present).toBe(2)
      expect(await run(a, 'push')).toEqual({ copied: 0, present: 2 })
      expect(await runCli(a, ['store', 'verify'], env)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 results good') })
      expect(await run(await clone(place(), a), 'pull')).toEqual(counts)
    })
  })
}

describe('results of a studio, with real processes', () => {
  let bucket: S3Double
  beforeAll(async () => {
    bucket = await startS3Double()
    open.push(bucket)
  })
  describePlace('over S3', () => ({ shared: 's3://studio/game', env: bucket.env }))

  test('without the credentials of the bucket, machine B says which variables are missing', async () => {
    const b = await clone({ shared: 's3://studio/game', env: {} })
    const { code, stderr } = await runCli(b, ['store', 'push'], {})
    // Nothing is here, so nothing is asked for.
    expect([code, stderr]).toEqual([0, ''])
    await b.write('.spritewright/results/x', '')
    await b.write(`.spritewright/results/${'0'.repeat(64)}.bin`, 'torn')
    expect((await runCli(b, ['store', 'ls'], {})).stderr).toContain('AWS_ACCESS_KEY_ID')
  })
})

describeWith(hasNginx, 'nginx')('results of a studio, with real processes and nginx', () => {
  let nginx: Nginx
  beforeAll(async () => {
    nginx = await startNginx()
    open.push(nginx)
  })
  describePlace('over an HTTP cache', () => ({ shared: nginx.url, env: {} }))
})
