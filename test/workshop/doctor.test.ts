import { expect, test } from 'vitest'
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
