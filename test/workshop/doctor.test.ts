import { describe, expect, test } from 'vitest'
import type { DoctorFinding } from '../../src/workshop.ts'
import { simulatedWorld } from '../sim/world.ts'

async function findings(env: Record<string, string>): Promise<readonly DoctorFinding[]> {
  const world = await simulatedWorld(0)
  const workshop = await world.workshop({}, { env: { ...world.env, ...env } })
  return (await workshop.doctor()).filter(({ check }) => check === 'proxy')
}

test('doctor says nothing about proxies where none is set', async () => {
  expect(await findings({})).toEqual([])
})

test('doctor tells the proxy of requests and its exceptions, without a password', async () => {
  const env = { HTTPS_PROXY: 'http://artist:secret@proxy.example.com:3128', NO_PROXY: '.internal' }
  const found = 'http://proxy.example.com:3128 from HTTPS_PROXY, but not for .internal from NO_PROXY'
  expect(await findings(env)).toEqual([{ check: 'proxy', verdict: 'good', found, advice: '' }])
})

test('doctor tells a proxy that cannot be used', async () => {
  const [finding, ...others] = await findings({ HTTP_PROXY: 'socks5://secret:1080' })
  expect(others).toEqual([])
  expect(finding).toMatchObject({ verdict: 'bad', found: 'SW_CONFIG', advice: expect.stringContaining('HTTP_PROXY') })
  expect(finding?.advice).not.toContain('secret')
})

describe('doctor on Vite', () => {
  async function viteFindings(files: Readonly<Record<string, string>>): Promise<readonly DoctorFinding[]> {
    const world = await simulatedWorld(0)
    for (const [path, text] of Object.entries(files)) world.write(path, text)
    return (await (await world.workshop()).doctor()).filter(({ check }) => check === 'vite')
  }
  const onVite = { 'package.json': '{ "devDependencies": { "vite": "^8.0.0" } }' }
  const withPlugin = "import spritewright from 'spritewright/vite'"

  test('says nothing in a project without Vite', async () => {
    expect(await viteFindings({})).toEqual([])
  })

  test('names the configuration that has the plugin', async () => {
    const finding = { check: 'vite', verdict: 'good', found: 'the plugin is in vite.config.ts', advice: '' }
    expect(await viteFindings({ ...onVite, 'vite.config.ts': withPlugin })).toEqual([finding])
  })

  test.each([
    ['no configuration', {}, 'no vite.config'],
    ['a configuration without the plugin', { 'vite.config.js': 'export default {}' }, 'vite.config.js without the plugin'],
  ])('warns of %s, before the import of a spec fails', async (_what, files, found) => {
    const advice = 'A game that imports a spec needs the plugin, or the import fails. Add it: npx spritewright init'
    expect(await viteFindings({ ...onVite, ...files })).toEqual([{ check: 'vite', verdict: 'warning', found, advice }])
  })
})
