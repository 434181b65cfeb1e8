import { expect, test } from 'vitest'
import { countLockWrites, type LockWrites } from '../kit/counted-lock.ts'

const stepsOf = async (sprites: number, isFolder: boolean): Promise<Record<string, LockWrites>> =>
  Object.fromEntries((await countLockWrites(sprites, isFolder)).map((one) => [one.step, one]))

test('an approval of many writes the lock file twice: once for the approvals, once for the frozen bytes', async () => {
  const { approve } = await stepsOf(6, false)
  expect(approve?.files).toBe(2)
})

test('with a lock file for each sprite, approvals and purchases write the same for each sprite, however many there are', async () => {
  const [few, many] = [await stepsOf(4, true), await stepsOf(12, true)]
  for (const step of ['approve', 'buy']) {
    expect(many[step]?.files).toBe(3 * (few[step]?.files ?? 0))
    expect((many[step]?.bytes ?? 0) / (few[step]?.bytes ?? 1)).toBeCloseTo(3, 1)
  }
})
