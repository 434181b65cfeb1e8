import { expect, test } from 'vitest'
import { keyEnv, testKey } from '../kit/keys.ts'
import { specOf, team } from '../sim/two-machines.ts'

const total = (amount: string) => ({ options: { approval: { total: amount } } })

test('a build that buys on the approval of another remembers the total, and a higher one needs a person', async () => {
  const { first, clone, charged } = await team()
  await first.approve({}, { env: keyEnv(1) })
  const second = clone(first)
  const { project = '' } = first.entry('hero.walk').approval ?? {}
  const env = { ...keyEnv(2), SPRITEWRIGHT_APPROVERS: testKey(1).fingerprint, SPRITEWRIGHT_PROJECT: project }
  await second.build({}, { env, ...total('2') })
  second.write('sprites/hero.sprite.json', specOf('another knight', 'hero'))
  await expect(second.approve({}, { env, ...total('90') })).rejects.toMatchObject({ code: 'SW_CEILING' })
  expect(charged()).toHaveLength(1)
})
