import { expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { findBarriers } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { heroFile, panelRoom, showsState } from './panel-room.ts'

const { start } = panelRoom()

function grey(shade: number): Buffer {
  const picture = createBitmap(24, 24)
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([shade, 120, 200, 255], at)
  return Buffer.from(encodePng(picture))
}

test('own art stands among bought sprites: it plays, and nothing of it asks for money', async () => {
  const { page, game, complaints } = await start({
    files: { [heroFile]: heroSpec('walks'), 'sprites/coin.sprite.json': '{\n  // drawn\n  "source": "./coin/"\n}\n' },
  })
  await game.write('sprites/coin/spin_1.png', grey(40))
  await game.write('sprites/coin/spin_2.png', grey(220))
  await game.write('sprites/coin/shadow.png', grey(90))
  await page.getByRole('link', { name: 'coin', exact: true }).click()
  await page.getByRole('heading', { name: 'coin.shadow', level: 1 }).waitFor()
  await showsState(page, 'own art')
  await page.getByRole('link', { name: 'spin' }).click()
  await page.getByRole('heading', { name: 'coin.spin', level: 1 }).waitFor()
  expect(
    await page
      .locator('.detail')
      .getByText(/\d credit|Approve/)
      .count(),
  ).toBe(0)
  expect(await findBarriers(page)).toEqual([])
  expect(await page.getByText('2 frames of ./coin/').count()).toBe(1)
  expect(complaints).toEqual([])
})
