import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { createProject, runCli, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Rules, startS3Double } from '../kit/s3-double.ts'

/** A machine that buys into a bucket, and a clone of its project in CI that has the lock file alone. */
async function studio(rules: S3Rules = {}, store: object = { shared: 's3://studio/game' }) {
  const service: EmbeddedService = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, makers: quickMakers() })
  const bucket = await startS3Double(rules)
  const config = { 'spritewright.config.json': JSON.stringify({ engine: 'phaser', store }) }
  const desk = await createProject(config)
  onTestFinished(async () => {
    await desk.remove()
    await service.close()
    await bucket.close()
  })
  for (const args of [
    ['approve', '--yes'],
    ['build', '--buy-only'],
  ])
    expect(await runCli(desk, args, { ...bucket.env, ...serviceEnv(service) })).toMatchObject({ code: 0 })
  const ci = await createProject({ ...config, 'sprites.lock.json': await readFile(join(desk.root, 'sprites.lock.json')) })
  onTestFinished(() => ci.remove())
  return { ci, bucket, service, env: { CI: '1', SPRITEWRIGHT_BASE_URL: service.url } }
}

async function build(ci: TestProject, env: Readonly<Record<string, string>>, frozen = true): Promise<string> {
  const { code, stderr } = await runCli(ci, ['build', ...(frozen ? ['--frozen'] : [])], env)
  expect(code).toBe(1)
  return stderr
}

describe('a build that cannot get a result names the door that is shut (kind: the wrong door is named)', () => {
  test.each([
    ['no credentials', {}, 'AWS_ACCESS_KEY_ID'],
    ['half of the credentials', { AWS_ACCESS_KEY_ID: 'A' }, 'AWS_SECRET_ACCESS_KEY'],
    ['a bad endpoint', { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL_S3: 'x' }, 'AWS_ENDPOINT_URL_S3'],
    ['wrong credentials', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'Check the credentials'],
  ])('with %s of the bucket: the store comes first, and nobody is told to give CI the API key', async (_, vars, named) => {
    const { ci, bucket, env } = await studio()
    const known = named === 'Check the credentials' ? { ...bucket.env, ...vars } : vars
    for (const frozen of [true, false]) {
      const said = await build(ci, { ...env, ...known }, frozen)
      expect(said).toMatch(/^error SW_STORE /m)
      expect(said).toContain(named)
      expect(said).toContain('hero.walk')
      expect(said).not.toMatch(/SPRITEWRIGHT_API_KEY|SW_NO_KEY|API key/)
    }
  })

  test.each(['half', 'cut', 403, 503] as const)('where the bucket answers a read with "%s"', async (answer) => {
    let isDown = false
    const store = { shared: 's3://studio/game', patience: '1s' }
    const { ci, bucket, env } = await studio({ fault: ({ method }) => (isDown && method === 'GET' ? { answer } : undefined) }, store)
    isDown = true
    const said = await build(ci, { ...env, ...bucket.env })
    expect(said).toMatch(/^error SW_(STORE|VAULT) /m)
    expect(said).toContain('s3://studio/game')
    expect(said).not.toMatch(/SPRITEWRIGHT_API_KEY|SW_NO_KEY|API key/)
    isDown = false
    expect(await runCli(ci, ['build', '--frozen'], { ...env, ...bucket.env })).toMatchObject({ code: 0 })
  })

  test('where the bucket has no such result: which one, and how it gets there', async () => {
    const { ci, bucket, env } = await studio()
    for (const key of [...bucket.files.keys()]) if (key.includes('/cas/')) bucket.files.delete(key)
    const said = await build(ci, { ...env, ...bucket.env })
    expect(said).toMatch(/^error SW_VAULT /m)
    expect(said).toContain('store push')
    expect(said).not.toMatch(/SPRITEWRIGHT_API_KEY|SW_NO_KEY|API key/)
  })

  test('a frozen build asks for no journal: credentials for the results alone are enough', async () => {
    const folder = { shared: './shared', journal: 's3://studio/journal' }
    const { ci, service, env } = await studio({}, folder)
    await service.close()
    const said = await build(ci, env)
    expect(said).toMatch(/^error SW_VAULT /m)
    expect(said).not.toContain('AWS_')
  })
})
