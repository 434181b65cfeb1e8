import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { describeWith } from '../kit/needs.ts'
import { hasRedis } from '../kit/servers/redis.ts'
import { push } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

describeWith(hasRedis, 'Redis')('a worker does as a build does', () => {
  let team: Team
  eachTeam((one) => {
    team = one
  })

  const posts = () => team.service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute')

  /** Approves, pushes and builds `hero.walk`. Returns the error of the build. */
  async function failedBuild(): Promise<unknown> {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    return (JSON.parse((await team.run('build', 'hero.walk', '--buy-only', '--json')).stdout) as { error: unknown }).error
  }

  test('it buys nothing if its own disk cannot keep the result: SW_DISK, no POST', async () => {
    const machine = nodeDisk()
    const disk = {
      ...machine,
      writeTemp: async (path: string, bytes: Uint8Array) => {
        if (!path.includes(join('.spritewright', 'results'))) return machine.writeTemp(path, bytes)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
      },
    }
    await team.hire({ disk })
    expect(await failedBuild()).toMatchObject({ code: 'SW_DISK', message: expect.stringContaining('ENOSPC') })
    expect(posts()).toEqual([])
  })

  const readConfig = async (): Promise<object> =>
    JSON.parse((await readFile(join(team.desk.root, 'spritewright.config.mjs'), 'utf8')).replace('export default ', '')) as object
  const programOf = (config: object): string => `export default ${JSON.stringify(config)}`

  test('it buys nothing if build.generate is never, and answers what things cost', async () => {
    const config = await readConfig()
    await team.hire({}, { files: { 'spritewright.config.mjs': programOf({ ...config, build: { generate: 'never' } }) } })
    expect(await failedBuild()).toMatchObject({ code: 'SW_MISSING', message: expect.stringContaining('The worker must not buy') })
    expect(posts()).toEqual([])
  })

  test("approval.total of its clone holds over all that it bought, which no lock file of its clone has; a commit's total counts nothing", async () => {
    const config = await readConfig()
    const withTotal = (total: string) => programOf({ ...config, approval: { total } })
    await team.hire({}, { files: { 'spritewright.config.mjs': withTotal('3.2') } })
    await team.desk.write('spritewright.config.mjs', withTotal('100'))
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    expect(await team.run('build', 'hero.walk', 'hero.idle', '--buy-only')).toMatchObject({ code: 0 })
    const third = await team.run('build', 'hero.jump', '--buy-only', '--json')
    expect(JSON.parse(third.stdout)).toMatchObject({ error: { code: 'SW_CEILING', message: expect.stringContaining('total of 3.2') } })
    expectCount(team.service.charges(), 2)
  })

  test('a client without a key only reads the shared store', async () => {
    await team.hire()
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const machine = nodeDisk()
    const written: string[] = []
    const writeTemp = (path: string, bytes: Uint8Array) => {
      written.push(path)
      return machine.writeTemp(path, bytes)
    }
    const host = {
      ...nodeHost(),
      env: team.env,
      stateFolder: join(team.desk.root, '.state', 'spritewright'),
      disk: { ...machine, writeTemp },
    }
    const workshop = await createWorkshop({ root: team.desk.root, host })
    expect((await workshop.build({ names: ['hero.walk'], buyOnly: true })).bought).toHaveLength(1)
    await workshop.close()
    expect(written).not.toEqual([])
    expect(written.filter((path) => path.startsWith(team.studio.shared))).toEqual([])
  })

  test('approve without a key shows the service, the kind of key and the price version that the worker names', async () => {
    await team.hire()
    const { stdout } = await team.run('approve', 'hero.walk', '--yes')
    const { host } = new URL(team.service.url)
    const lock = JSON.parse(await readFile(join(team.desk.root, 'sprites.lock.json'), 'utf8')) as {
      animations: { 'hero.walk': Record<string, { approval: { priceVersion: string } }> }
    }
    const [entry] = Object.values(lock.animations['hero.walk'])
    expect(stdout).toContain(`Where, as the worker says: ${host} (test key), price version ${entry?.approval.priceVersion}.`)
  })

  test('it prints its warnings, each once', async () => {
    team.after = async ({ path }, response) => {
      if (path !== '/v1/capabilities' || !(response.body instanceof Uint8Array)) return response
      const body = JSON.parse(new TextDecoder().decode(response.body)) as object
      return { ...response, headers: {}, body: new TextEncoder().encode(JSON.stringify({ ...body, api_version: '2' })) }
    }
    const worker = await team.hire()
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    expect(await team.run('build', 'hero.walk', '--buy-only')).toMatchObject({ code: 0 })
    expect(
      worker.sentences.filter((sentence) => sentence.includes('API version 2')),
      worker.sentences.join('\n'),
    ).toHaveLength(1)
  })
})
